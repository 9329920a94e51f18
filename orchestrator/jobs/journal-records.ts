/**
 * The records of a conversation's job journal: the authority on admissions, effect intents, settlements, deliveries and decisions
 * (design.md section 3). Everything else about a job is a projection of these.
 */
import { z } from "zod";
import { jsonValueSchema } from "../contract/json-value.ts";
import { failureSchema } from "../contract/failure.ts";
import {
  claimTokenSchema,
  conversationIdSchema,
  executionIdSchema,
  jobNameSchema,
} from "../contract/identifiers.ts";
import {
  cancelReasonSchema,
  completionPolicySchema,
  jobKindSchema,
  ownerSchema,
} from "../contract/job-catalog.ts";

/** Epoch milliseconds. */
const instant = z.number().int().nonnegative();

const admitted = z.strictObject({
  kind: z.literal("admitted"),
  at: instant,
  executionId: executionIdSchema,
  name: jobNameSchema,
  /** Session-wide counter shared by children and executions, from 1. */
  order: z.number().int().positive(),
  jobKind: jobKindSchema,
  /** Validated against the catalog's payload schema on both sides. */
  payload: jsonValueSchema,
  owner: ownerSchema,
  detached: z.boolean(),
  completionPolicy: completionPolicySchema,
  /** Conversation that receives the completion. */
  completionOwner: conversationIdSchema,
  /** Relative limit counted from the claim, or absent. */
  timeoutMs: z.number().int().positive().optional(),
  idempotencyKey: z.string().min(1).max(256).optional(),
});

const claimed = z.strictObject({
  kind: z.literal("claimed"),
  at: instant,
  executionId: executionIdSchema,
  claimToken: claimTokenSchema,
  attempt: z.number().int().positive(),
  deadlineAt: instant.optional(),
});

const handedOff = z.strictObject({
  kind: z.literal("handed-off"),
  at: instant,
  executionId: executionIdSchema,
});

const cancelRequested = z.strictObject({
  kind: z.literal("cancel-requested"),
  at: instant,
  executionId: executionIdSchema,
  reason: cancelReasonSchema,
});

const settled = z.strictObject({
  kind: z.literal("settled"),
  at: instant,
  executionId: executionIdSchema,
  claimToken: claimTokenSchema.optional(),
  state: z.enum(["completed", "failed", "aborted"]),
  failure: failureSchema.optional(),
  cancelReason: cancelReasonSchema.optional(),
  /** The kind's result when it is small; larger ones live in the execution's `result.sexp`. */
  result: jsonValueSchema.optional(),
});

const intent = z.strictObject({
  kind: z.literal("intent"),
  at: instant,
  /** The calling agent's execution; absent for the primary. */
  executionId: executionIdSchema.optional(),
  conversationId: conversationIdSchema,
  callId: z.string().min(1).max(256),
  tool: z.string().min(1).max(128),
  effects: z.enum(["none", "local", "external"]),
});

const delivered = z.strictObject({
  kind: z.literal("delivered"),
  at: instant,
  executionId: executionIdSchema,
  conversationId: conversationIdSchema,
});

const steered = z.strictObject({
  kind: z.literal("steered"),
  at: instant,
  /** The child that is to read it. */
  executionId: executionIdSchema,
  /** The receipt that the child's conversation holds once it was read. */
  messageId: z.string().min(1).max(64),
  from: z.enum(["parent", "person"]),
  text: z.string(),
});

const decided = z.strictObject({
  kind: z.literal("decided"),
  at: instant,
  /** A job that its host died under. */
  executionId: executionIdSchema,
  decision: z.enum(["abandoned", "revived"]),
});

export const jobRecordSchema = z.discriminatedUnion("kind", [
  admitted,
  claimed,
  handedOff,
  cancelRequested,
  settled,
  intent,
  delivered,
  decided,
  steered,
]);

export type JobRecord = z.infer<typeof jobRecordSchema>;
export type AdmittedRecord = z.infer<typeof admitted>;
export type SettledRecord = z.infer<typeof settled>;
export type IntentRecord = z.infer<typeof intent>;

/** Where job records go. `append` resolves when the records survive the death of this process; with `sync` when they survive loss of power. */
export interface JobJournal {
  append(records: readonly JobRecord[], options?: { readonly sync?: boolean }): Promise<void>;
}

/** Largest result kept inside a settled record, in characters of its JSON text. */
export const inlineResultLimit = 16_384;
