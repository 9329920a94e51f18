/** Arguments of tools in the words of Lisp: types of their schemas, values, and calls as examples. Pure. */
import { z } from "zod";
import type { LispJson } from "../contract/lisp-image.ts";

/** The part of JSON Schema that tools' arguments use. */
export type ArgumentSchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: ArgumentSchema;
  readonly anyOf?: readonly ArgumentSchema[];
  readonly oneOf?: readonly ArgumentSchema[];
};

/** The arguments of a tool. */
export function argumentSchema(declared: z.ZodType): ArgumentSchema {
  return z.toJSONSchema(declared, { io: "input", unrepresentable: "any" }) as ArgumentSchema;
}

type Path = readonly (string | number)[];

/** The alternatives that a schema offers; itself when it offers none. */
export function alternatives(schema: ArgumentSchema): readonly ArgumentSchema[] {
  const { type, ...rest } = schema;
  if (typeof type === "object") return type.map((each) => ({ ...rest, type: each }));
  return (schema.anyOf ?? schema.oneOf)?.flatMap(alternatives) ?? [schema];
}

/** What a schema says of the value at `path`: every alternative. Empty where it says nothing. */
export function schemaAt(schema: ArgumentSchema, path: Path): readonly ArgumentSchema[] {
  return path.reduce<readonly ArgumentSchema[]>(
    (nodes, step) =>
      nodes.flatMap((node) => {
        const next = typeof step === "number" ? node.items : node.properties?.[step];
        return next === undefined ? [] : alternatives(next);
      }),
    alternatives(schema),
  );
}

/** Integers beyond are the bounds of numbers, not of the argument. */
const boundOf = (bound: number | undefined): number | undefined =>
  bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;

/** The least and the greatest number; of integers also where the schema names their neighbours. */
function boundsOf(node: ArgumentSchema): readonly [number | undefined, number | undefined] {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node;
  if (type !== "integer") return [boundOf(minimum), boundOf(maximum)];
  const above = exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1;
  const below = exclusiveMaximum === undefined ? undefined : exclusiveMaximum - 1;
  return [boundOf(minimum) ?? boundOf(above), boundOf(maximum) ?? boundOf(below)];
}

function range(node: ArgumentSchema): string {
  const [low, high] = boundsOf(node);
  if (low === undefined) return high === undefined ? "" : ` of at most ${high}`;
  return high === undefined ? ` from ${low}` : ` from ${low} to ${high}`;
}

function stringWords({ minLength = 0, maxLength }: ArgumentSchema): string {
  if (maxLength !== undefined) return `a string of ${minLength} to ${maxLength} characters`;
  return minLength > 0 ? "a string that is not empty" : "a string";
}

function elementsWords({ minItems = 0, maxItems }: ArgumentSchema): string {
  if (maxItems === undefined) return minItems > 0 ? " that is not empty" : "";
  return minItems > 0 ? ` of ${minItems} to ${maxItems} elements` : ` of at most ${maxItems} elements`;
}

/** How arguments are written by whoever gives them: a form, or JSON of a model or a client. */
export type Notation = {
  /** Name of an argument. */
  readonly name: (name: string) => string;
  readonly value: (value: LispJson | undefined) => string;
  readonly choice: (choice: unknown) => string;
  readonly boolean: string;
  readonly array: string;
  readonly object: string;
  readonly null: string;
};

function nodeWords(node: ArgumentSchema, notation: Notation): string {
  const choices = node.enum ?? ("const" in node ? [node.const] : undefined);
  if (choices !== undefined) return choices.map((choice) => notation.choice(choice)).join(", ");
  switch (node.type) {
    case "string":
      return stringWords(node);
    case "integer":
      return `an integer${range(node)}`;
    case "number":
      return `a number${range(node)}`;
    case "boolean":
      return notation.boolean;
    case "array":
      return `${notation.array}${elementsWords(node)}`;
    case "object":
      return notation.object;
    case "null":
      return notation.null;
    default:
      return "another value";
  }
}

