import { parseForeignJson } from "../contract/json-nesting.ts";
import { isWithinDepth } from "../contract/json-value.ts";

/** A JSON value as a model may write it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * Nesting of arguments; a number has depth 0, `[1]` depth 1. Arguments go into records as data forms, where an object takes two
 * levels of the 128 that a reader accepts.
 */
export const toolArgumentDepth = 60;

/** The arguments of a call: an object, or why they are none. */
export type ToolArguments =
  | { readonly ok: true; readonly value: { readonly [key: string]: JsonValue } }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the argument text of a complete call. Text without content means no arguments. Nothing is repaired: text that
 * is not a JSON object is reported, so that the model gets an error result instead of a call it did not make.
 */
export function parseToolArguments(text: string): ToolArguments {
  if (text.trim() === "") return { ok: true, value: {} };
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      problem:
        `The arguments are not valid JSON (${reason}); ${text.length} characters arrived. ` +
        "The call was not executed. Send the whole call again.",
    };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    return {
      ok: false,
      problem: `The arguments must be a JSON object, but ${kind} came. Nothing was executed.`,
    };
  }
  if (!isWithinDepth(value, toolArgumentDepth)) {
    return {
      ok: false,
      problem: `The arguments nest deeper than ${toolArgumentDepth} arrays and objects. Nothing was executed.`,
    };
  }
  if (holdsProto(value)) {
    return {
      ok: false,
      problem: 'A member named "__proto__" cannot be kept. Nothing was executed. Use another name.',
    };
  }
  return { ok: true, value: value as { [key: string]: JsonValue } };
}

/** Whether an object anywhere in a parsed value has a member that schema checks drop without a word. */
function holdsProto(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(holdsProto);
}
