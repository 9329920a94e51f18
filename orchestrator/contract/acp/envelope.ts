/** How `_autolith/*` requests are answered: an outcome, with the value on success and a bounded report otherwise. */
import { z } from "zod";

/** In front of every extension method and notification. */
export const extensionPrefix = "_autolith/";

/** The version of the extension's schemas; raised when a client of the version before could not read them. */
export const extensionSchemaVersion = 1;

/** Most UTF-8 bytes of one typed response (manual). */
export const envelopeByteLimit = 262_144;

/** Most characters of a report. */
export const reportLimit = 2_000;

/** The outcomes that are not `ok`. `condition`: it failed; `busy`: a primary operation runs; `unsupported`: not here; `cancelled`: it was stopped. */
export const refusalOutcomeSchema = z.enum(["condition", "busy", "unsupported", "cancelled"]);
export type RefusalOutcome = z.infer<typeof refusalOutcomeSchema>;

/** Why there is no value. `code` is stable; `report` is for people. */
export const refusalSchema = z.object({
  outcome: refusalOutcomeSchema,
  code: z.string(),
  report: z.string().max(reportLimit),
});
export type Refusal = z.infer<typeof refusalSchema>;

/** The envelope around a method's value. */
export type Envelope<Value> = { readonly outcome: "ok"; readonly value: Value } | Refusal;

/** The envelope of a method whose value has that schema. */
export function envelopeSchema<Value>(value: z.ZodType<Value>): z.ZodType<Envelope<Value>> {
  return z.union([z.object({ outcome: z.literal("ok"), value }), refusalSchema]) as z.ZodType<
    Envelope<Value>
  >;
}
