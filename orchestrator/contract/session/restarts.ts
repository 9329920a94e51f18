/** The restart debugger: conditions that wait for a person, what may be done about them, and what a model advises. */
import { z } from "zod";
import { formConditionSchema } from "./forms.ts";

/** Most characters of Lisp that a person gives to a restart, or a recovery holds. */
export const restartSourceLimit = 65_536;

export const liveRestartSchema = z.strictObject({
  /** Chooses it; as long as the request is open. */
  index: z.int().nonnegative(),
  /** Symbol name, `USE-VALUE`; "" when it has none. */
  name: z.string(),
  text: z.string(),
  /** Its lambda list as text, without parentheses; absent when it takes no arguments. */
  parameters: z.string().optional(),
});
export type LiveRestart = z.infer<typeof liveRestartSchema>;

/** A form whose condition nobody handled. Its stack and restarts stay as they are until somebody chooses. */
export const restartRequestSchema = z.strictObject({
  /** Unique in this host. */
  requestId: z.string(),
  formId: z.string(),
  source: z.string(),
  condition: formConditionSchema,
  /** Innermost first. */
  restarts: z.array(liveRestartSchema),
  askedAt: z.number(),
});
export type RestartRequest = z.infer<typeof restartRequestSchema>;

const source = z.string().max(restartSourceLimit);

/** What to do about a condition. Nothing undoes what the form did before. */
export const restartChoiceSchema = z.discriminatedUnion("kind", [
  /** Invokes a live restart. `argument`: a Lisp form for each argument that it takes, for restarts such as USE-VALUE. */
  z.strictObject({ kind: z.literal("restart"), index: z.int().nonnegative(), argument: source.optional() }),
  /** Ends the form with its condition. */
  z.strictObject({ kind: z.literal("abort") }),
  /** Evaluates the whole form again. */
  z.strictObject({ kind: z.literal("retry") }),
  /** Ends the form with the values of another one. */
  z.strictObject({ kind: z.literal("values"), source }),
  /** Does what a recovery of the last diagnosis says, its repair first. */
  z.strictObject({ kind: z.literal("recovery"), index: z.int().nonnegative() }),
]);
export type RestartChoice = z.infer<typeof restartChoiceSchema>;

/** Most recoveries of a diagnosis (manual). */
export const recoveryLimit = 3;

/** One way out, as a model proposes it; nothing of it happens until a person chooses it. */
export const recoverySchema = z.strictObject({
  title: z.string().min(1).max(200),
  reason: z.string().max(2_000).default(""),
  /** Lisp that is evaluated first, in the active image. */
  repair: source.optional(),
  action: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("restart"), index: z.int().nonnegative(), argument: source.optional() }),
    z.strictObject({ kind: z.literal("abort") }),
    z.strictObject({ kind: z.literal("retry") }),
    z.strictObject({ kind: z.literal("values"), source }),
  ]),
});
export type Recovery = z.infer<typeof recoverySchema>;

export const diagnosisSchema = z.strictObject({
  requestId: z.string(),
  /** Why it failed. */
  explanation: z.string().max(8_000),
  recoveries: z.array(recoverySchema).max(recoveryLimit),
});
export type Diagnosis = z.infer<typeof diagnosisSchema>;
