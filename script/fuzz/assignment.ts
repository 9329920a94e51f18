/** What a campaign and the processes that run its cases say to each other. */
import { z } from "zod";

/** Cases `from` up to but not including `to` of one subject. */
export const assignmentSchema = z.strictObject({
  subject: z.string(),
  seed: z.int(),
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  /** The process says before which case it stands whenever the number is a multiple of this. */
  progressEvery: z.int().positive(),
  /** Most processor time of one case, in milliseconds. */
  caseMs: z.int().positive(),
});
export type Assignment = z.infer<typeof assignmentSchema>;

/** Violations as they happen, and the figures at the end. */
export const reportSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("progress"), number: z.int() }),
  z.strictObject({ kind: z.literal("violation"), number: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal("done"), slowestMs: z.number(), peakBytes: z.number() }),
]);
export type Report = z.infer<typeof reportSchema>;
