/** What keys do to the screen: pure, from one state to the next with commands for the edge. */
import {
  type Edit,
  closedMenu,
  composedImages,
  composedText,
  edited,
  isEmpty,
  steppedMenu,
  taken,
} from "../composer/composer.ts";
import { pastedImagePath } from "../composer/attached-image.ts";
import { inputCharacters, inputImageBytes, inputImages } from "../composer/input-bound.ts";
import { isArmed, withApprovalKey, withPickerKey } from "./dialog-update.ts";
import { replLimits } from "../../../orchestrator/repls/repl-limits.ts";
import { openedViewer, withViewerKey } from "./history-viewer-update.ts";
import type { KeyPress } from "./key-press.ts";
import { inputColumns } from "./composer-lines.ts";
import {
  type Action,
  type ScreenState,
  type Step,
  flashed,
  isFormRunning,
  isTurnRunning,
  step,
} from "./screen-state.ts";
import { withCorrectionPaste } from "./correction-dialog.ts";
import { withReviewKey } from "./correction-update.ts";
import {
  type RestartDialog,
  draftText,
  typingDialog,
  withRestartKey,
  withRestartPaste,
} from "./restart-dialog.ts";
import type { RestartRequest } from "../../../orchestrator/contract/session.ts";
import { submitted, tabbed } from "./submit-update.ts";

/** A second Ctrl-C within this time leaves. */
const leaveMs = 2_000;

/** Applies a key. */
export function withKey(state: ScreenState, { press, at }: Extract<Action, { type: "key" }>): Step {
  const timed = { ...state, now: at, leavingAt: isControl(press, "c") ? state.leavingAt : undefined };
  const dialog = withDialogKey(timed, press, at);
  if (dialog !== undefined) return dialog;
  const isTyping = press.name === "text" || press.name === "backspace";
  const writing = timed.viewer === undefined ? timed : { ...timed, viewer: undefined };
  return withComposerKey(isTyping ? { ...writing, lastTypedAt: at } : writing, press, at);
}

/** A paste goes into the composer as one piece, or into the search of a picker. */
export function withPaste(state: ScreenState, { text, at }: Extract<Action, { type: "paste" }>): Step {
  const timed = pastedOver({ ...state, now: at, lastTypedAt: at, leavingAt: undefined });
  if (state.picker !== undefined)
    return withPickerKey(timed, state.picker, textPress(text.replace(/\s+/g, " ").slice(0, 200)));
  if (state.restart?.entry !== undefined)
    return step({ ...timed, restart: withRestartPaste(state.restart, text) });
  if (state.correction !== undefined)
    return step({ ...timed, correction: withCorrectionPaste(state.correction, text) });
  const composer = edited(state.composer, { type: "paste", text });
  const size = composedText(composer).length;
  const path = pastedImagePath(text);
  const loading = path === undefined ? [] : [{ type: "load-image", path, insteadOf: text } as const];
  if (size <= inputCharacters) return step({ ...timed, composer }, ...loading);
  const message = `The paste was left out: the input would have ${size.toLocaleString("en")} characters, and at most ${inputCharacters.toLocaleString("en")} can be sent at once. Put the text into a file and name it instead.`;
  return step(flashed(timed, "error", message, at));
}

/** A paste beside the dialog of a condition is text for the draft, as typed text is. */
function pastedOver(state: ScreenState): ScreenState {
  const { restart } = state;
  const waiting = state.restarts.find(({ requestId }) => requestId === restart?.requestId);
  if (restart === undefined || waiting === undefined || restart.entry !== undefined) return state;
  return { ...state, restart: typingDialog(waiting, restart) };
}

/** An image that was read: it stands in place of its name, which stays when there are too many. */
export function withImage(state: ScreenState, action: Extract<Action, { type: "image" }>): Step {
  const { image, insteadOf, at } = action;
  const all = [...composedImages(state.composer), image];
  const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
  if (all.length > inputImages || bytes > inputImageBytes) {
    const message = `The image stays a name: one input takes ${inputImages} images of ${inputImageBytes.toLocaleString("en")} bytes together.`;
    return step(flashed(state, "warning", message, at));
  }
  return step({ ...state, composer: edited(state.composer, { type: "image", image, insteadOf }) });
}

function textPress(text: string): KeyPress {
  return { name: "text", text, ctrl: false, alt: false, shift: false };
}

function isControl(press: KeyPress, letter: string): boolean {
  return press.name === "control" && press.text === letter;
}

