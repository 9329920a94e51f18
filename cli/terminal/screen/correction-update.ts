/** The review of a correction on the screen: how it opens, and what keys and answers do. Pure. */
import {
  type CorrectionAnswer,
  type CorrectionDialog,
  type CorrectionStep,
  answeredCorrection,
  openedCorrection,
  withCorrectionKey,
} from "./correction-dialog.ts";
import type { KeyPress } from "./key-press.ts";
import { withNotices } from "./notice-update.ts";
import { type ScreenState, type Step, flashed, step } from "./screen-state.ts";

/** Somebody complained: the review opens in place of the composer. */
export function openedReview(state: ScreenState, complaint: string | undefined): Step {
  return state.isReadOnly ? step(state) : applied(state, openedCorrection(complaint), state.now);
}

export function withReviewKey(state: ScreenState, dialog: CorrectionDialog, press: KeyPress): Step {
  const next = applied(state, withCorrectionKey(dialog, press), state.now);
  if (next.state.correction !== undefined) return next;
  const told = withNotices(next.state, [left]);
  return step(told.state, ...next.commands, ...told.commands);
}

/** The form or command that opened the review has answered long before: its end is told by itself. */
const left = {
  kind: "notice",
  level: "info",
  code: "correction",
  text: "The review of the correction was closed: nothing was saved.",
} as const;

/** An answer for a review that was closed meanwhile changes nothing. */
export function withReviewAnswer(state: ScreenState, answer: CorrectionAnswer, at: number): Step {
  return state.correction === undefined
    ? step(state)
    : applied(state, answeredCorrection(state.correction, answer), at);
}

function applied(state: ScreenState, { dialog, request, problem }: CorrectionStep, at: number): Step {
  const next = { ...state, correction: dialog };
  const shown = problem === undefined ? next : flashed(next, "error", problem, at);
  return request === undefined ? step(shown) : step(shown, { type: "correction", request });
}
