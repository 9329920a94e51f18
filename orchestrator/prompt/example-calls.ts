/** Calls of tools that would do, made of their schemas. Pure. */
import type { LispJson } from "../contract/lisp-image.ts";
import { type ArgumentSchema, alternatives, choiceText, keywordText, lispText } from "./argument-types.ts";

/** Tools that need one of several arguments, or some that their first shape does not name: those that examples give. */
const chosenArguments: Readonly<Record<string, readonly string[]>> = {
  "search.content": ["query"],
  "lisp.eval": ["form"],
  "lisp.apropos": ["query"],
  "task.run": ["task"],
  "task.worktree": ["id"],
  "peer.grant": ["sender", "receiver"],
};

/** What a text of that name is in an example. */
const exampleTexts: Readonly<Record<string, string>> = {
  uri: "workspace:notes.txt",
  path: "notes.txt",
  command: "ls",
  query: "release",
  pattern: "*.txt",
  url: "https://example.org/",
  id: "exec:1",
  task: "Review the change.",
  form: "(+ 1 2)",
  forms: "(+ 1 2)",
  definition: "(defun twice (x) (* 2 x))",
  designator: "car",
  message: "Look at the tests first.",
  symbol: "*limit*",
  value: "42",
  baseline: "HEAD",
  sender: "primary",
  receiver: "exec:1",
};

/** An example: the value, and how it is typed. */
type Example = { readonly value: LispJson; readonly text: string };

/** The arguments that are needed, by name, and the call with them. */
export function exampleCall(
  tool: string,
  schema: ArgumentSchema,
): { readonly args: Readonly<Record<string, LispJson>>; readonly text: string } {
  const node = alternatives(schema)[0] ?? {};
  const properties = node.properties ?? {};
  const chosen = (chosenArguments[tool] ?? []).filter((name) => Object.hasOwn(properties, name));
  const names = [...new Set([...(node.required ?? []), ...chosen])];
  const examples = names.map((name) => ({ name, example: exampleOf(name, node.properties?.[name] ?? {}) }));
  const words = examples.map(({ name, example }) => `${keywordText(name)} ${example.text}`);
  return {
    args: Object.fromEntries(examples.map(({ name, example }) => [name, example.value])),
    text: `(${[tool, ...words].join(" ")})`,
  };
}

function exampleOf(name: string, schema: ArgumentSchema): Example {
  const node = alternatives(schema)[0] ?? {};
  const choices = node.enum ?? ("const" in node ? [node.const] : []);
  if (choices.length > 0) return { value: choices[0] as LispJson, text: choiceText(choices[0]) };
  switch (node.type) {
    case "integer":
    case "number":
      return plain(Math.max(1, node.minimum ?? 1));
    case "boolean":
      return plain(true);
    case "array": {
      const element = exampleOf(name, node.items ?? {});
      return { value: [element.value], text: `(vector ${element.text})` };
    }
    case "object":
      return objectExample(node);
    default:
      return plain(exampleTexts[name] ?? name);
  }
}

function objectExample({ required = [], properties = {} }: ArgumentSchema): Example {
  const fields = required.map((name) => ({ name, example: exampleOf(name, properties[name] ?? {}) }));
  const words = fields.map(({ name, example }) => `${lispText(name)} ${example.text}`);
  return {
    value: Object.fromEntries(fields.map(({ name, example }) => [name, example.value])),
    text: `(${["dict", ...words].join(" ")})`,
  };
}

/** Fields of an object that an example shows. */
const shownFields = 4;

/** `(dict …)` with the first fields of an object, needed ones first; undefined for what is no object with known fields. */
export function dictExample(schema: ArgumentSchema): string | undefined {
  const { type, properties = {}, required = [] } = schema;
  if (type !== "object") return undefined;
  const names = [...new Set([...required, ...Object.keys(properties)])];
  if (names.length === 0) return undefined;
  const words = names
    .slice(0, shownFields)
    .map((name) => `${lispText(name)} ${exampleOf(name, properties[name] ?? {}).text}`);
  return `(dict ${words.join(" ")})`;
}

function plain(value: LispJson): Example {
  return { value, text: lispText(value) };
}