function withDialogKey(state: ScreenState, press: KeyPress, at: number): Step | undefined {
  if (state.approval !== undefined) {
    if (isArmed(state, state.approval, at)) return withApprovalKey(state, state.approval, press);
    if (press.name === "enter" || press.name === "tab") return step(state);
    return undefined;
  }
  const { restart } = state;
  const waiting = state.restarts.find(({ requestId }) => requestId === restart?.requestId);
  if (restart !== undefined && waiting !== undefined)
    return withRestartDialogKey(state, waiting, restart, press, at);
  if (state.correction !== undefined) return withReviewKey(state, state.correction, press);
  if (state.picker !== undefined) return withPickerKey(state, state.picker, press);
  return state.viewer === undefined ? undefined : withViewerKey(state, state.viewer, press);
}

/** What somebody is told whose text is not for the dialog. */
const typingText =
  "What you type goes into the draft. The condition waits for a choice: arrows or Tab go to a row, then Enter takes it.";

/** Text that was meant for the prompt goes into the draft, and Enter behind it does nothing. */
function withRestartDialogKey(
  state: ScreenState,
  request: RestartRequest,
  dialog: RestartDialog,
  press: KeyPress,
  at: number,
): Step | undefined {
  const armed = isArmed(state, dialog, at);
  const draft = !armed && press.name === "text" && !press.alt ? press.text : draftText(dialog, press, at);
  if (draft !== undefined && dialog.entry === undefined) {
    const restart = typingDialog(request, dialog);
    const typing = { ...state, restart, lastTypedAt: at };
    return typed(flashed(typing, "info", typingText, at), draft);
  }
  const isDraftEdit =
    dialog.isTyping && dialog.entry === undefined && (press.name === "backspace" || press.name === "delete");
  if (press.name === "enter" && dialog.isTyping) return step(flashed(state, "info", typingText, at));
  if (!armed || isDraftEdit) return press.name === "enter" || press.name === "tab" ? step(state) : undefined;
  const { dialog: next, choice } = withRestartKey(request, dialog, press, at);
  const shown = { ...state, restart: next };
  return choice === undefined
    ? step(shown)
    : step(shown, { type: "restart", requestId: next.requestId, choice });
}

function withComposerKey(state: ScreenState, press: KeyPress, at: number): Step {
  switch (press.name) {
    case "enter":
      return press.alt || press.shift ? edit(state, newline) : submitted(state, "steer", at);
    case "escape":
      return escaped(state, at);
    case "tab":
      return tabbed(state, press.shift, at);
    case "text":
      return press.alt ? altKey(state, press.text) : typed(state, press.text);
    case "control":
      return controlKey(state, press.text, at);
    case "backspace":
      return edit(state, {
        type: "remove",
        motion: press.alt || press.ctrl ? "word-left" : "left",
        keep: press.alt || press.ctrl,
      });
    case "delete":
      return edit(state, {
        type: "remove",
        motion: press.alt || press.ctrl ? "word-right" : "right",
        keep: false,
      });
    case "page-up":
      return openedViewer(state, at);
    default:
      return motionKey(state, press);
  }
}

const newline: Edit = { type: "insert", text: "\n", typed: false };

function edit(state: ScreenState, change: Edit): Step {
  return step({ ...state, composer: edited(state.composer, change) });
}

function typed(state: ScreenState, text: string): Step {
  return edit(state, { type: "insert", text, typed: text.length === 1 });
}

function motionKey(state: ScreenState, press: KeyPress): Step {
  const isWord = press.ctrl || press.alt;
  const { menu } = state.composer;
  switch (press.name) {
    case "up":
    case "down": {
      const by = press.name === "up" ? -1 : 1;
      if (menu !== undefined) return step({ ...state, composer: steppedMenu(state.composer, by) });
      return edit(state, { type: "vertical", by, width: inputColumns(state.size.columns) });
    }
    case "left":
      return edit(state, { type: "move", motion: isWord ? "word-left" : "left" });
    case "right":
      return edit(state, { type: "move", motion: isWord ? "word-right" : "right" });
    case "home":
      return edit(state, { type: "move", motion: press.ctrl ? "start" : "line-start" });
    case "end":
      return edit(state, { type: "move", motion: press.ctrl ? "end" : "line-end" });
    default:
      return step(state);
  }
}

