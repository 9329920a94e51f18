/** JSON values from outside: bounded in depth, because every reader of them walks them on the stack. */
import { z } from "zod";
import { jsonDepthLimit } from "./json-nesting.ts";

type Json = z.infer<ReturnType<typeof z.json>>;

/** A JSON value within {@link jsonDepthLimit}. */
export const jsonValueSchema: z.ZodType<Json> = z
  .custom<Json>((value) => isWithinDepth(value, jsonDepthLimit), {
    error: `expected a JSON value that nests at most ${jsonDepthLimit} deep`,
    abort: true,
  })
  .pipe(z.json());

/** Whether arrays and objects nest at most `limit` deep. Looks no deeper than that, and so ends for circular values too. */
export function isWithinDepth(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (limit <= 0) return false;
  return Object.values(value).every((part) => isWithinDepth(part, limit - 1));
}
