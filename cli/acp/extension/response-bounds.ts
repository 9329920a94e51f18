/** Cuts what a client asked for to what one answer may hold. Pure. */
import { boundedMessage } from "../../../orchestrator/contract/failure.ts";
import {
  type HistoryPage,
  type Invocation,
  updateTextLimit,
} from "../../../orchestrator/contract/session.ts";

/** Most bytes of the updates of one page of history. */
export const pageByteLimit = 4_194_304;

/** How many of the items, from the first on, fit into `limit` bytes as JSON; at least one when there is one. */
export function countWithin(items: readonly unknown[], limit: number): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > limit) return Math.max(1, index);
  }
  return items.length;
}

/**
 * A page within `limit` bytes. From its end when `newest` (a tail, or a page before something), else from its beginning; whole records only,
 * except that at least one record stays.
 */
export function pageWithin(page: HistoryPage, newest: boolean, limit = pageByteLimit): HistoryPage {
  const ordered = newest ? page.updates.toReversed() : page.updates;
  const count = countWithin(ordered, limit);
  if (count === ordered.length) return page;
  // A record whose updates do not all fit is left to the next page.
  const cut = ordered[count]?.recordSeq;
  const whole = ordered.slice(0, count).filter(({ recordSeq }) => recordSeq !== cut);
  const kept = whole.length > 0 ? whole : ordered.filter(({ recordSeq }) => recordSeq === cut);
  if (kept.length === ordered.length) return page;
  const updates = newest ? kept.toReversed() : kept;
  return {
    updates,
    firstSeq: updates[0]?.recordSeq ?? null,
    lastSeq: updates.at(-1)?.recordSeq ?? null,
    hasOlder: page.hasOlder || newest,
    hasNewer: page.hasNewer || !newest,
  };
}

/** What an operation answered, its text cut to what one answer may hold; it says so then. */
export function presentable(invocation: Invocation): Invocation {
  return { ...invocation, text: boundedMessage(invocation.text, updateTextLimit) };
}

/** One page of a list by a cursor that is the index of its first row. */
export function listPage<Row>(
  rows: readonly Row[],
  cursor: string | undefined,
  limit: number,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null; readonly total: number } {
  const parsed = Number(cursor ?? "0");
  const from = Number.isSafeInteger(parsed) && parsed >= 0 ? parsed : 0;
  const page = rows.slice(from, from + limit);
  const next = from + page.length;
  return { rows: page, nextCursor: next < rows.length ? String(next) : null, total: rows.length };
}
