/** The screen as a pure function of actions: the next state, and what the edge is to do. */
import type { Invocation, SettingRow } from "../../../orchestrator/contract/session.ts";
import { bufferOf } from "../composer/text-buffer.ts";
import { isEmpty } from "../composer/composer.ts";
import type { NoticeEntry } from "../transcript/entries.ts";
import type { TranscriptLook } from "../transcript/entry-lines.ts";
import { clientCommands, isList } from "./client-commands.ts";
import { openedReview, withReviewAnswer } from "./correction-update.ts";
import { withAttached, withDiagnosis, withEvents, withLink } from "./event-update.ts";
import { isBackgroundForm } from "./form-lines.ts";
import { withHistoryPage } from "./history-viewer-update.ts";
import { withNotices } from "./notice-update.ts";
import { withImage, withKey, withPaste } from "./key-update.ts";
import {
  type Action,
  type Command,
  type ScreenState,
  type Step,
  type TypedAction,
  flashed,
  step,
} from "./screen-state.ts";
import { withCompletionAnswer } from "./submit-update.ts";

/** Applies one action. Never throws. */
export function update(state: ScreenState, action: Action): Step {
  switch (action.type) {
    case "key":
    case "paste":
      return withTyped(state, action);
    case "image":
      return withImage(state, action);
    case "resize":
      return step({ ...state, size: { columns: action.columns, rows: action.rows } });
    case "tick":
      return step(ticked(state, action.at));
    case "attached":
      return withAttached(state, action);
    case "events":
      return withEvents(state, action.events, action.at);
    case "link":
      return withLink(state, action);
    case "state":
      return step(withSnapshot(state, action.state));
    case "jobs":
      return step({ ...state, jobs: action.jobs });
    case "settings":
      return step(withSettings(state, action.settings));
    case "completion":
      return completed(state, action);
    case "page":
      return step(action.sessionId === state.sessionId ? withHistoryPage(state, action.page) : state);
    case "submitted":
      return withSubmitted(state, action);
    case "refused":
      return hasFailed(action) ? withFailedCommand(state, action) : step(withRefused(state, action));
    case "invoked":
      return invoked(state, action.invocation);
    case "diagnosed":
      return step(withDiagnosis(state, action.requestId, action.diagnosis));
    case "correction":
      return withReviewAnswer(state, action.answer, action.at);
    case "rows":
      return step(withRows(state, action));
    case "flash":
      return step(flashed(state, action.level, action.text, action.at));
  }
}

/** Time that an answer of completion is waited for, in milliseconds. */
const completionMs = 2_000;
/** Actions that wait for it at most; behind them it is not waited for. */
const heldActions = 1_000;

/** Keys and pastes; behind Tab they wait until it is known what Tab did, unless they take it back. */
function withTyped(state: ScreenState, action: TypedAction): Step {
  const { completing } = state;
  if (completing === undefined) return applied(state, action);
  const isLate = action.at - completing.askedAt > completionMs || completing.held.length >= heldActions;
  const isUndone =
    action.type === "key" &&
    (action.press.name === "escape" || (action.press.name === "control" && action.press.text === "c"));
  if (!isLate && !isUndone)
    return step({ ...state, completing: { ...completing, held: [...completing.held, action] } });
  return chained(released(state), (next) => applied(next, action));
}

function applied(state: ScreenState, action: TypedAction): Step {
  return action.type === "key" ? withKey(state, action) : withPaste(state, action);
}

/** The answer to Tab, and what was typed behind it. */
function completed(state: ScreenState, { token, completion }: Extract<Action, { type: "completion" }>): Step {
  if (state.completing?.token !== token) return step(state);
  const answered = completion === undefined ? step(state) : withCompletionAnswer(state, completion);
  return chained(answered, released);
}

/** Applies what waits for a completion. */
function released(state: ScreenState): Step {
  const { completing } = state;
  let next = step({ ...state, completing: undefined });
  for (const action of completing?.held ?? []) next = chained(next, (each) => withTyped(each, action));
  return next;
}

function chained({ state, commands }: Step, then: (state: ScreenState) => Step): Step {
  const next = then(state);
  return { state: next.state, commands: [...commands, ...next.commands] };
}

function ticked(state: ScreenState, at: number): ScreenState {
  const isOver = state.flash !== undefined && state.flash.until <= at;
  return isOver ? { ...state, now: at, flash: undefined } : { ...state, now: at };
}

