/** What came of an evaluation, as it is kept and shown: within its bounds, without secrets, in the width of whoever asked. Pure. */
import { prettyPrintDataForm, readDataForm } from "../../lisp/data-forms/index.ts";
import type { LispCondition, LispResult, LispValueText } from "../contract/lisp-image.ts";
import {
  type FormCondition,
  type FormResult,
  type FormValue,
  formReportCharacters,
  formValueLimit,
} from "../contract/session/forms.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";

/** Columns when the front end says nothing. */
export const defaultColumns = 80;

export type FormSurroundings = {
  readonly captured: { readonly text: string; readonly omitted: number };
  /** Width that values were printed for. */
  readonly columns: number;
  readonly durationMs: number;
  readonly withoutSecrets: SecretRemover;
};

const emptyResult = { values: [], omittedValues: 0, output: "", omittedOutput: 0, durationMs: 0 };

/** A form of a host that is gone. */
export const lostForm: FormResult = {
  ...emptyResult,
  status: "lost",
  reason: "the host that evaluated it ended before it",
};

/** A form that never began, and why: it did nothing. */
export function neverBegunForm(reason: string): FormResult {
  return { ...emptyResult, status: "never-begun", reason };
}

/** Why forms never begin. */
export const neverBegun = {
  hostEnded: "the host ended before it began",
  cancelled: "it was cancelled before it began",
} as const;

export function formResult(evaluated: LispResult, surroundings: FormSurroundings): FormResult {
  const { captured, durationMs, withoutSecrets } = surroundings;
  const common = {
    ...emptyResult,
    output: withoutSecrets(captured.text),
    omittedOutput: captured.omitted + evaluated.droppedOutput,
    durationMs,
  };
  switch (evaluated.kind) {
    case "values":
      return {
        ...common,
        status: "values",
        values: evaluated.values.slice(0, formValueLimit).map((value) => formValue(value, surroundings)),
        omittedValues: Math.max(0, evaluated.values.length - formValueLimit),
      };
    case "failed": {
      const { condition, reason } = evaluated;
      if (condition === null) return { ...common, status: "condition", reason };
      return { ...common, status: "condition", condition: shownCondition(condition, withoutSecrets) };
    }
    case "cancelled":
    case "lost":
      return { ...common, status: evaluated.kind, reason: evaluated.reason };
    case "quit":
      return { ...common, status: "quit" };
  }
}

function formValue(
  { preview, omitted, report }: LispValueText,
  { columns, withoutSecrets }: FormSurroundings,
): FormValue {
  const isReport = report === true;
  return {
    text: withoutSecrets(isReport ? reportText(preview, columns) : preview),
    report: isReport,
    cut: omitted !== undefined,
    ...(omitted === undefined ? {} : { omitted }),
  };
}

/** A report that is an S-expression is laid out; any other is as it is. */
function reportText(text: string, columns: number): string {
  if (!text.startsWith("(:")) return text;
  try {
    const form = readDataForm(text, {
      limits: {
        maxBytes: 4 * formReportCharacters,
        maxDepth: 64,
        maxNodes: 65_536,
        maxStringCharacters: 65_536,
      },
    });
    return prettyPrintDataForm(form, { width: columns }).trimEnd();
  } catch {
    // It only begins like one.
    return text;
  }
}

/** The condition as people are shown it: what its slots say besides its report. */
export function shownCondition(
  { type, text, slots }: LispCondition,
  withoutSecrets: SecretRemover,
): FormCondition {
  return {
    type,
    text: withoutSecrets(text),
    details: slots
      .filter(
        ({ name, value }) =>
          !repeated.has(name) && value !== "unbound" && !(emptied.has(name) && value === "NIL"),
      )
      .map(({ name, value }) => ({ name, value: withoutSecrets(value) })),
  };
}

/** Slots that say nothing when they are NIL. */
const emptied: ReadonlySet<string> = new Set(["DETAILS", "ARGUMENT"]);

/** Slots that the report is made of. */
const repeated: ReadonlySet<string> = new Set(["FORMAT-CONTROL", "FORMAT-ARGUMENTS", "MESSAGE"]);
