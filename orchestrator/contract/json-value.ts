/** JSON values from outside: bounded in depth, because every reader of them walks them on the stack. */
import { z } from "zod";
import { jsonDepthLimit } from "./json-nesting.ts";

type Json = z.infer<ReturnType<typeof z.json>>;

/** A JSON value within {@link jsonDepthLimit}. It is looked at, not copied: `z.json()` makes new schemas for each value it walks. */
export const jsonValueSchema: z.ZodType<Json> = z.custom<Json>((value) => isJson(value, jsonDepthLimit), {
  error: `expected a JSON value that nests at most ${jsonDepthLimit} deep`,
});

/**
 * The value as its JSON text carries it: fields that are undefined are left out.
 *
 * @throws ZodError for what has no JSON text, or nests too deep.
 */
export function jsonOf(value: unknown): Json {
  if (!isWithinDepth(value, jsonDepthLimit)) return jsonValueSchema.parse(value);
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? jsonValueSchema.parse(value) : (JSON.parse(text) as Json);
}

/** Whether arrays and objects nest at most `limit` deep. Looks no deeper than that, and so ends for circular values too. */
export function isWithinDepth(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (limit <= 0) return false;
  return Object.values(value).every((part) => isWithinDepth(part, limit - 1));
}

function isJson(value: unknown, limit: number): value is Json {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (limit <= 0) return false;
  const parts: readonly unknown[] = Array.isArray(value)
    ? value
    : isPlain(value)
      ? Object.values(value)
      : [undefined];
  return parts.every((part) => isJson(part, limit - 1));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
