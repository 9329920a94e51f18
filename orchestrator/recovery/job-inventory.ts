/**
 * What a dead host left of a conversation's jobs: a pure function of the job journal and of which tool calls have a recorded result.
 * Front ends show it; nothing in it is written anywhere.
 */
import type { ConversationId, ExecutionId } from "../contract/identifiers.ts";
import type { JobKind } from "../contract/job-catalog.ts";
import { type Job, JobTable, type JobStanding, standingOf } from "../jobs/job-table.ts";
import type { IntentRecord, JobRecord } from "../jobs/journal-records.ts";
import { isTerminal } from "../jobs/lifecycle.ts";

/** One job that has not been brought to its end, or whose end its owner has not heard of. */
export type InventoryJob = {
  readonly executionId: ExecutionId;
  readonly name: string;
  readonly kind: JobKind;
  /** `interrupted`: claimed under a host that is dead; its outcome is unknown and it is never run again by itself. */
  readonly standing: JobStanding;
  readonly detached: boolean;
  /** Who is told of the completion. */
  readonly completionOwner: ConversationId;
};

/** A tool call whose intent is recorded and whose result is not. */
export type UnansweredCall = Pick<
  IntentRecord,
  "at" | "conversationId" | "executionId" | "callId" | "tool" | "effects"
> & {
  /**
   * `settled`: the call's own jobs have all ended and their records say how. `unknown`: it may have taken effect completely, partly or
   * not at all.
   */
  readonly outcome: "settled" | "unknown";
  /** Jobs that the call started. */
  readonly jobs: readonly ExecutionId[];
};

/** A message that a child accepted and its conversation does not hold: it was never read. */
export type UnreadMessage = {
  readonly executionId: ExecutionId;
  readonly messageId: string;
  readonly from: "parent" | "person";
  readonly text: string;
};

export type JobInventory = {
  /** Those that nobody has decided about yet. */
  readonly interrupted: readonly InventoryJob[];
  readonly queued: readonly InventoryJob[];
  /** Detached jobs that have ended and whose completion no owner has received. */
  readonly undelivered: readonly InventoryJob[];
  readonly unanswered: readonly UnansweredCall[];
  /** Messages for interrupted children that they had not read. */
  readonly unread: readonly UnreadMessage[];
};

/** The jobs of a journal as they stand when nobody works on them: what was claimed and has not settled is interrupted. */
export function replayJobs(records: readonly JobRecord[], conversationId: ConversationId): JobTable {
  const table = new JobTable();
  for (const record of records) table.apply(record, conversationId);
  for (const job of table.all()) if (job.life.state === "running") job.interrupted = true;
  return table;
}

/**
 * The inventory. `hasResult` answers whether a conversation holds the result of a call, `hasReceipt` whether a child's holds that it read a
 * message.
 */
export function jobInventory(
  records: readonly JobRecord[],
  table: JobTable,
  hasResult: (conversationId: ConversationId, callId: string) => boolean,
  hasReceipt: (executionId: ExecutionId, messageId: string) => boolean = () => false,
): JobInventory {
  const jobs = table.all();
  return {
    interrupted: jobs
      .filter((job) => standingOf(job) === "interrupted" && job.decision === undefined)
      .map(inventoryJob),
    queued: jobs.filter((job) => job.life.state === "queued").map(inventoryJob),
    undelivered: jobs
      .filter((job) => job.detached && !job.delivered && isTerminal(job.life.state))
      .map(inventoryJob),
    unanswered: unansweredCalls(records, hasResult),
    unread: records.flatMap((record) => {
      if (record.kind !== "steered") return [];
      const { executionId, messageId, from, text } = record;
      const isInterrupted = table.get(executionId)?.interrupted === true;
      return isInterrupted && !hasReceipt(executionId, messageId)
        ? [{ executionId, messageId, from, text }]
        : [];
    }),
  };
}

function inventoryJob(job: Job): InventoryJob {
  const { executionId, name, kind, detached, completionOwner } = job;
  return { executionId, name, kind, standing: standingOf(job), detached, completionOwner };
}

function unansweredCalls(
  records: readonly JobRecord[],
  hasResult: (conversationId: ConversationId, callId: string) => boolean,
): readonly UnansweredCall[] {
  const open = new Map<string, { intent: IntentRecord; jobs: ExecutionId[] }>();
  const settled = new Set<ExecutionId>();
  for (const record of records) {
    if (record.kind === "settled") settled.add(record.executionId);
    if (record.kind === "intent" && !hasResult(record.conversationId, record.callId))
      open.set(callKey(record.executionId, record.callId), { intent: record, jobs: [] });
    if (record.kind === "admitted" && record.owner.parentCallId !== undefined)
      open
        .get(callKey(record.owner.lineage.at(-1), record.owner.parentCallId))
        ?.jobs.push(record.executionId);
  }
  return [...open.values()].map(({ intent, jobs }) => {
    const { at, conversationId, executionId, callId, tool, effects } = intent;
    const known = jobs.length > 0 && jobs.every((job) => settled.has(job));
    return {
      at,
      conversationId,
      ...(executionId === undefined ? {} : { executionId }),
      callId,
      tool,
      effects,
      outcome: known ? "settled" : "unknown",
      jobs,
    };
  });
}

function callKey(executionId: ExecutionId | undefined, callId: string): string {
  return `${executionId ?? ""} ${callId}`;
}
