/** Who owns what a tool call starts. */
import { type ConversationId, type ExecutionId, conversationIdSchema } from "../contract/identifiers.ts";
import type { JobOwner } from "../contract/job-catalog.ts";
import type { ToolContext } from "../contract/tool.ts";

/** The owner of jobs started by a call: the caller's lineage, the caller itself last. */
export function ownerOf({ caller, callId }: Pick<ToolContext, "caller" | "callId">): JobOwner {
  return { lineage: [...caller.lineage], parentCallId: callId };
}

/** A child's conversation is named by its execution. */
export function conversationOf(job: { readonly executionId: ExecutionId }): ConversationId {
  return conversationIdSchema.parse(job.executionId);
}
