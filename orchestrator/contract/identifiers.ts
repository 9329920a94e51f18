/** Identifiers that cross boundaries. Visible names are for people; durable references use execution ids. */
import { randomUUID } from "node:crypto";
import { z } from "zod";

/** Version-4 UUID in lower case: one execution of one job, the name of its artifact directory. */
export const executionIdSchema = z.uuid().toLowerCase().brand<"ExecutionId">();
export type ExecutionId = z.infer<typeof executionIdSchema>;

/** Seven Base58 characters without the display hyphen (facts C.1), or a child's execution UUID: children's conversations are named by their execution. */
export const conversationIdSchema = z
  .string()
  .regex(
    /^(?:[1-9A-HJ-NP-Za-km-z]{7}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
    "expected the id of a conversation, such as b6uouHJ",
  )
  .brand<"ConversationId">();
export type ConversationId = z.infer<typeof conversationIdSchema>;

/** Unguessable proof of a claim, needed to settle. */
export const claimTokenSchema = z.string().min(8).max(128).brand<"ClaimToken">();
export type ClaimToken = z.infer<typeof claimTokenSchema>;

/** Visible job name: `clear-otter-3` for children, `exec:4` for supervised executions. */
export const jobNameSchema = z.string().min(1).max(80).brand<"JobName">();
export type JobName = z.infer<typeof jobNameSchema>;

/** A fresh execution id. */
export function newExecutionId(): ExecutionId {
  return executionIdSchema.parse(randomUUID());
}