/** What is expected, as words. */
export function expectedWords(nodes: readonly ArgumentSchema[], notation: Notation): string {
  const words = [...new Set(nodes.map((node) => nodeWords(node, notation)))];
  const isChoice = nodes.some((node) => node.enum !== undefined || "const" in node);
  return `${isChoice && nodes.every((node) => node.enum !== undefined || "const" in node) ? "one of " : ""}${words.join(isChoice ? ", " : " or ")}`;
}

function nodeType(node: ArgumentSchema): string {
  const choices = node.enum ?? ("const" in node ? [node.const] : undefined);
  if (choices !== undefined) return `(MEMBER ${choices.map((choice) => choiceText(choice)).join(" ")})`;
  const [low, high] = boundsOf(node);
  const bounds = low === undefined && high === undefined ? "" : ` ${low ?? "*"} ${high ?? "*"}`;
  switch (node.type) {
    case "string":
      return "STRING";
    case "integer":
      return bounds === "" ? "INTEGER" : `(INTEGER${bounds})`;
    case "number":
      return bounds === "" ? "REAL" : `(REAL${bounds})`;
    case "boolean":
      return "BOOLEAN";
    case "array":
      return "SEQUENCE";
    case "object":
      return "HASH-TABLE";
    case "null":
      return "NULL";
    default:
      return "T";
  }
}

/** What is expected, as the text of a type specifier in COMMON-LISP. */
export function expectedType(nodes: readonly ArgumentSchema[]): string {
  const types = [...new Set(nodes.map(nodeType))];
  return types.length === 1 ? (types[0] ?? "T") : `(OR ${types.join(" ")})`;
}

/** A choice as it is typed: a keyword where one stands for it. */
export function choiceText(choice: unknown): string {
  if (typeof choice === "string" && /^[a-z][a-z0-9-]*$/.test(choice)) return `:${choice}`;
  return lispText(choice as LispJson);
}

/** Most characters of a value that came. */
const shownCharacters = 120;

/** A value as Lisp would be given it, bounded; it says how much is left out. */
export function lispText(value: LispJson | undefined): string {
  return shortened(wholeText(value));
}

function shortened(text: string): string {
  if (text.length <= shownCharacters) return text;
  return `${text.slice(0, shownCharacters).toWellFormed()}… (${text.length - shownCharacters} more characters)`;
}

function wholeText(value: LispJson | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return ":null";
  if (typeof value === "boolean") return value ? "T" : "NIL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
  if (Array.isArray(value)) return `(${["vector", ...value.map(wholeText)].join(" ")})`;
  const entries = Object.entries(value).map(([key, each]) => `${wholeText(key)} ${wholeText(each)}`);
  return `(${["dict", ...entries].join(" ")})`;
}

/** A keyword as it is typed: `discardDirty` in the words of Lisp, other names with capitals keep them. */
export function keywordText(name: string): string {
  if (/^[a-z][A-Za-z0-9]*$/.test(name)) return `:${lispSpelling(name)}`;
  return name === name.toLowerCase() ? `:${name}` : `:|${name}|`;
}

/** `discardDirty` as `discard-dirty`. */
function lispSpelling(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The one of `names` that is meant: itself, or the only one with capitals whose spelling in Lisp it is, with or without hyphens. */
export function spelledName(given: string, names: readonly string[]): string {
  if (names.includes(given)) return given;
  const meant = names.filter(
    (name) => name !== name.toLowerCase() && [lispSpelling(name), name.toLowerCase()].includes(given),
  );
  return meant.length === 1 ? (meant[0] ?? given) : given;
}

export const lispNotation: Notation = {
  name: keywordText,
  value: lispText,
  choice: choiceText,
  boolean: "t or nil",
  array: "a list or (vector …)",
  object: `(dict "key" value …)`,
  null: ":null",
};

export const jsonNotation: Notation = {
  name: (name) => JSON.stringify(name),
  value: (value) => (value === undefined ? "nothing" : shortened(JSON.stringify(value))),
  choice: (choice) => JSON.stringify(choice),
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
};
