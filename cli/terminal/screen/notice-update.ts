/** Lines of the terminal itself in the transcript: what was typed, what commands answered, how dialogs ended. Pure. */
import type { NoticeEntry } from "../transcript/entries.ts";
import { settle, withBesideEntry } from "../transcript/transcript.ts";
import { type ScreenState, type Step, step } from "./screen-state.ts";

/** Adds them behind everything else; what is finished is printed. */
export function withNotices(state: ScreenState, notices: readonly NoticeEntry[]): Step {
  if (notices.length === 0) return step(state);
  const { transcript, printed } = settle(notices.reduce(withBesideEntry, state.transcript));
  const next = { ...state, transcript };
  return printed.length === 0 ? step(next) : step(next, { type: "print", entries: printed });
}
