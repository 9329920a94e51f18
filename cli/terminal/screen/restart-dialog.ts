/** The restart debugger: the choices about a condition that waits, and what keys do among them. Pure. */
import type {
  Diagnosis,
  LiveRestart,
  RestartChoice,
  RestartRequest,
} from "../../../orchestrator/contract/session.ts";
import { type TextBuffer, emptyBuffer } from "../composer/text-buffer.ts";
import type { KeyPress } from "./key-press.ts";
import { entryStep, pastedEntry } from "./text-entry.ts";

/** What the edge is asked to do about it. */
export type RestartRequestChoice = RestartChoice | { readonly kind: "diagnose" | "cancel-diagnosis" };

export type RestartRow = {
  readonly label: string;
  readonly note: string;
  /** What choosing it does; `argument`: a form is asked for first. */
  readonly action:
    | { readonly kind: "choose"; readonly choice: RestartRequestChoice }
    | { readonly kind: "argument"; readonly restart: LiveRestart }
    | { readonly kind: "values" };
};

export type RestartDialog = {
  readonly requestId: string;
  readonly shownAt: number;
  readonly index: number;
  readonly diagnosis: Diagnosis | undefined;
  readonly isDiagnosing: boolean;
  /** Somebody writes into the draft since the dialog is there: Enter takes nothing before a row was gone to. */
  readonly isTyping: boolean;
  /** The digit that went to the row, which is the first letter of a text when more comes at once. */
  readonly digit: { readonly text: string; readonly at: number } | undefined;
  /** A form that is being written for a row. */
  readonly entry: { readonly row: RestartRow; readonly buffer: TextBuffer } | undefined;
};

export function openedDialog(request: RestartRequest, at: number): RestartDialog {
  return {
    requestId: request.requestId,
    shownAt: at,
    index: firstChoice(request),
    diagnosis: undefined,
    isDiagnosing: false,
    isTyping: false,
    digit: undefined,
    entry: undefined,
  };
}

/** Text behind a digit within this time belongs to it; nobody reaches Enter behind a digit within the shorter one. */
const sameTextMs = 500;
const sameBurstMs = 5;

/**
 * What of a key is text for the draft, with a digit before it that has only gone to a row; undefined: the key is for the dialog. Text that
 * was meant for the prompt must choose nothing: the form would run again, or end.
 */
export function draftText(dialog: RestartDialog, press: KeyPress, at: number): string | undefined {
  if (dialog.entry !== undefined) return undefined;
  const { digit } = dialog;
  const since = digit === undefined ? Infinity : at - digit.at;
  if (press.name === "enter") return digit !== undefined && since <= sameBurstMs ? digit.text : undefined;
  if (press.name !== "text" || press.alt) return undefined;
  if (dialog.isTyping) return press.text;
  if (digit !== undefined && since <= sameTextMs) return digit.text + press.text;
  return /^[1-9]$/.test(press.text) ? undefined : press.text;
}

/** The dialog while somebody writes into the draft: at its first choice again. */
export function typingDialog(request: RestartRequest, dialog: RestartDialog): RestartDialog {
  return { ...dialog, isTyping: true, digit: undefined, index: firstChoice(request) };
}

/** What Enter would do at first: a restart of the program's own; without one the end. Neither asks a model nor repeats what was done. */
function firstChoice({ restarts }: RestartRequest): number {
  return restarts.some(({ name }) => name !== "ABORT") ? 0 : alwaysThere.length - 1;
}

/** Rows behind the live restarts, as long as there is no diagnosis. */
const alwaysThere = ["diagnose", "retry", "values", "abort"] as const;

/** The choices: what a diagnosis proposes, the live restarts, what always can be done, and the end, which is at last. */
export function restartRows(
  { restarts }: RestartRequest,
  { diagnosis, isDiagnosing }: RestartDialog,
): readonly RestartRow[] {
  const choose = (label: string, note: string, choice: RestartRequestChoice): RestartRow => ({
    label,
    note,
    action: { kind: "choose", choice },
  });
  const proposed = (diagnosis?.recoveries ?? []).map(({ title, reason }, index) =>
    choose(`Recover: ${title}`, reason, { kind: "recovery", index }),
  );
  const live = restarts
    .filter(({ name }) => name !== "ABORT")
    .map((restart): RestartRow => {
      const { name, text, index, parameters = "" } = restart;
      const label = name === "" ? text : `${name.toLowerCase()}: ${text}`;
      if (parameters === "") return choose(label, "", { kind: "restart", index });
      const note = /^[^\s&]\S*$/.test(parameters) ? "takes a form" : `takes (${parameters})`;
      return { label, note, action: { kind: "argument", restart } };
    });
  return [
    ...proposed,
    ...live,
    ...(isDiagnosing
      ? []
      : [
          choose(
            diagnosis === undefined ? "Ask Autolith why this failed" : "Ask again why this failed",
            "the form waits meanwhile",
            { kind: "diagnose" },
          ),
        ]),
    choose("Evaluate the whole form again", "nothing that it did is undone", { kind: "retry" }),
    { label: "Return other values", note: "of a form that you write", action: { kind: "values" } },
    choose("Abort", "ends the form with its condition", { kind: "abort" }),
  ];
}

