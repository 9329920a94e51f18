/** Opens the jobs of a conversation, new or left by a dead host: replay, recovery, inventory. */
import type { ConversationId, ExecutionId } from "../contract/identifiers.ts";
import { conversationOf } from "../jobs/ownership.ts";
import type { JobJournal, JobRecord } from "../jobs/journal-records.ts";
import { loadConversation } from "../record/conversation.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import { RecordError } from "../record/failure.ts";
import { type PublicationPlaces, executionDirectoryOf, publishOutcome } from "../tasks/result-publication.ts";
import { type JobInventory, jobInventory } from "./job-inventory.ts";
import { type RecoveredJobs, recoverJobs } from "./recover-jobs.ts";

export type ConversationRecovery = {
  readonly conversationId: ConversationId;
  /** What the conversation itself holds. */
  readonly rootRecords: readonly StoredRecord[];
  /** What its job journal holds. */
  readonly records: readonly JobRecord[];
  readonly journal: JobJournal;
  readonly places: PublicationPlaces;
};

/** Recovers the jobs and says what was found. For a new conversation both are empty. */
export async function recoverConversation(
  parts: ConversationRecovery,
): Promise<{ readonly jobs: RecoveredJobs; readonly inventory: JobInventory }> {
  const { places } = parts;
  const jobs = await recoverJobs({
    ...parts,
    now: places.now,
    directoryOf: (job) => executionDirectoryOf(places, job),
    publish: (job, outcome) =>
      publishOutcome(job, outcome, {
        ...places,
        namesOf: (each) => each.owner.lineage,
        roleOf: () => undefined,
      }),
  });
  const answered = await answeredCalls(parts);
  const inventory = jobInventory(
    jobs.records,
    jobs.table,
    (id, callId) => answered.get(id)?.has(callId) === true,
    await readReceipts(parts),
  );
  return { jobs, inventory };
}

/** The calls that have a result, for every conversation that recorded an intent. */
async function answeredCalls(
  parts: ConversationRecovery,
): Promise<ReadonlyMap<ConversationId, ReadonlySet<string>>> {
  const answered = new Map([[parts.conversationId, answeredIn(parts.rootRecords)]]);
  for (const record of parts.records) {
    if (record.kind !== "intent" || answered.has(record.conversationId)) continue;
    answered.set(record.conversationId, answeredIn(await childRecords(parts, record.conversationId)));
  }
  return answered;
}

/** Which messages the steered children have read. */
async function readReceipts(
  parts: ConversationRecovery,
): Promise<(executionId: ExecutionId, messageId: string) => boolean> {
  const receipts = new Map<ExecutionId, ReadonlySet<string>>();
  for (const record of parts.records) {
    if (record.kind !== "steered" || receipts.has(record.executionId)) continue;
    const stored = await childRecords(parts, conversationOf(record));
    receipts.set(
      record.executionId,
      new Set(
        stored.flatMap(({ record: each }) =>
          each.kind === "message" ? (each.pendingInputIdentifier ?? []) : [],
        ),
      ),
    );
  }
  return (executionId, messageId) => receipts.get(executionId)?.has(messageId) === true;
}

function answeredIn(records: readonly StoredRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap(({ record }) => (record.kind === "tool-result" ? [record.callId] : [])));
}

/** What a child's conversation holds; nothing when it is gone or cannot be read: its calls are reported unknown. */
async function childRecords(
  { places }: ConversationRecovery,
  id: ConversationId,
): Promise<readonly StoredRecord[]> {
  try {
    return (await loadConversation({ directory: places.conversationsDirectory }, id)).records;
  } catch (error) {
    if (error instanceof RecordError && (error.code === "not-found" || error.code === "malformed")) return [];
    throw error;
  }
}
