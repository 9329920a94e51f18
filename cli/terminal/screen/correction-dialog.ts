/** The review of a correction: what a complaint became, how it is amended, and where it is saved. Pure. */
import type {
  CorrectionCandidate,
  CorrectionProposal,
  CorrectionSave,
  CorrectionScope,
  SavedCorrection,
} from "../../../orchestrator/contract/session.ts";
import { type TextBuffer, bufferOf, emptyBuffer } from "../composer/text-buffer.ts";
import type { KeyPress } from "./key-press.ts";
import { entryStep, pastedEntry } from "./text-entry.ts";

/** What the edge is asked to do about it. */
export type CorrectionRequest =
  | { readonly kind: "propose"; readonly complaint: string }
  | { readonly kind: "cancel" }
  | ({ readonly kind: "save" } & CorrectionSave);

/** What came of that. */
export type CorrectionAnswer =
  | { readonly kind: "proposed"; readonly proposal: CorrectionProposal }
  | { readonly kind: "saved"; readonly saved: SavedCorrection }
  | { readonly kind: "refused"; readonly code: string | undefined; readonly message: string };

export type CorrectionField = keyof CorrectionCandidate;

type Entry = { readonly field: CorrectionField; readonly buffer: TextBuffer };

/** What was confirmed of a save that was refused without. */
type Confirmed = Pick<CorrectionSave, "confirmUnmatched" | "confirmReplace">;

export type CorrectionDialog =
  /** The complaint is being written. */
  | { readonly phase: "complaint"; readonly buffer: TextBuffer }
  | { readonly phase: "proposing"; readonly complaint: string }
  | {
      readonly phase: "review";
      readonly complaint: string;
      readonly candidate: CorrectionCandidate;
      /** Whether the trigger occurs in what the model wrote; undefined when it was amended. */
      readonly matched: boolean | undefined;
      readonly existing: readonly CorrectionScope[];
      readonly index: number;
      readonly entry: Entry | undefined;
    }
  | {
      readonly phase: "saving";
      readonly review: Review;
      readonly scope: CorrectionScope;
      readonly confirmed: Confirmed;
    }
  | {
      readonly phase: "confirm";
      readonly review: Review;
      readonly scope: CorrectionScope;
      readonly confirmed: Confirmed;
      readonly asks: "unmatched" | "replace";
      /** Why it was refused. */
      readonly reason: string;
      readonly index: number;
    };
export type Review = Extract<CorrectionDialog, { phase: "review" }>;

/** The dialog as it is then (undefined: closed), a request that goes out, and what people are told. */
export type CorrectionStep = {
  readonly dialog: CorrectionDialog | undefined;
  readonly request?: CorrectionRequest;
  readonly problem?: string;
};

/** Opens it for a complaint, or to write one. */
export function openedCorrection(complaint: string | undefined): CorrectionStep {
  if (complaint === undefined || complaint.trim() === "")
    return { dialog: { phase: "complaint", buffer: emptyBuffer } };
  return { dialog: { phase: "proposing", complaint }, request: { kind: "propose", complaint } };
}

export type ReviewRow = {
  readonly label: string;
  readonly action:
    | { readonly kind: "amend"; readonly field: CorrectionField }
    | { readonly kind: "save"; readonly scope: CorrectionScope }
    | { readonly kind: "discard" };
};

export const fieldNames: Readonly<Record<CorrectionField, string>> = {
  instruction: "Instruction",
  trigger: "Trigger",
  id: "Name",
};

export function reviewRows({ candidate }: Review): readonly ReviewRow[] {
  const field = (name: CorrectionField): ReviewRow => ({
    label: `${fieldNames[name]}: ${candidate[name]}`,
    action: { kind: "amend", field: name },
  });
  return [
    field("instruction"),
    field("trigger"),
    field("id"),
    { label: "Save for this workspace", action: { kind: "save", scope: "workspace" } },
    { label: "Save for all workspaces", action: { kind: "save", scope: "global" } },
    { label: "Discard", action: { kind: "discard" } },
  ];
}

export const confirmRows = ["Save it all the same", "Go back"] as const;

/** A key of the dialog. */
export function withCorrectionKey(dialog: CorrectionDialog, press: KeyPress): CorrectionStep {
  switch (dialog.phase) {
    case "complaint":
      return withComplaintKey(dialog.buffer, press);
    case "proposing":
      return isLeaving(press) ? { dialog: undefined, request: { kind: "cancel" } } : { dialog };
    case "review":
      return dialog.entry === undefined
        ? withReviewKey(dialog, press)
        : withAmendKey(dialog, dialog.entry, press);
    case "saving":
      return { dialog };
    case "confirm":
      return withConfirmKey(dialog, press);
  }
}

/** A paste goes into the text that is being written, in one line. */
export function withCorrectionPaste(dialog: CorrectionDialog, text: string): CorrectionDialog {
  if (dialog.phase === "complaint") return { ...dialog, buffer: pastedEntry(dialog.buffer, text) };
  if (dialog.phase !== "review" || dialog.entry === undefined) return dialog;
  return { ...dialog, entry: { ...dialog.entry, buffer: pastedEntry(dialog.entry.buffer, text) } };
}

