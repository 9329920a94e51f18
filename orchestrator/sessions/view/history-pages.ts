/** History of a conversation in pages of updates. Pure. */
import { AutolithError } from "../../contract/failure.ts";
import type { HistoryQuery } from "../../contract/session/service.ts";
import type { HistoryPage, ReplayedUpdate, SessionUpdate } from "../../contract/session/updates.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";
import { type ProjectionState, updatesOfRecord } from "./record-updates.ts";
import { shownRecordNames } from "./session-records.ts";

/** Updates of a page when nothing is said, and at most. */
export const historyPageDefault = 200;
export const historyPageLimit = 1_000;

/** The limit of a query. Throws `invalid-argument`. */
export function checkedPageLimit({ limit = historyPageDefault }: HistoryQuery): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= historyPageLimit) return limit;
  throw new AutolithError(
    "invalid-argument",
    `limit is a whole number from 1 to ${historyPageLimit}, not ${limit}.`,
  );
}

/** All updates of the records, in order, each with its record's number. */
export function replayedUpdates(
  records: readonly StoredRecord[],
  workspace: string,
): readonly ReplayedUpdate[] {
  return projected(records, 0, records.length, workspace);
}

/**
 * Ids of the calls that have no result. In the record that a host opens these are the calls of a host that died: their outcome is not known,
 * and no result of theirs will come.
 */
export function callsWithoutResult(records: readonly StoredRecord[]): ReadonlySet<string> {
  const calls = new Set<string>();
  for (const { record } of records) {
    if (record.kind === "provider-item" && record.item.type === "tool-call") calls.add(record.item.callId);
    else if (record.kind === "tool-result") calls.delete(record.callId);
  }
  return calls;
}

const noCalls: ReadonlySet<string> = new Set();

/** A call of a dead host does not wait. */
function withLostCall(update: SessionUpdate, lostCalls: ReadonlySet<string>): SessionUpdate {
  const isLost = update.type === "tool-call" && lostCalls.has(update.callId);
  return isLost ? { ...update, status: "unknown" } : update;
}

/** The updates of the records from `from` to before `to`, as in a projection of all of them. */
function projected(
  records: readonly StoredRecord[],
  from: number,
  to: number,
  workspace: string,
  lostCalls = noCalls,
): readonly ReplayedUpdate[] {
  // Ids count within a response, so its first record is where the projection has to begin.
  let start = from;
  while (start > 0 && records[start - 1]?.record.kind !== "provider") start -= 1;
  const numbers = responseNumbers(records, start, to);
  const replayed: ReplayedUpdate[] = [];
  let state: ProjectionState = { request: 0, messages: 0, thoughts: 0, workspace };
  for (let index = start; index < to; index += 1) {
    const stored = records[index];
    if (stored === undefined) break;
    const next = updatesOfRecord(stored, { ...state, request: numbers[index - start] ?? 0 });
    state = next.state;
    if (index < from) continue;
    for (const update of next.updates)
      replayed.push({ recordSeq: stored.seq, update: withLostCall(update, lostCalls) });
  }
  return replayed;
}

/**
 * Records at the end among which the latest request is found. Requests are recorded nearly in the order of their numbers: only one for a title
 * may come late, by the few records of a turn.
 */
const recentRecords = 1_024;

/** For each record from `start` to before `to` the number of its response: that of the next completed request behind it. */
function responseNumbers(records: readonly StoredRecord[], start: number, to: number): readonly number[] {
  const numbers: number[] = Array.from({ length: to - start }, () => 0);
  let end = to;
  while (end < records.length && records[end - 1]?.record.kind !== "provider") end += 1;
  let number = end === records.length ? highestRequest(records.slice(-recentRecords)) + 1 : 0;
  for (let index = end - 1; index >= start; index -= 1) {
    const record = records[index]?.record;
    if (record?.kind === "provider") number = completedRequest(record.metadata) ?? number;
    if (index < to) numbers[index - start] = number;
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

/**
 * The page that a query asks for; the last one when it says nothing. The work grows with the page, not with the conversation. Calls of
 * `lostCalls` (see {@link callsWithoutResult}) are shown as of unknown outcome.
 */
export function historyPage(
  records: readonly StoredRecord[],
  workspace: string,
  query: HistoryQuery,
  limit: number,
  lostCalls = noCalls,
): HistoryPage {
  const { before, after } = query;
  const low = after === undefined ? 0 : firstAt(records, after + 1);
  const high = before === undefined ? records.length : firstAt(records, before);
  const [from, to] =
    after === undefined ? lastShown(records, low, high, limit) : firstShown(records, low, high, limit);
  const updates = projected(records, from, to, workspace, lostCalls);
  const firstSeq = updates[0]?.recordSeq ?? null;
  const lastSeq = updates.at(-1)?.recordSeq ?? null;
  return {
    updates: [...updates],
    firstSeq,
    lastSeq,
    hasOlder: anyShown(records, 0, from),
    hasNewer: anyShown(records, to, records.length),
  };
}

/** Index of the first record whose number is at least `seq`. */
function firstAt(records: readonly StoredRecord[], seq: number): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lastShown(
  records: readonly StoredRecord[],
  low: number,
  high: number,
  limit: number,
): readonly [number, number] {
  let [from, count] = [high, 0];
  while (from > low && count < limit) {
    from -= 1;
    if (isShown(records[from])) count += 1;
  }
  return [from, high];
}

function firstShown(
  records: readonly StoredRecord[],
  low: number,
  high: number,
  limit: number,
): readonly [number, number] {
  let [to, count] = [low, 0];
  while (to < high && count < limit) {
    if (isShown(records[to])) count += 1;
    to += 1;
  }
  return [low, to];
}

function anyShown(records: readonly StoredRecord[], from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (isShown(records[index])) return true;
  return false;
}

/** True when the record has an update of its own; each has one at most. */
function isShown(stored: StoredRecord | undefined): boolean {
  if (stored === undefined) return false;
  const { record } = stored;
  switch (record.kind) {
    case "message":
    case "tool-result":
    case "summary":
      return true;
    case "provider-item":
      return record.item.type === "tool-call" || record.item.text !== "";
    case "extension":
      return shownRecordNames.has(record.name);
    case "provider":
    case "configuration":
      return false;
  }
}
