/**
 * Earlier messages: what lies before the history that the terminal printed when it opened a conversation. The scrollback belongs to the
 * terminal and cannot be written into, so they are looked at in place of the composer.
 */
import type { HistoryPage, SessionUpdate } from "../../../orchestrator/contract/session.ts";
import { type Line, emptyLine, span } from "../text/styled-line.ts";
import { fittedLine } from "../text/wrap.ts";
import { isEntryUpdate } from "../transcript/entries.ts";
import { type TranscriptLook, entryLines } from "../transcript/entry-lines.ts";
import {
  type PrintedEntry,
  emptyTranscript,
  settle,
  withUpdate,
  type Transcript,
} from "../transcript/transcript.ts";

export type OlderHistory = {
  /** The first record that was printed. */
  readonly before: number;
  /** Results that were printed without their calls, which lie before them. */
  readonly loose: readonly SessionUpdate[];
};

export type HistoryViewer = {
  readonly updates: readonly SessionUpdate[];
  readonly entries: readonly PrintedEntry[];
  /** Ask for what lies before this record; undefined when nothing does. */
  readonly before: number | undefined;
  readonly isLoading: boolean;
  /** Rows between the last line and the last one on show. */
  readonly fromEnd: number;
};

/** Updates that a viewer holds at most; what lies before them is for `autolith replay`. */
export const viewedUpdateLimit = 10_000;

/** Results whose calls are not among the updates. */
export function looseResults(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  const calls = new Set(updates.flatMap((update) => (update.type === "tool-call" ? [update.callId] : [])));
  return updates.filter((update) => update.type === "tool-call-update" && !calls.has(update.callId));
}

/** A viewer that waits for its first page. */
export function emptyViewer({ before, loose }: OlderHistory): HistoryViewer {
  return { updates: loose, entries: [], before, isLoading: true, fromEnd: 0 };
}

/** The viewer with an older page in front. */
export function withPage(viewer: HistoryViewer, { updates, firstSeq, hasOlder }: HistoryPage): HistoryViewer {
  const all = [...updates.map(({ update }) => update), ...viewer.updates];
  const isFull = all.length >= viewedUpdateLimit;
  return {
    ...viewer,
    updates: all,
    entries: entriesOf(all),
    before: hasOlder && firstSeq !== null && !isFull ? firstSeq : undefined,
    isLoading: false,
  };
}

function entriesOf(updates: readonly SessionUpdate[]): readonly PrintedEntry[] {
  let transcript: Transcript = emptyTranscript;
  const entries: PrintedEntry[] = [];
  for (const update of updates) {
    if (!isEntryUpdate(update)) continue;
    const settled = settle(withUpdate(transcript, update));
    transcript = settled.transcript;
    entries.push(...settled.printed);
  }
  return [...entries, ...transcript.live.map((entry) => ({ entry, gap: true }))];
}

type Layout = { readonly columns: number; readonly look: TranscriptLook; readonly lines: readonly Line[] };
/** Laying out thousands of lines is done once for each page and width. */
const layouts = new WeakMap<readonly PrintedEntry[], Layout>();

/** All lines of the viewer. */
export function viewerLines(
  { entries }: HistoryViewer,
  columns: number,
  look: TranscriptLook,
): readonly Line[] {
  const known = layouts.get(entries);
  if (known?.columns === columns && known.look === look) return known.lines;
  const lines = entries.flatMap(({ entry, gap }) => {
    const own = entryLines(entry, columns, look).map((each) => fittedLine(each, columns));
    return gap && own.length > 0 ? [emptyLine, ...own] : own;
  });
  layouts.set(entries, { columns, look, lines });
  return lines;
}

/** The viewer in `rows` rows. */
export function viewerBlock(
  viewer: HistoryViewer,
  columns: number,
  rows: number,
  look: TranscriptLook,
): readonly Line[] {
  const lines = viewerLines(viewer, columns, look);
  const room = Math.max(1, rows - 2);
  const last = Math.max(Math.min(lines.length, room), lines.length - viewer.fromEnd);
  const first = Math.max(0, last - room);
  const place = lines.length === 0 ? "" : ` · lines ${first + 1}–${last} of ${lines.length}`;
  const state = viewer.isLoading ? " · loading" : viewer.before === undefined ? "" : " and more";
  const title = span(`── earlier messages${place}${state} · Page Up, Page Down, Esc `, { ink: "muted" });
  const rule = span("─".repeat(columns), { ink: "muted" });
  return [fittedLine([title], columns), ...lines.slice(first, last), [rule]];
}