/** What the session answered. An answer that the dialog does not wait for any more changes nothing. */
export function answeredCorrection(dialog: CorrectionDialog, answer: CorrectionAnswer): CorrectionStep {
  if (dialog.phase === "proposing") {
    if (answer.kind === "proposed") return { dialog: reviewOf(dialog.complaint, answer.proposal) };
    // The complaint is not lost: it can be sent again.
    if (answer.kind === "refused")
      return {
        dialog: { phase: "complaint", buffer: bufferOf(dialog.complaint) },
        problem: answer.message,
      };
  }
  if (dialog.phase !== "saving") return { dialog };
  if (answer.kind === "saved") return { dialog: undefined };
  if (answer.kind !== "refused") return { dialog };
  const asks = confirmationOf[answer.code ?? ""];
  if (asks === undefined) return { dialog: dialog.review, problem: answer.message };
  const { review, scope, confirmed } = dialog;
  const last = confirmRows.length - 1;
  return {
    dialog: { phase: "confirm", review, scope, confirmed, asks, reason: answer.message, index: last },
  };
}

const confirmationOf: Readonly<Record<string, "unmatched" | "replace">> = {
  "correction-unmatched": "unmatched",
  "correction-exists": "replace",
};

function reviewOf(complaint: string, { candidate, matched, existing }: CorrectionProposal): Review {
  return { phase: "review", complaint, candidate, matched, existing, index: 0, entry: undefined };
}

function isLeaving({ name, text }: KeyPress): boolean {
  return name === "escape" || (name === "control" && (text === "c" || text === "g"));
}

function withComplaintKey(buffer: TextBuffer, press: KeyPress): CorrectionStep {
  if (press.name === "enter" && (press.alt || press.shift))
    return { dialog: { phase: "complaint", buffer: pastedEntry(buffer, " ") } };
  const next = entryStep(buffer, press);
  if (next.kind === "left") return { dialog: undefined };
  if (next.kind === "text") return { dialog: { phase: "complaint", buffer: next.buffer } };
  const complaint = buffer.text.trim();
  return complaint === "" ? { dialog: { phase: "complaint", buffer } } : openedCorrection(complaint);
}

/** The row that a key goes to; undefined for a key that goes to none. */
function movedIndex(index: number, count: number, press: KeyPress): number | undefined {
  const within = (to: number): number => Math.min(count - 1, Math.max(0, to));
  switch (press.name) {
    case "up":
      return within(index - 1);
    case "down":
      return within(index + 1);
    case "tab":
      return (index + (press.shift ? count - 1 : 1)) % count;
    case "text":
      return /^[1-9]$/.test(press.text) && Number(press.text) <= count ? Number(press.text) - 1 : undefined;
    case "control":
      if (press.text === "n") return within(index + 1);
      return press.text === "p" ? within(index - 1) : undefined;
    default:
      return undefined;
  }
}

function withReviewKey(review: Review, press: KeyPress): CorrectionStep {
  if (isLeaving(press)) return { dialog: undefined };
  const rows = reviewRows(review);
  if (press.name !== "enter")
    return { dialog: { ...review, index: movedIndex(review.index, rows.length, press) ?? review.index } };
  const action = rows[review.index]?.action;
  switch (action?.kind) {
    case undefined:
      return { dialog: review };
    case "discard":
      return { dialog: undefined };
    case "save":
      return saving(review, action.scope, {});
    case "amend": {
      const { field } = action;
      return { dialog: { ...review, entry: { field, buffer: bufferOf(review.candidate[field]) } } };
    }
  }
}

function withAmendKey(review: Review, { field, buffer }: Entry, press: KeyPress): CorrectionStep {
  const next = entryStep(buffer, press);
  if (next.kind === "text") return { dialog: { ...review, entry: { field, buffer: next.buffer } } };
  const written = buffer.text.trim();
  const done = { ...review, entry: undefined };
  if (next.kind === "left" || written === "" || written === review.candidate[field]) return { dialog: done };
  const candidate = { ...review.candidate, [field]: written };
  return {
    dialog: {
      ...done,
      candidate,
      matched: field === "trigger" ? undefined : review.matched,
      existing: field === "id" ? [] : review.existing,
    },
  };
}

function saving(review: Review, scope: CorrectionScope, confirmed: Confirmed): CorrectionStep {
  return {
    dialog: { phase: "saving", review, scope, confirmed },
    request: { kind: "save", candidate: review.candidate, scope, ...confirmed },
  };
}

function withConfirmKey(
  dialog: Extract<CorrectionDialog, { phase: "confirm" }>,
  press: KeyPress,
): CorrectionStep {
  const { review, scope, confirmed, asks, index } = dialog;
  if (isLeaving(press)) return { dialog: review };
  if (press.name !== "enter")
    return { dialog: { ...dialog, index: movedIndex(index, confirmRows.length, press) ?? index } };
  if (index !== 0) return { dialog: review };
  return saving(review, scope, {
    ...confirmed,
    ...(asks === "unmatched" ? { confirmUnmatched: true } : { confirmReplace: true }),
  });
}