function altKey(state: ScreenState, text: string): Step {
  const edits: Readonly<Record<string, Edit>> = {
    b: { type: "move", motion: "word-left" },
    f: { type: "move", motion: "word-right" },
    d: { type: "remove", motion: "word-right", keep: true },
    "<": { type: "move", motion: "start" },
    ">": { type: "move", motion: "end" },
    p: { type: "recall", by: -1 },
    n: { type: "recall", by: 1 },
  };
  const change = Object.hasOwn(edits, text) ? edits[text] : undefined;
  return change === undefined ? step(state) : edit(state, change);
}

const controlEdits: Readonly<Record<string, Edit>> = {
  a: { type: "move", motion: "line-start" },
  e: { type: "move", motion: "line-end" },
  b: { type: "move", motion: "left" },
  f: { type: "move", motion: "right" },
  h: { type: "remove", motion: "left", keep: false },
  k: { type: "remove", motion: "line-end", keep: true },
  u: { type: "remove", motion: "line-start", keep: true },
  w: { type: "remove", motion: "word-left", keep: true },
  y: { type: "yank" },
  j: newline,
};

function controlKey(state: ScreenState, letter: string, at: number): Step {
  if (letter === "c") return interrupted(state, at);
  if (letter === "d") {
    if (isEmpty(state.composer)) return step(state, { type: "leave", reason: "left" });
    return edit(state, { type: "remove", motion: "right", keep: false });
  }
  if (letter === "l") return step(state, { type: "redraw" });
  if (letter === "r") return step(state, { type: "pick", purpose: { kind: "input" } });
  if (letter === "z") return step(state, { type: "suspend" });
  if (letter === "p" || letter === "n")
    return edit(state, {
      type: "vertical",
      by: letter === "p" ? -1 : 1,
      width: inputColumns(state.size.columns),
    });
  const change = Object.hasOwn(controlEdits, letter) ? controlEdits[letter] : undefined;
  return change === undefined ? step(state) : edit(state, change);
}

/** Ctrl-C: puts the text aside, else stops the turn, else leaves at the second time. */
function interrupted(state: ScreenState, at: number): Step {
  if (state.composer.menu !== undefined)
    return step({ ...state, composer: closedMenu(state.composer, false) });
  if (!isEmpty(state.composer))
    return step(
      flashed(
        { ...state, composer: taken(state.composer) },
        "info",
        "Put aside: the Up key brings it back.",
        at,
      ),
    );
  if (state.leavingAt !== undefined && at - state.leavingAt <= leaveMs)
    return step(state, { type: "leave", reason: "left" });
  const armed = { ...state, leavingAt: at };
  if (isFormRunning(state) && !isTurnRunning(state) && !state.isReadOnly)
    return step(
      flashed(stoppingForm(armed, at), "info", `${stoppingFormText(state)} Ctrl-C again leaves.`, at),
      {
        type: "cancel",
        continueSteering: false,
      },
    );
  if (isTurnRunning(state) && !state.isReadOnly)
    return step(flashed(stopping(armed, at), "info", "Ctrl-C again leaves.", at), {
      type: "cancel",
      continueSteering: false,
    });
  return step(flashed(armed, "info", "Ctrl-C again leaves; the session goes on without you.", at));
}

/** Escape: closes the menu, else stops the turn, else the form that runs. */
function escaped(state: ScreenState, at: number): Step {
  if (state.composer.menu !== undefined)
    return step({ ...state, composer: closedMenu(state.composer, false) });
  if (isTurnRunning(state) && !state.isReadOnly)
    return step(stopping(state, at), { type: "cancel", continueSteering: true });
  if (isFormRunning(state) && !state.isReadOnly)
    return step(flashed(stoppingForm(state, at), "info", stoppingFormText(state), at), {
      type: "cancel",
      continueSteering: true,
    });
  return step({ ...state, flash: undefined });
}

function stoppingForm(state: ScreenState, at: number): ScreenState {
  return { ...state, stoppingFormAt: state.stoppingFormAt ?? at };
}

/** What becomes of the form; whoever asks again sees that it takes long, and is told how it ends. */
function stoppingFormText({ stoppingFormAt }: ScreenState): string {
  if (stoppingFormAt === undefined) return "Stopping the form.";
  return `The form's cleanup runs on: ${replLimits.cancelGraceMs / 1_000} s after the cancel its image is ended, with the definitions that forms made.`;
}

/** Says at once that the turn is to stop. */
function stopping(state: ScreenState, at: number): ScreenState {
  return { ...state, stoppingAt: state.stoppingAt ?? at };
}
