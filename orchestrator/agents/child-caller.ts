/** Who a child is when it calls tools. */
import type { ToolCaller } from "../contract/caller.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import { conversationOf } from "../jobs/ownership.ts";
import type { JobExecution } from "../jobs/supervisor.ts";

export function callerOf(job: JobExecution<"agent">, rootConversationId: ConversationId): ToolCaller {
  return {
    kind: "child",
    conversationId: conversationOf(job),
    rootConversationId,
    executionId: job.executionId,
    lineage: [...job.owner.lineage, job.executionId],
    position: job.payload.position,
    jobName: job.name,
    depth: job.payload.depth,
    role: job.payload.role,
  };
}
