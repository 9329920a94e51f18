/** Forms of the prompt: what is shown of them, what their restarts are, and what a person may do about a condition. */
import { z } from "zod";

/** `values`: it returned. `condition`: nobody handled one. `lost`: the image, or the host, ended first; it is never run again. `never-begun`: the host ended
 * or it was cancelled before it began; it did nothing, and is not run later. `quit`: it left the image. */
export const formStatusSchema = z.enum(["values", "condition", "cancelled", "lost", "never-begun", "quit"]);
export type FormStatus = z.infer<typeof formStatusSchema>;

/** Most values of one form that are shown and kept, characters of each, and characters of its output. */
export const formValueLimit = 64;
export const formValueCharacters = 8_000;
export const formReportCharacters = 65_536;
export const formOutputCharacters = 65_536;

/** A returned value as it was printed for the width of whoever asked. */
export const formValueSchema = z.strictObject({
  text: z.string(),
  /** The report of a tool or command: its text, not a string in quotes. */
  report: z.boolean(),
  /** The value is larger than what is shown. */
  cut: z.boolean(),
  /** How much is left out, as text such as `9500 more elements`; records of earlier versions lack it. */
  omitted: z.string().optional(),
});
export type FormValue = z.infer<typeof formValueSchema>;

export const formConditionSchema = z.strictObject({
  /** Printed type: `TYPE-ERROR`. */
  type: z.string(),
  text: z.string(),
  /** What the condition itself knows: the datum, the expected type, the operation, the file, the place. */
  details: z.array(z.strictObject({ name: z.string(), value: z.string() })),
});
export type FormCondition = z.infer<typeof formConditionSchema>;

/** What came of a form. The same text is shown live and in every replay. */
export const formResultSchema = z.strictObject({
  status: formStatusSchema,
  values: z.array(formValueSchema).max(formValueLimit),
  /** Values beyond those. */
  omittedValues: z.int().nonnegative(),
  /** Captured output, the first {@link formOutputCharacters} of it. */
  output: z.string(),
  omittedOutput: z.int().nonnegative(),
  condition: formConditionSchema.optional(),
  /** Why it ended when it did not return. */
  reason: z.string().optional(),
  durationMs: z.number().nonnegative(),
});
export type FormResult = z.infer<typeof formResultSchema>;

/** How wide the front end shows values, in columns. */
export const columnsSchema = z.int().min(20).max(1_000);
