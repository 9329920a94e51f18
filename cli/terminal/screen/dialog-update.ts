/** Keys while a dialog is on show: the approval of a request, or a picker. */
import type { PermissionAnswer } from "../../../orchestrator/contract/session.ts";
import { edited } from "../composer/composer.ts";
import { approvalOptions } from "./approval-options.ts";
import type { KeyPress } from "./key-press.ts";
import { type Picker, chosenRow, movedPicker, searchedPicker } from "./picker.ts";
import {
  type ApprovalDialog,
  type Command,
  type ScreenState,
  type Step,
  flashed,
  step,
} from "./screen-state.ts";
import { graphemes } from "../text/text-width.ts";

/** Somebody who typed within this time before the dialog came is still typing: keys are text until a pause of {@link pauseMs}. */
const typingMs = 1_000;
const pauseMs = 500;

/** False while keys are still meant for the composer, so that nobody approves what they did not see. */
export function isArmed(state: ScreenState, dialog: Pick<ApprovalDialog, "shownAt">, at: number): boolean {
  if (state.lastTypedAt < dialog.shownAt - typingMs) return true;
  return at - Math.max(state.lastTypedAt, dialog.shownAt) >= pauseMs;
}

/** A key for the approval dialog; undefined when the dialog has no use for it. */
export function withApprovalKey(
  state: ScreenState,
  dialog: ApprovalDialog,
  press: KeyPress,
): Step | undefined {
  const request = state.requests.find(({ requestId }) => requestId === dialog.requestId);
  const options = request === undefined ? [] : approvalOptions(request);
  const choose = (option: number): Step => {
    const chosen = options[option];
    return chosen === undefined ? step(state) : answered(state, dialog, option, chosen.answer);
  };
  if (press.name === "text" && !press.alt) {
    const letter = press.text.toLowerCase();
    return choose(
      /^[1-9]$/.test(letter) ? Number(letter) - 1 : options.findIndex(({ key }) => key === letter),
    );
  }
  if (press.name === "enter") return choose(dialog.option);
  if (press.name === "escape") return choose(options.length - 1);
  const by = movement(press);
  if (by !== 0 && options.length > 0) {
    const option = (dialog.option + by + options.length) % options.length;
    return step({ ...state, approval: { ...dialog, option } });
  }
  if (press.name === "page-down")
    return step({ ...state, approval: { ...dialog, scroll: dialog.scroll + 5 } });
  if (press.name === "page-up")
    return step({ ...state, approval: { ...dialog, scroll: Math.max(0, dialog.scroll - 5) } });
  return press.name === "control" ? undefined : step(state);
}

/** To the next option, or the one before. */
function movement({ name, shift }: KeyPress): -1 | 0 | 1 {
  if (name === "down" || name === "right" || (name === "tab" && !shift)) return 1;
  return name === "up" || name === "left" || name === "tab" ? -1 : 0;
}

/** The answer goes out and the dialog closes; the event that it was resolved brings the next one. */
function answered(
  state: ScreenState,
  dialog: ApprovalDialog,
  option: number,
  answer: PermissionAnswer,
): Step {
  return step(
    { ...state, approval: { ...dialog, option } },
    { type: "answer", requestId: dialog.requestId, answer },
  );
}

/** A key for a picker. */
export function withPickerKey(state: ScreenState, picker: Picker, press: KeyPress): Step {
  const show = (next: Picker): Step => step({ ...state, picker: next });
  switch (press.name) {
    case "escape":
      return closedPicker(state);
    case "enter":
    case "tab":
      return chosen(state, picker);
    case "up":
      return show(movedPicker(picker, -1));
    case "down":
      return show(movedPicker(picker, 1));
    case "page-up":
      return show(movedPicker(picker, -10));
    case "page-down":
      return show(movedPicker(picker, 10));
    case "backspace":
      return show(searchedPicker(picker, graphemes(picker.query).slice(0, -1).join("")));
    case "text":
      return show(searchedPicker(picker, picker.query + press.text));
    case "control":
      return withPickerControl(state, picker, press.text);
    default:
      return step(state);
  }
}

function withPickerControl(state: ScreenState, picker: Picker, letter: string): Step {
  if (letter === "c" || letter === "g") return closedPicker(state);
  if (letter === "n") return step({ ...state, picker: movedPicker(picker, 1) });
  if (letter === "p") return step({ ...state, picker: movedPicker(picker, -1) });
  if (letter === "u" || letter === "w") return step({ ...state, picker: searchedPicker(picker, "") });
  return step(state);
}

/** Without a conversation behind it, closing the picker leaves. */
function closedPicker(state: ScreenState): Step {
  const closed = { ...state, picker: undefined };
  return state.sessionId === undefined ? step(closed, { type: "leave", reason: "left" }) : step(closed);
}

function chosen(state: ScreenState, picker: Picker): Step {
  const row = chosenRow(picker);
  if (row === undefined) return step(flashed(state, "warning", "Nothing found to choose.", state.now));
  // The list of settings comes back in place of the values, unless the picker is closed before.
  const isValue = picker.purpose.kind === "setting-value";
  if (picker.purpose.kind === "input")
    return step({
      ...state,
      picker: undefined,
      composer: edited(state.composer, { type: "set", text: row.id }),
    });
  return step(isValue ? state : { ...state, picker: undefined }, choiceOf(picker, row.id));
}

function choiceOf({ purpose }: Picker, id: string): Command {
  switch (purpose.kind) {
    case "input":
      throw new Error("earlier input is for the composer");
    case "conversation":
      return { type: "open", sessionId: id };
    case "model":
      return { type: "invoke", operation: "model", input: id };
    case "setting":
      return { type: "pick", purpose: { kind: "setting-value", name: id } };
    case "setting-value":
      return { type: "set", name: purpose.name, value: id === "true" || id === "false" ? id === "true" : id };
  }
}
