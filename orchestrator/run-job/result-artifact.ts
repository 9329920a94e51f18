import {
  DataFormError,
  checkFormLimits,
  codePointCount,
  keyword,
  prettyPrintDataForm,
  type DataForm,
} from "../../lisp/data-forms/index.ts";
import { boundedMessage, failureMessageLimit } from "../contract/failure.ts";
import type { FailureCategory, RunStatus } from "./categories.ts";
import { RunJobFailure } from "./run-job-failure.ts";
import { utcSeconds } from "./utc-time.ts";

/** Tokens and requests of the run; unknown counters are zero in the artifact. */
export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly providerRequests: number;
}

/** How a run ended, as its artifact tells it. */
export type RunOutcome =
  | { readonly status: "succeeded"; readonly result: DataForm }
  | {
      readonly status: Exclude<RunStatus, "succeeded">;
      readonly category: FailureCategory;
      /** Cut to 2,000 characters. */
      readonly message: string;
    };

/** All that the artifact of a run holds (facts A.3). */
export interface RunResult {
  /** The caller's id, or `""` when it could not be recovered. */
  readonly id: string;
  readonly outcome: RunOutcome;
  /** Execution id of the child, when one was admitted. */
  readonly traceId: string | undefined;
  readonly usage: RunUsage;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Bounds within which artifacts are read back. */
export const resultLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxNodes: 262_144,
  maxStringCharacters: 16 * 1024 * 1024,
} as const;

/** The artifact's form, keys in their documented order. */
export function resultForm(run: RunResult): DataForm {
  const { outcome, traceId, usage } = run;
  return [
    keyword("autolith-job-result"),
    ...[keyword("version"), 1, keyword("id"), run.id, keyword("status"), keyword(outcome.status)],
    ...(outcome.status === "succeeded"
      ? [keyword("result"), outcome.result]
      : [keyword("failure"), failureForm(outcome.category, outcome.message)]),
    ...(traceId === undefined ? [] : [keyword("trace-id"), traceId]),
    keyword("usage"),
    [
      ...[keyword("input-tokens"), usage.inputTokens, keyword("output-tokens"), usage.outputTokens],
      ...[keyword("provider-requests"), usage.providerRequests],
    ],
    ...[keyword("started-at"), utcSeconds(run.startedAt), keyword("finished-at"), utcSeconds(run.finishedAt)],
  ];
}

/**
 * The artifact's text: pretty-printed, upper-case keywords, doubles marked for any Lisp's reader, a newline at its end.
 * @throws RunJobFailure `artifact-failure` when it exceeds {@link resultLimits}, which no reader would accept.
 */
export function resultText(run: RunResult): string {
  const form = resultForm(run);
  checkShape(form);
  const text = `${prettyPrintDataForm(form, { floatFormat: "single" })}\n`;
  const size = Buffer.byteLength(text);
  if (size > resultLimits.maxBytes)
    throw tooLarge(`${size} bytes exceed the limit of ${resultLimits.maxBytes}`);
  return text;
}

function failureForm(category: FailureCategory, message: string): DataForm {
  const bounded = codePointCount(message) > failureMessageLimit ? boundedMessage(message) : message;
  return [keyword("category"), keyword(category), keyword("message"), bounded];
}

function checkShape(form: DataForm): void {
  try {
    checkFormLimits(form, resultLimits);
  } catch (error) {
    throw error instanceof DataFormError ? tooLarge(error.problem) : error;
  }
}

function tooLarge(problem: string): RunJobFailure {
  return new RunJobFailure("artifact-failure", `the result cannot be published: ${problem}`);
}
