import { z } from "zod";

const line = z.int().min(1);
const anchor = z
  .string()
  .regex(/^[0-9a-f]{4}$/)
  .describe("The four hex digits shown for the line; checked when given.");
const content = z
  .string()
  .max(8_388_608)
  .describe("The new lines. The last line end may be left out; an empty text is one empty line.");

/** One operation on a text file. Line numbers are those of the base revision. */
export const editOperationSchema = z.discriminatedUnion("operation", [
  z.strictObject({
    operation: z.literal("replace-lines"),
    "start-line": line,
    "end-line": line,
    content,
    "start-anchor": anchor.optional(),
    "end-anchor": anchor.optional(),
  }),
  z.strictObject({
    operation: z.literal("delete-lines"),
    "start-line": line,
    "end-line": line,
    "start-anchor": anchor.optional(),
    "end-anchor": anchor.optional(),
  }),
  z.strictObject({ operation: z.literal("insert-before"), line, content, anchor: anchor.optional() }),
  z.strictObject({ operation: z.literal("insert-after"), line, content, anchor: anchor.optional() }),
  z.strictObject({
    operation: z.literal("replace-empty"),
    content: z.string().max(8_388_608).describe("The whole content of a new or empty file, taken exactly."),
  }),
]);

export type EditOperation = z.infer<typeof editOperationSchema>;
