/**
 * Brings the jobs of a conversation whose host died into the hands of a new one: settlements that were only half recorded are
 * completed, what never began is aborted or left to be enqueued, what had begun is interrupted and never begins again.
 */
import type { ConversationId, ExecutionId } from "../contract/identifiers.ts";
import type { Job, JobTable } from "../jobs/job-table.ts";
import type { JobJournal, JobRecord, SettledRecord } from "../jobs/journal-records.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { settledRecord } from "../jobs/settled-record.ts";
import type { ExecutionDirectory } from "../record/execution-directory.ts";
import { universalTime } from "../record/conversation-record.ts";
import { replayJobs } from "./job-inventory.ts";
import { publishedOutcome, restoreFiles } from "./published-outcome.ts";
import { recoveryDecision } from "./recovery-decision.ts";

export type RecoveryParts = {
  readonly conversationId: ConversationId;
  /** Everything the journal holds, in order. */
  readonly records: readonly JobRecord[];
  readonly journal: JobJournal;
  readonly directoryOf: (job: Job) => ExecutionDirectory;
  /** Writes the durable result of a job that ends now. */
  readonly publish: (job: Job, outcome: Outcome<unknown>) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type RecoveredJobs = {
  readonly table: JobTable;
  /** The journal with what recovery added to it. */
  readonly records: readonly JobRecord[];
  /** Idempotency keys of all admissions. */
  readonly keys: ReadonlyMap<string, ExecutionId>;
};

/** Replays the journal, settles what can be settled and restores files of settled jobs that are missing. The records it adds are synced when it resolves. */
export async function recoverJobs(parts: RecoveryParts): Promise<RecoveredJobs> {
  const { conversationId, journal } = parts;
  const table = replayJobs(parts.records, conversationId);
  const added: SettledRecord[] = [];
  for (const record of parts.records) {
    const job = record.kind === "settled" ? table.get(record.executionId) : undefined;
    if (record.kind === "settled" && job !== undefined)
      await restoreFiles(job, record, parts.directoryOf(job), parts);
  }
  for (const job of table.all()) {
    const record = await settledNow(job, parts);
    if (record !== undefined) added.push(record);
  }
  if (added.length > 0) await journal.append(added, { sync: true });
  for (const record of added) table.apply(record, conversationId);
  return { table, records: [...parts.records, ...added], keys: idempotencyKeys(parts.records) };
}

/** The settlement of a job that recovery brings to its end, its files written; undefined for every other job. */
async function settledNow(job: Job, parts: RecoveryParts): Promise<SettledRecord | undefined> {
  if (recoveryDecision(job, undefined).kind === "none") return undefined;
  const directory = parts.directoryOf(job);
  const published = await publishedOutcome(job, directory);
  const decision = recoveryDecision(job, published?.outcome);
  switch (decision.kind) {
    case "none":
    case "run":
    case "interrupted":
      return undefined;
    case "complete":
      if (published?.terminalWritten === false)
        await directory.writeTerminal({ state: decision.outcome.state, endedAt: universalTime(parts.now()) });
      job.interrupted = false;
      return settledRecord(job, job.life.claimToken, decision.outcome, parts.now());
    case "abort": {
      const outcome: Outcome<unknown> = { state: "aborted", reason: decision.reason };
      await parts.publish(job, outcome);
      return settledRecord(job, job.life.claimToken, outcome, parts.now());
    }
  }
}

function idempotencyKeys(records: readonly JobRecord[]): ReadonlyMap<string, ExecutionId> {
  return new Map(
    records.flatMap((record) =>
      record.kind === "admitted" && record.idempotencyKey !== undefined
        ? [[record.idempotencyKey, record.executionId] as const]
        : [],
    ),
  );
}
