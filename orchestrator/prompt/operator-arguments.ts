/** Arguments that Lisp gave an operator, as the operator takes them: named ones of tools, the text behind a command's name. Pure. */
import { z } from "zod";
import { AutolithError } from "../contract/failure.ts";
import type { HostCall, LispJson } from "../contract/lisp-image.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import type { Command } from "../sessions/commands/command.ts";
import { argumentSchema, keywordText, lispText, spelledName } from "./argument-types.ts";
import { exampleCall } from "./example-calls.ts";

type Call = Pick<HostCall, "keywords">;

/** `(:name value …)` as an object. Names may be strings. Throws `invalid-argument`. */
export function namedArguments(
  tool: ToolDeclaration,
  args: readonly LispJson[],
  call: Call,
): Readonly<Record<string, LispJson>> {
  const named: Record<string, LispJson> = {};
  const names = tool.arguments instanceof z.ZodObject ? Object.keys(tool.arguments.shape) : [];
  for (let index = 0; index < args.length; index += 2) {
    const name = args[index];
    if (typeof name !== "string" || (!call.keywords.includes(index) && !isArgument(tool, name)))
      throw new AutolithError(
        "invalid-argument",
        `${tool.name} takes :name value pairs; ${lispText(name)} at place ${index + 1} is no name.${exampleOf(tool)}`,
        { details: { problem: "malformed" } },
      );
    const value = args[index + 1];
    if (value === undefined)
      throw new AutolithError(
        "invalid-argument",
        `${tool.name}: ${keywordText(name)} has no value behind it.${exampleOf(tool)}`,
        { details: { problem: "malformed", argument: name } },
      );
    const meant = spelledName(name, names);
    if (!Object.hasOwn(named, meant)) named[meant] = fitting(tool, meant, value);
  }
  return named;
}

function exampleOf(tool: ToolDeclaration): string {
  return `\nExample: ${exampleCall(tool.name, argumentSchema(tool.arguments)).text}`;
}

function isArgument({ arguments: schema }: ToolDeclaration, name: string): boolean {
  return schema instanceof z.ZodObject ? Object.hasOwn(schema.shape, name) : true;
}

/** NIL is false, and also the empty list: what it is here the argument's own schema says. */
function fitting({ arguments: schema }: ToolDeclaration, name: string, value: LispJson): LispJson {
  if (value !== false || !(schema instanceof z.ZodObject)) return value;
  const declared: unknown = (schema.shape as Readonly<Record<string, unknown>>)[name];
  return unwrapped(declared) instanceof z.ZodArray ? [] : value;
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap())
    : schema;
}

/** Native arguments as the text that a command takes behind its name. */
export function commandText(command: Command, args: readonly LispJson[], call: Call): string {
  return args
    .map((arg, index) => wordOf(arg, call.keywords.includes(index), command.quotes === true))
    .join(" ")
    .trim();
}

function wordOf(arg: LispJson, isKeyword: boolean, quotes: boolean): string {
  if (isKeyword && typeof arg === "string") return `:${arg}`;
  if (arg === true) return "t";
  if (arg === false || arg === null) return "nil";
  if (typeof arg === "number") return String(arg);
  if (Array.isArray(arg)) return `(${arg.map((each: LispJson) => wordOf(each, false, quotes)).join(" ")})`;
  if (typeof arg !== "string") return lispText(arg);
  return quotes ? `"${arg.replaceAll(/["\\]/g, "\\$&")}"` : arg;
}
