/** Persistent corrections made of complaints: what a model proposes, and what a person saves of it. */
import { z } from "zod";

/** Most characters of a complaint. */
export const complaintLimit = 8_000;

const text = (most: number): z.ZodString => z.string().trim().min(1).max(most);

/** A correction that is not saved yet; every part may be amended. The bounds are those of a context rule. */
export const correctionCandidateSchema = z.strictObject({
  /** Names it; a correction of the same id is replaced, one of the workspace hides the global one. */
  id: text(128),
  /** What the model is told in requests to which the trigger applies. */
  instruction: text(4_000),
  /** A text that is looked for, as it is and in any case, in what the model wrote last: its words and the arguments of its calls. */
  trigger: text(512),
});
export type CorrectionCandidate = z.infer<typeof correctionCandidateSchema>;

export const correctionScopeSchema = z.enum(["workspace", "global"]);
export type CorrectionScope = z.infer<typeof correctionScopeSchema>;

export const correctionProposalSchema = z.strictObject({
  candidate: correctionCandidateSchema,
  /** Whether the trigger occurs in what the model wrote last. */
  matched: z.boolean(),
  /** Scopes in which a correction of this id is saved already. */
  existing: z.array(correctionScopeSchema),
});
export type CorrectionProposal = z.infer<typeof correctionProposalSchema>;

export const correctionSaveSchema = z.strictObject({
  candidate: correctionCandidateSchema,
  scope: correctionScopeSchema,
  /** Save it although its trigger does not occur in what the model wrote last. */
  confirmUnmatched: z.boolean().optional(),
  /** Save it in place of the one of its id. */
  confirmReplace: z.boolean().optional(),
});
export type CorrectionSave = z.infer<typeof correctionSaveSchema>;

export const savedCorrectionSchema = z.strictObject({
  id: z.string(),
  scope: correctionScopeSchema,
  /** The file that holds it; absolute. */
  path: z.string(),
  replaced: z.boolean(),
});
export type SavedCorrection = z.infer<typeof savedCorrectionSchema>;

/** Corrections of one session. */
export interface Corrections {
  /** Asks a model for a correction. Rejects with `correction-unreadable`, `cancelled`, and codes of model requests. */
  propose(complaint: string, signal?: AbortSignal): Promise<CorrectionProposal>;
  /** Ends the proposals that are being made; false when none is. */
  cancel(): boolean;
  /**
   * Saves one; it holds from the next request on, in every session of the data root. Rejects with `correction-unmatched` and `correction-exists`
   * until these are confirmed, with `context-rule-limit` and `context-rules-unreadable`.
   */
  save(request: CorrectionSave): Promise<SavedCorrection>;
}
