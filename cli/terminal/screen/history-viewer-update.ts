/** Keys of the viewer of earlier messages. Pure. */
import type { HistoryPage } from "../../../orchestrator/contract/session.ts";
import { type HistoryViewer, emptyViewer, viewerLines, withPage } from "./history-viewer.ts";
import type { KeyPress } from "./key-press.ts";
import { type ScreenState, type Step, flashed, step } from "./screen-state.ts";

/** Rows that a page moves by. */
function pageRows({ size }: ScreenState): number {
  return Math.max(2, size.rows - 6);
}

/** Page Up: earlier messages, if there are any. */
export function openedViewer(state: ScreenState, at: number): Step {
  const { older } = state;
  if (older === undefined)
    return step(flashed(state, "info", "Everything is above: scroll back in your terminal to read it.", at));
  return step({ ...state, viewer: emptyViewer(older) }, { type: "page", before: older.before });
}

/** A page that was asked for. */
export function withHistoryPage(state: ScreenState, page: HistoryPage): ScreenState {
  const { viewer } = state;
  return viewer === undefined ? state : { ...state, viewer: withPage(viewer, page) };
}

/** A key while the viewer is open; undefined for what is typed, which closes it. */
export function withViewerKey(state: ScreenState, viewer: HistoryViewer, press: KeyPress): Step | undefined {
  switch (press.name) {
    case "page-up":
      return moved(state, viewer, pageRows(state));
    case "page-down":
      return moved(state, viewer, -pageRows(state));
    case "up":
      return moved(state, viewer, 1);
    case "down":
      return moved(state, viewer, -1);
    case "home":
      return moved(state, viewer, Number.MAX_SAFE_INTEGER);
    case "escape":
    case "end":
      return step({ ...state, viewer: undefined });
    case "control":
      return press.text === "c" ? step({ ...state, viewer: undefined }) : undefined;
    case "text":
      return press.text === "q" ? step({ ...state, viewer: undefined }) : undefined;
    default:
      return step(state);
  }
}

function moved(state: ScreenState, viewer: HistoryViewer, by: number): Step {
  if (by < 0 && viewer.fromEnd === 0) return step({ ...state, viewer: undefined });
  const count = viewerLines(viewer, Math.max(1, state.size.columns - 1), state.look).length;
  const highest = Math.max(0, count - pageRows(state));
  const fromEnd = Math.min(highest, Math.max(0, viewer.fromEnd + by));
  const isAtTop = viewer.fromEnd + by >= highest;
  const next = { ...viewer, fromEnd };
  if (!isAtTop || viewer.before === undefined || viewer.isLoading) return step({ ...state, viewer: next });
  return step({ ...state, viewer: { ...next, isLoading: true } }, { type: "page", before: viewer.before });
}
