/** A job that is not in memory any more, from the files of its execution directory. */
import { executionIdSchema, jobNameSchema, conversationIdSchema } from "../contract/identifiers.ts";
import { jobCatalog, type JobKind } from "../contract/job-catalog.ts";
import type { Job } from "../jobs/job-table.ts";
import { instantOf } from "../record/conversation-record.ts";
import type { ContinuityRecord, TerminalRecord } from "../record/execution-records.ts";

/**
 * The job that a continuity record speaks of. Without a terminal record it is interrupted: it was under way when its host died, or its
 * end could not be written. Throws a ZodError for a specification that fits no kind of job.
 */
export function jobOfContinuity(record: ContinuityRecord, terminal: TerminalRecord | undefined): Job {
  const executionId = executionIdSchema.parse(record.executionId);
  const kind = kindOf(record);
  return {
    executionId,
    conversationId: conversationIdSchema.parse(record.rootConversation),
    name: jobNameSchema.parse(record.jobId),
    order: Number(/\d+$/.exec(record.jobId)?.[0] ?? 0),
    kind,
    payload: jobCatalog[kind].payload.parse(record.specification),
    owner: {
      lineage: record.ownerExecutionIds.map((id) => executionIdSchema.parse(id)),
      ...(record.parentCallId === undefined ? {} : { parentCallId: record.parentCallId }),
    },
    completionPolicy: record.completionPolicy,
    completionOwner: conversationIdSchema.parse(record.completionOwnerConversation),
    timeoutMs: undefined,
    admittedAt: instantOf(record.createdAt),
    detached: record.detached,
    life: {
      executionId,
      state: terminal?.state ?? "running",
      attempt: 1,
      claimToken: undefined,
      cancelReason: undefined,
    },
    claimedAt: undefined,
    settledAt: terminal === undefined ? undefined : instantOf(terminal.endedAt),
    cancelReason: undefined,
    delivered: false,
    decision: undefined,
    interrupted: terminal === undefined,
  };
}

function kindOf({ kind, specification }: ContinuityRecord): JobKind {
  if (kind === "task") return "agent";
  return jobCatalog.shell.payload.safeParse(specification).success ? "shell" : "lisp";
}