/** A snapshot replaces what was patched together from events, unless it is older than them in its turn. */
function withSnapshot(state: ScreenState, session: ScreenState["session"]): ScreenState {
  if (session === undefined || session.sessionId !== state.sessionId) return state;
  const isOlder = session.turn.epoch < (state.session?.turn.epoch ?? 0);
  if (isOlder) return state;
  return { ...state, session, pending: session.pendingInputs, isPaused: session.paused };
}

function withSettings(state: ScreenState, settings: readonly SettingRow[]): ScreenState {
  const value = (name: string): SettingRow["value"] | undefined =>
    settings.find((row) => row.name === name)?.value;
  const look: TranscriptLook = {
    style: value("transcript-style") === "repl" ? "repl" : "labels",
    isCompact: value("compact-view-p") !== false,
    hasThoughts: value("reasoning-traces-p") !== false,
    hasTimestamps: value("turn-timestamps-p") === true,
  };
  return { ...state, look, showsActivity: value("activity-line-p") !== false };
}

function withSubmitted(
  state: ScreenState,
  { inputId, invocation }: Extract<Action, { type: "submitted" }>,
): Step {
  const sending = state.sending.filter((each) => each.inputId !== inputId);
  const typed = state.sending.find((each) => each.inputId === inputId)?.text;
  const next = { ...state, sending };
  if (invocation === undefined) return step(next);
  // The form itself is shown, with the job that evaluates it: what was answered is for a moment.
  if (typed !== undefined && isBackgroundForm(typed))
    return step(flashed(next, "info", invocation.text, next.now));
  return invoked(next, invocation, typed);
}

type Refused = Extract<Action, { type: "refused" }>;

/** True for a command of Lisp that was not refused but ended with a condition. */
function hasFailed({ text, code }: Refused): boolean {
  return text.startsWith("/") && (code === "lisp-condition" || code === "image-ended");
}

/** What was refused comes back into the composer, or into the recall when something else is being written. */
function withRefused(state: ScreenState, action: Refused): ScreenState {
  const sending = state.sending.filter(({ inputId }) => inputId !== action.inputId);
  const { composer } = state;
  const isFree = isEmpty(composer) && action.text !== "";
  // A form that goes on: what is being typed is its next line.
  if (action.code === "incomplete-form") {
    const { text, cursor } = composer.buffer;
    const buffer = { text: `${action.text}\n${text}`, cursor: action.text.length + 1 + cursor };
    return { ...state, sending, composer: { ...composer, buffer } };
  }
  const restored = isFree ? { ...composer, buffer: bufferOf(action.text) } : composer;
  return flashed({ ...state, sending, composer: restored }, "error", action.message, action.at);
}

function notice(code: string, text: string, level: NoticeEntry["level"] = "info"): NoticeEntry {
  return { kind: "notice", level, code, text };
}

/** A command that ran and ended with a condition leaves both in the transcript; the text of it is in the recall. */
function withFailedCommand(state: ScreenState, { inputId, text, message }: Refused): Step {
  const sending = state.sending.filter((each) => each.inputId !== inputId);
  return withNotices({ ...state, sending }, [
    notice("typed", text),
    notice("command-failed", message, "error"),
  ]);
}

/** Shows the answer of a command, and does what the front end has to do itself. */
function invoked(state: ScreenState, invocation: Invocation, typed?: string): Step {
  const commands: Command[] = [];
  let next = state;
  // A list to choose from says more than its text, which is for clients that have none.
  const hasList = invocation.clientAction !== undefined && isList(invocation.clientAction);
  if (!hasList) {
    const shown = withNotices(state, [
      ...(typed === undefined ? [] : [notice("typed", typed)]),
      ...(invocation.text.trim() === "" ? [] : [notice("command", invocation.text)]),
    ]);
    next = shown.state;
    commands.push(...shown.commands);
  }
  if (invocation.switchedTo !== undefined && invocation.switchedTo !== state.sessionId)
    commands.push({ type: "open", sessionId: invocation.switchedTo });
  const opened =
    invocation.clientAction === "review-correction" ? openedReview(next, invocation.complaint) : step(next);
  return step(opened.state, ...commands, ...opened.commands, ...clientCommands(invocation.clientAction), {
    type: "fetch",
    what: "state",
  });
}

function withRows(state: ScreenState, action: Extract<Action, { type: "rows" }>): ScreenState {
  const { purpose, title, rows, omitted } = action;
  if (action.isRefresh === true && state.picker === undefined) return state;
  return { ...state, picker: { purpose, title, rows, omitted, query: "", index: 0 } };
}
