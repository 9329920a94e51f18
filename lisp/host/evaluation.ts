import type { SourceLocation } from "../data/function.ts";
import type { LispValue } from "../data/value.ts";

/** A live restart as the host sees it. */
export interface RestartReport {
  /** Number to choose it by. */
  readonly index: number;
  /** Symbol name, "" when anonymous. */
  readonly name: string;
  readonly text: string;
  /** Its lambda list as text, without parentheses; "" when it takes no arguments. */
  readonly parameters: string;
}

/** A condition nobody handled. */
export interface ConditionReport {
  /** Printed condition type, e.g. "TYPE-ERROR". */
  readonly type: string;
  /** What the condition reports. */
  readonly text: string;
  readonly slots: readonly { readonly name: string; readonly value: string }[];
  readonly restarts: readonly RestartReport[];
  readonly condition: LispValue;
  /** Where the top-level form begins that was evaluated. */
  readonly location: SourceLocation | null;
}

/** What to do about a condition: a restart with arguments (forms as text, evaluated), or the end of the evaluation. */
export type ConditionDecision =
  | { readonly kind: "restart"; readonly index: number; readonly arguments?: readonly string[] }
  | { readonly kind: "abort" };

/** Options of one evaluation. */
export interface EvaluateOptions {
  /** Package to read in; default: where the evaluation before it left `*package*` (first COMMON-LISP-USER). */
  readonly package?: string;
  /** Text written to `*standard-output*`, as it comes. */
  readonly onOutput?: (text: string) => void;
  /** Text written to `*error-output*`, as it comes. Default: like output. */
  readonly onErrorOutput?: (text: string) => void;
  /** What `*standard-input*` gives; default empty. */
  readonly input?: string;
  /** Aborting it cancels the evaluation: cleanup forms run, then it ends as "cancelled". */
  readonly signal?: AbortSignal;
  /**
   * Asked about a condition nobody handled, with the restarts still live; default: the evaluation fails. An argument form that fails is told
   * below the text of the condition, which is asked about again.
   */
  readonly onCondition?: (report: ConditionReport) => Promise<ConditionDecision>;
  /** Most steps (calls and loop rounds) the evaluation may take; counted in slices of 10,000. */
  readonly stepLimit?: number;
  /** Most characters of the preview of one value; default 2,000. */
  readonly previewLength?: number;
  /** Columns to print values pretty for; not pretty when absent. */
  readonly rightMargin?: number;
  /** False: `*read-eval*` is NIL. */
  readonly readEval?: boolean;
  /** Where the source comes from, for definition locations. */
  readonly file?: string;
}

/** A value with its printed form, cut to the preview length. */
export interface ValueReport {
  readonly value: LispValue;
  readonly preview: string;
  /** How much of the printed form is left out, as text; "" when it is whole. */
  readonly omitted: string;
}

/** How an evaluation ended. */
export type EvaluationEnd =
  | { readonly kind: "values"; readonly values: readonly ValueReport[] }
  | { readonly kind: "failed"; readonly condition: ConditionReport | null; readonly reason: string }
  | { readonly kind: "cancelled"; readonly reason: string }
  | { readonly kind: "quit"; readonly code: number };

/** What every evaluation reports at its end. */
export type EvaluationResult = EvaluationEnd & {
  /** `*package*` at the end. */
  readonly package: string;
  readonly steps: number;
};

/** A running evaluation. */
export interface Evaluation {
  readonly id: number;
  readonly result: Promise<EvaluationResult>;
  cancel(reason: string): void;
}