/** What a key leads to: the dialog as it is then, and a choice that goes out. */
export type RestartKeyStep = {
  readonly dialog: RestartDialog;
  readonly choice: RestartRequestChoice | undefined;
};

/** A key of the dialog. */
export function withRestartKey(
  request: RestartRequest,
  dialog: RestartDialog,
  press: KeyPress,
  at: number,
): RestartKeyStep {
  if (dialog.entry !== undefined) return withEntryKey(dialog, dialog.entry, press);
  const rows = restartRows(request, dialog);
  const stay = (index: number, digit?: RestartDialog["digit"]): RestartKeyStep => ({
    dialog: { ...dialog, isTyping: false, digit, index: Math.min(rows.length - 1, Math.max(0, index)) },
    choice: undefined,
  });
  switch (press.name) {
    case "up":
      return stay(dialog.index - 1);
    case "down":
      return stay(dialog.index + 1);
    case "tab":
      return stay((dialog.index + (press.shift ? rows.length - 1 : 1)) % rows.length);
    case "text": {
      // A digit goes to its row and does nothing: text that was meant for the prompt has digits, too.
      const number = /^[1-9]$/.test(press.text) ? Number(press.text) : undefined;
      const index = number === undefined || number > rows.length ? dialog.index : number - 1;
      return stay(index, { text: press.text, at });
    }
    case "enter":
      return chosenRow(dialog, rows[dialog.index]);
    case "escape":
      return escaped(dialog);
    case "control":
      if (press.text === "n") return stay(dialog.index + 1);
      if (press.text === "p") return stay(dialog.index - 1);
      return press.text === "c" || press.text === "g" ? escaped(dialog) : stay(dialog.index);
    default:
      return stay(dialog.index);
  }
}

/** Escape ends a diagnosis and nothing else; without one it aborts. */
function escaped(dialog: RestartDialog): RestartKeyStep {
  return dialog.isDiagnosing
    ? { dialog, choice: { kind: "cancel-diagnosis" } }
    : { dialog, choice: { kind: "abort" } };
}

function chosenRow(dialog: RestartDialog, row: RestartRow | undefined): RestartKeyStep {
  if (row === undefined) return { dialog, choice: undefined };
  if (row.action.kind !== "choose")
    return { dialog: { ...dialog, entry: { row, buffer: emptyBuffer } }, choice: undefined };
  const { choice } = row.action;
  const isDiagnosing = choice.kind === "diagnose" || dialog.isDiagnosing;
  return { dialog: { ...dialog, isDiagnosing }, choice };
}

function withEntryKey(
  dialog: RestartDialog,
  entry: NonNullable<RestartDialog["entry"]>,
  press: KeyPress,
): RestartKeyStep {
  const next = entryStep(entry.buffer, press);
  if (next.kind === "done") return entered(dialog, entry);
  const written = next.kind === "left" ? undefined : { ...entry, buffer: next.buffer };
  return { dialog: { ...dialog, entry: written }, choice: undefined };
}

function entered(
  dialog: RestartDialog,
  { row, buffer }: NonNullable<RestartDialog["entry"]>,
): RestartKeyStep {
  const source = buffer.text.trim();
  if (row.action.kind === "argument") {
    const { index, parameters = "" } = row.action.restart;
    // Nothing is an answer where nothing is needed.
    if (source === "" && !parameters.startsWith("&")) return { dialog, choice: undefined };
    return { dialog, choice: { kind: "restart", index, argument: source } };
  }
  if (source === "") return { dialog, choice: undefined };
  return { dialog, choice: { kind: "values", source } };
}

/** A paste goes into the form that is being written, in one line. */
export function withRestartPaste(dialog: RestartDialog, text: string): RestartDialog {
  if (dialog.entry === undefined) return dialog;
  return { ...dialog, entry: { ...dialog.entry, buffer: pastedEntry(dialog.entry.buffer, text) } };
}
