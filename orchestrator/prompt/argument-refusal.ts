/** Refuses arguments of a tool that a form called, as Lisp refuses arguments: which one, what was expected, what came, and a call that would do. Pure. */
import type { z } from "zod";
import { AutolithError, type Failure } from "../contract/failure.ts";
import type { LispJson } from "../contract/lisp-image.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import {
  type ArgumentSchema,
  argumentSchema,
  type Notation,
  expectedType,
  expectedWords,
  jsonNotation,
  lispNotation,
  schemaAt,
} from "./argument-types.ts";

import { dictExample, exampleCall } from "./example-calls.ts";

type Arguments = Readonly<Record<string, LispJson>>;
type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];

/** What was wrong with the first argument, and how Lisp signals it: `missing` and `unknown` as program-error, `type` as type-error. */
type Problem = {
  readonly text: string;
  readonly details: NonNullable<Failure["details"]>;
};

/** Throws `invalid-arguments` when the tool does not take them; the details say what is wrong with the first one. */
export function checkToolArguments(tool: ToolDeclaration, args: Arguments): void {
  const checked = tool.arguments.safeParse(args);
  if (!checked.success) throw refusal(tool, tool.arguments, args, checked.error);
  const shaped = tool.shapes?.safeParse(args);
  if (tool.shapes !== undefined && shaped?.success === false)
    throw refusal(tool, tool.shapes, args, shaped.error);
}

function refusal(
  tool: ToolDeclaration,
  declared: z.ZodType,
  args: Arguments,
  error: z.ZodError,
): AutolithError {
  const schema = argumentSchema(declared);
  const call: Call = { operator: tool.name, schema, args, notation: lispNotation };
  const { texts, details } = told(call, error);
  return new AutolithError(
    "invalid-arguments",
    [...texts, `Example: ${exampleCall(tool.name, schema).text}`].join("\n"),
    { details },
  );
}

/** The same about a call whose arguments came as JSON, of a model or a client. `declared`: the schema that refused them. */
export function jsonArgumentProblem(
  operator: string,
  declared: z.ZodType,
  args: unknown,
  error: z.ZodError,
): string {
  const schema = argumentSchema(declared);
  const call: Call = { operator, schema, args: args as Arguments, notation: jsonNotation };
  const example = JSON.stringify(exampleCall(operator, schema).args);
  return [...told(call, error).texts, `Example of its arguments: ${example}`].join("\n");
}

/** A call that was refused. */
type Call = {
  readonly operator: string;
  readonly schema: ArgumentSchema;
  readonly args: Arguments;
  readonly notation: Notation;
};

/** Most problems of one call that are told. */
const toldProblems = 8;

function told(
  call: Call,
  error: z.ZodError,
): { readonly texts: readonly string[]; readonly details: Problem["details"] } {
  const problems = error.issues.flatMap(closest).map((issue) => problemOf(call, issue));
  const texts = [...new Set(problems.map(({ text }) => text))];
  const more = texts.length - toldProblems;
  return {
    texts: more > 0 ? [...texts.slice(0, toldProblems), `… (${more} more problems)`] : texts,
    details: problems[0]?.details ?? {},
  };
}

/** The issues of the alternative that comes closest. */
function closest(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const [best = []] = issue.errors.toSorted((left, right) => left.length - right.length);
  // Alternatives of one place: the place is named with all of them.
  if (best.every(({ path }) => path.length === 0) && issue.path.length > 0) return [issue];
  return best.flatMap((inner) => closest({ ...inner, path: [...issue.path, ...inner.path] }));
}

function problemOf(call: Call, issue: Issue): Problem {
  const { operator, schema, args, notation } = call;
  const path = issue.path.filter((step): step is string | number => typeof step !== "symbol");
  const [name] = path;
  const argument = typeof name === "string" ? name : undefined;
  if (issue.code === "unrecognized_keys") return unknownProblem(call, path, issue.keys);
  if (issue.code === "custom")
    return { text: `${operator}: ${issue.message}`, details: { problem: "value", ...argumentOf(argument) } };
  const nodes = schemaAt(schema, path);
  const expected = expectedWords(nodes, notation);
  const came = valueAt(args, path);
  // Of the right type, and too long or too short.
  const isSize = (issue.code === "too_big" || issue.code === "too_small") && typeof came !== "number";
  if (came === undefined)
    return {
      text: `${operator} needs ${placeText(path, notation)}, ${expected}; nothing came for it.`,
      details: { problem: "missing", ...argumentOf(argument) },
    };
  const shown = isSize && Array.isArray(came) ? `${came.length} elements` : notation.value(came);
  const shape = Array.isArray(came) && notation === lispNotation ? objectShape(nodes) : "";
  return {
    text: `${operator} takes ${expected} for ${placeText(path, notation)}, not ${shown}.${shape}`,
    details: {
      problem: isSize ? "value" : "type",
      ...argumentOf(argument),
      ...(isSize ? {} : { "expected-type": expectedType(nodes) }),
      // The image has the value itself when it is a whole argument.
      ...(path.length > 1 ? { datum: came as NonNullable<Failure["details"]>[string] } : {}),
    },
  };
}

/** How an object is written for which a list came; nothing where none is expected. */
function objectShape(nodes: readonly ArgumentSchema[]): string {
  const example = nodes.map(dictExample).find((each) => each !== undefined);
  return example === undefined ? "" : ` Write it as ${example}.`;
}

function unknownProblem({ operator, schema, notation }: Call, path: Path, keys: readonly string[]): Problem {
  const known = schemaAt(schema, path).flatMap(({ properties }) => Object.keys(properties ?? {}));
  const typed = path.length === 0 ? notation.name : (key: string) => `"${key}"`;
  const takes =
    known.length === 0 ? "It takes none." : `It takes ${[...new Set(known)].map(typed).join(", ")}.`;
  const where = path.length === 0 ? operator : `${operator}, ${placeText(path, notation)},`;
  const what = path.length === 0 ? "argument" : "key";
  return {
    text: `${where} has no ${what} ${keys.map(typed).join(", ")}. ${takes}`,
    details: { problem: "unknown", ...argumentOf(path.length === 0 ? keys[0] : String(path[0])) },
  };
}

function argumentOf(argument: string | undefined): { readonly argument?: string } {
  return argument === undefined ? {} : { argument };
}

/** `:STEPS`, and what is meant within it. */
function placeText([name = "", ...within]: Path, notation: Notation): string {
  const inner = within.map((step) => (typeof step === "number" ? `element ${step}` : `"${step}"`));
  return [notation.name(String(name)), ...inner].join(" ");
}

function valueAt(args: Arguments, path: Path): LispJson | undefined {
  return path.reduce<LispJson | undefined>((value, step) => {
    if (typeof value !== "object" || value === null) return undefined;
    return (value as Readonly<Record<string | number, LispJson>>)[step];
  }, args);
}
