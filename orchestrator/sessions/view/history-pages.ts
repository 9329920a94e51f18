/** History of a conversation in pages of updates. Pure. */
import type { HistoryQuery } from "../../contract/session/service.ts";
import type { HistoryPage, ReplayedUpdate } from "../../contract/session/updates.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";
import { type ProjectionState, updatesOfRecord } from "./record-updates.ts";

/** Updates of a page when nothing is said, and at most. */
export const historyPageDefault = 200;
export const historyPageLimit = 1_000;

/** All updates of the records, in order, each with its record's number. */
export function replayedUpdates(
  records: readonly StoredRecord[],
  workspace: string,
): readonly ReplayedUpdate[] {
  const numbers = responseNumbers(records);
  const replayed: ReplayedUpdate[] = [];
  let state: ProjectionState = { request: 0, messages: 0, thoughts: 0, workspace };
  for (const [index, stored] of records.entries()) {
    const projected = updatesOfRecord(stored, { ...state, request: numbers[index] ?? state.request });
    state = projected.state;
    for (const update of projected.updates) replayed.push({ recordSeq: stored.seq, update });
  }
  return replayed;
}

/** For each record the number of the response it belongs to: that of the next completed request behind it. */
function responseNumbers(records: readonly StoredRecord[]): readonly number[] {
  const numbers: number[] = Array.from({ length: records.length }, () => 0);
  let number = highestRequest(records) + 1;
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index]?.record;
    if (record?.kind === "provider") number = completedRequest(record.metadata) ?? number;
    numbers[index] = number;
  }
  return numbers;
}

function completedRequest(metadata: unknown): number | undefined {
  const { requestNumber, usage } = metadata as { requestNumber?: unknown; usage?: unknown };
  return typeof requestNumber === "number" && usage !== undefined ? requestNumber : undefined;
}

/** The highest number of a request that the record knows, failed attempts included; 0 when there was none. */
export function highestRequest(records: readonly StoredRecord[]): number {
  let highest = 0;
  for (const { record } of records) {
    if (record.kind !== "provider") continue;
    const { requestNumber } = record.metadata as { requestNumber?: unknown };
    if (typeof requestNumber === "number") highest = Math.max(highest, requestNumber);
  }
  return highest;
}

/** The page that a query asks for. Records are never divided: a page may have a few more updates than its limit. */
export function historyPage(
  records: readonly StoredRecord[],
  workspace: string,
  query: HistoryQuery,
  limit: number,
): HistoryPage {
  const all = replayedUpdates(records, workspace);
  const { before, after } = query;
  const wanted = all.filter(
    ({ recordSeq }) =>
      (before === undefined || recordSeq < before) && (after === undefined || recordSeq > after),
  );
  const updates = after === undefined ? lastOf(wanted, limit) : firstOf(wanted, limit);
  const firstSeq = updates[0]?.recordSeq ?? null;
  const lastSeq = updates.at(-1)?.recordSeq ?? null;
  return {
    updates: [...updates],
    firstSeq,
    lastSeq,
    hasOlder: firstSeq === null ? limit === 0 && all.length > 0 : (all[0]?.recordSeq ?? firstSeq) < firstSeq,
    hasNewer: lastSeq !== null && (all.at(-1)?.recordSeq ?? lastSeq) > lastSeq,
  };
}

function lastOf(updates: readonly ReplayedUpdate[], limit: number): readonly ReplayedUpdate[] {
  if (limit <= 0) return [];
  let from = Math.max(0, updates.length - limit);
  while (from > 0 && updates[from - 1]?.recordSeq === updates[from]?.recordSeq) from -= 1;
  return updates.slice(from);
}

function firstOf(updates: readonly ReplayedUpdate[], limit: number): readonly ReplayedUpdate[] {
  let to = Math.min(updates.length, limit);
  while (to > 0 && to < updates.length && updates[to - 1]?.recordSeq === updates[to]?.recordSeq) to += 1;
  return updates.slice(0, to);
}
