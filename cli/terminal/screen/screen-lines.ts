/** The live region as a pure function of the state: lines in regions, and the cursor. Never taller than the terminal. */
import type { Line } from "../text/styled-line.ts";
import { type TranscriptLook, entryLines } from "../transcript/entry-lines.ts";
import { hasGap, type Entry } from "../transcript/entries.ts";
import { emptyLine } from "../text/styled-line.ts";
import { fittedLine } from "../text/wrap.ts";
import { activityLine, flashLines, jobLines, planLines } from "./activity-lines.ts";
import { type CursorBlock, composerBlock, menuLines, pendingLines } from "./composer-lines.ts";
import { approvalLines, pickerBlock } from "./dialog-lines.ts";
import { viewerBlock } from "./history-viewer.ts";
import { correctionBlock } from "./correction-lines.ts";
import { restartBlock } from "./restart-lines.ts";
import { modeline } from "./modeline.ts";
import { type ScreenState, isTurnRunning } from "./screen-state.ts";

/** The regions from top to bottom. */
export type ScreenLines = {
  /** What streams, cut at its top. */
  readonly tail: readonly Line[];
  readonly jobs: readonly Line[];
  readonly pending: readonly Line[];
  /** Dialog or composer. */
  readonly input: readonly Line[];
  readonly menu: readonly Line[];
  readonly modeline: readonly Line[];
  /** Relative to the first line of the first region. */
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
};

/** Columns that lines may use: the last one stays free, so that no terminal wraps by itself. */
export function usableColumns(columns: number): number {
  return Math.max(1, columns - 1);
}

/** Lays the live region out. */
export function screenLines(state: ScreenState): ScreenLines {
  const columns = usableColumns(state.size.columns);
  const rows = Math.max(3, state.size.rows - 1);
  const bottom = bottomLines(state, columns);
  let room = rows - bottom.length;
  const input = inputBlock(state, columns, room);
  room -= input.lines.length;
  const take = (lines: readonly Line[]): readonly Line[] => {
    const taken = lines.slice(0, Math.max(0, room));
    room -= taken.length;
    return taken;
  };
  const menu =
    state.approval === undefined &&
    state.restart === undefined &&
    state.correction === undefined &&
    state.picker === undefined &&
    state.viewer === undefined
      ? take(menuLines(state.composer, columns))
      : [];
  const pending = take(pendingLines(state, columns));
  const jobs = take([...planLines(state, columns), ...jobLines(state, columns)]);
  const tail = tailLines(state, columns, room);
  const above = tail.length + jobs.length + pending.length;
  const cursor =
    input.cursor === undefined
      ? undefined
      : { x: Math.min(input.cursor.column, columns), y: above + input.cursor.row };
  const fitted = (lines: readonly Line[]): readonly Line[] => lines.map((line) => fittedLine(line, columns));
  return {
    tail: fitted(tail),
    jobs: fitted(jobs),
    pending: fitted(pending),
    input: fitted(input.lines),
    menu: fitted(menu),
    modeline: fitted(bottom),
    cursor,
  };
}

function bottomLines(state: ScreenState, columns: number): readonly Line[] {
  return [modeline(state, columns), ...activityLine(state, columns), ...flashLines(state, columns)].slice(
    0,
    Math.max(1, Math.min(5, state.size.rows - 3)),
  );
}

function inputBlock(state: ScreenState, columns: number, room: number): CursorBlock {
  const { approval, picker, requests, viewer } = state;
  const request = requests.find(({ requestId }) => requestId === approval?.requestId);
  if (approval !== undefined && request !== undefined) {
    const lines = approvalLines(request, approval, requests.length - 1, columns, room);
    return { lines: lines.slice(0, Math.max(1, room)), cursor: undefined };
  }
  const { restart, restarts } = state;
  const waiting = restarts.find(({ requestId }) => requestId === restart?.requestId);
  if (restart !== undefined && waiting !== undefined)
    return cutBlock(restartBlock(waiting, restart, restarts.length - 1, columns, Math.min(room, 24)), room);
  if (state.correction !== undefined)
    return cutBlock(correctionBlock(state.correction, columns, Math.min(room, 24)), room);
  if (viewer !== undefined)
    return {
      lines: viewerBlock(viewer, columns, room, state.look).slice(0, Math.max(1, room)),
      cursor: undefined,
    };
  if (picker !== undefined) return cutBlock(pickerBlock(picker, columns, Math.min(room, 20)), room);
  return composerBlock(
    state.composer,
    columns,
    Math.max(1, Math.min(12, Math.floor(room / 2))),
    placeholder(state),
  );
}

/** What does not fit into a very low terminal is left out, with the cursor if it stands there. */
function cutBlock({ lines, cursor }: CursorBlock, room: number): CursorBlock {
  const shown = lines.slice(0, Math.max(1, room));
  return { lines: shown, cursor: cursor !== undefined && cursor.row < shown.length ? cursor : undefined };
}

function placeholder(state: ScreenState): string {
  if (state.isReadOnly) return "read-only: Ctrl-D leaves";
  if (state.link === "connecting") return "connecting; you can write already";
  if (state.link === "lost") return "connecting again; you can write already";
  return isTurnRunning(state) ? "Enter steers, Tab queues, Esc stops" : "Ask for something, or /help";
}

/** The end of what is live, with a blank line before what follows. */
function tailLines(state: ScreenState, columns: number, room: number): readonly Line[] {
  const { live, last } = state.transcript;
  if (room <= 1) return [];
  const lines: Line[] = [];
  let before: Entry | undefined = last;
  for (const entry of live) {
    const own = entryLines(entry, columns, state.look);
    if (own.length === 0) continue;
    if (hasGap(before, entry)) lines.push(emptyLine);
    lines.push(...own);
    before = entry;
  }
  return [...lines.slice(-(room - 1)), emptyLine];
}

/** The lines that an entry leaves in the scrollback. */
export function printedLines(
  { entry, gap }: { readonly entry: Entry; readonly gap: boolean },
  columns: number,
  look: TranscriptLook,
): readonly Line[] {
  const width = usableColumns(columns);
  const lines = entryLines(entry, width, look).map((line) => fittedLine(line, width));
  return gap && lines.length > 0 ? [emptyLine, ...lines] : lines;
}
