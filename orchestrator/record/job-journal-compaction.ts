import type { ExecutionId } from "../contract/identifiers.ts";
import { type ConcurrencyClass, jobCatalog } from "../contract/job-catalog.ts";
import { settledJobRetention } from "../jobs/job-table.ts";
import type { AdmittedRecord, JobRecord } from "../jobs/journal-records.ts";

/** A job record and its number in the journal. */
export interface NumberedJobRecord {
  readonly seq: number;
  readonly record: JobRecord;
}

/** Intents of the primary's own calls that are kept: more than the calls of any one turn. */
export const retainedPrimaryIntents = 256;

interface Execution {
  readonly admitted: AdmittedRecord;
  detached: boolean;
  delivered: boolean;
  settledSeq: number | undefined;
}

/**
 * The records a job journal must go on holding, in order and with their numbers:
 *
 * - everything of executions that are unsettled, or detached and not delivered;
 * - everything of the newest `settledJobRetention` others of each class, which readers may still ask for by name;
 * - everything of the one with the greatest visible number, so that numbers are never given twice;
 * - the newest intents of the primary's own calls.
 *
 * What is dropped is durable elsewhere: the result in the execution's directory, its delivery in the conversation.
 */
export function retainedJobRecords(records: readonly NumberedJobRecord[]): readonly NumberedJobRecord[] {
  const executions = foldExecutions(records);
  const kept = new Set([
    ...unfinished(executions),
    ...newestFinished(executions),
    ...highestNumber(executions),
  ]);
  const primaryIntents = new Set(records.filter(isPrimaryIntent).slice(-retainedPrimaryIntents));
  return records.filter((numbered) => {
    const { record } = numbered;
    if (record.kind === "intent" && record.executionId === undefined) return primaryIntents.has(numbered);
    return record.executionId !== undefined && kept.has(record.executionId);
  });
}

/** The admission of a child that a tool call started. */
export function isStartedChild(record: JobRecord): record is AdmittedRecord {
  return record.kind === "admitted" && record.jobKind === "agent" && record.owner.parentCallId !== undefined;
}

function isPrimaryIntent({ record }: NumberedJobRecord): boolean {
  return record.kind === "intent" && record.executionId === undefined;
}

function foldExecutions(records: readonly NumberedJobRecord[]): ReadonlyMap<ExecutionId, Execution> {
  const executions = new Map<ExecutionId, Execution>();
  for (const { seq, record } of records) {
    if (record.kind === "admitted") {
      const { detached } = record;
      executions.set(record.executionId, {
        admitted: record,
        detached,
        delivered: false,
        settledSeq: undefined,
      });
    }
    const execution = record.executionId === undefined ? undefined : executions.get(record.executionId);
    if (execution === undefined) continue;
    if (record.kind === "handed-off") execution.detached = true;
    if (record.kind === "delivered") execution.delivered = true;
    // A job that is dead and was decided about ends with the decision.
    if (record.kind === "settled" || record.kind === "decided") execution.settledSeq = seq;
    if (record.kind === "decided") execution.delivered = true;
  }
  return executions;
}

function unfinished(executions: ReadonlyMap<ExecutionId, Execution>): readonly ExecutionId[] {
  return [...executions].flatMap(([executionId, execution]) =>
    isFinished(execution, executions) ? [] : [executionId],
  );
}

/** All its records, since an admission without its settlement would read as work that was interrupted. */
function highestNumber(executions: ReadonlyMap<ExecutionId, Execution>): readonly ExecutionId[] {
  const newest = [...executions.values()].toSorted(
    (left, right) => left.admitted.order - right.admitted.order,
  );
  return newest.slice(-1).map(({ admitted }) => admitted.executionId);
}

/** A child that has ended is told nothing any more of the jobs it detached. */
function isFinished(
  { settledSeq, detached, delivered, admitted }: Execution,
  executions: ReadonlyMap<ExecutionId, Execution>,
): boolean {
  if (settledSeq === undefined) return false;
  if (!detached || delivered) return true;
  const owner = admitted.owner.lineage.at(-1);
  return owner !== undefined && executions.get(owner)?.settledSeq !== undefined;
}

function newestFinished(executions: ReadonlyMap<ExecutionId, Execution>): readonly ExecutionId[] {
  const byClass = new Map<ConcurrencyClass, { executionId: ExecutionId; settledSeq: number }[]>();
  for (const [executionId, execution] of executions) {
    const { settledSeq, admitted } = execution;
    if (settledSeq === undefined || !isFinished(execution, executions)) continue;
    const { concurrencyClass } = jobCatalog[admitted.jobKind];
    const members = byClass.get(concurrencyClass) ?? [];
    members.push({ executionId, settledSeq });
    byClass.set(concurrencyClass, members);
  }
  return [...byClass.values()].flatMap((members) =>
    members
      .toSorted((left, right) => left.settledSeq - right.settledSeq)
      .slice(-settledJobRetention)
      .map(({ executionId }) => executionId),
  );
}
