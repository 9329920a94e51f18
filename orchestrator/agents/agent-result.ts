/** From the end of a run to the child's result: a pure decision (facts C.2, C.5, C.6). */
import type { AgentOutcome } from "../contract/agent-thread.ts";
import { type Failure, boundedMessage } from "../contract/failure.ts";
import type { AgentResult, CancelReason, UsageTotals } from "../contract/job-catalog.ts";
import type { ModelUsage } from "../contract/model.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { totalUsage } from "../model-exchange/usage-total.ts";
import { type OutputLimits, retainedOutput } from "./retained-output.ts";
import type { Submission } from "./yield.ts";

/** Everything known when a run is over. */
export type RunEnd = {
  readonly outcome: AgentOutcome;
  readonly submission: Submission | undefined;
  /** Why the child was ended although it had neither submitted nor failed. */
  readonly givenUp: string | undefined;
  /** Host and port of the model's server, when there is one. */
  readonly server: string | undefined;
  /** Attempts of the last request. */
  readonly lastAttempts: number;
  readonly lastText: string;
  /** The end of what had streamed of an answer that did not arrive whole. */
  readonly streamTail: string;
  readonly outputLimits: OutputLimits;
  readonly usages: readonly ModelUsage[];
  readonly requestCount: number;
  readonly durationMs: number;
  readonly model: string;
  readonly undeliveredPromptCount: number;
  /** Set when the job was cancelled. */
  readonly cancelReason: CancelReason | undefined;
};

/** Longest error kept in a result, in characters. */
export const errorLimit = 16_384;

/** Usage summed over the requests; counters that nobody reported stay absent. */
export function usageTotals(usages: readonly ModelUsage[], requestCount: number): UsageTotals {
  const { requestsWithUnknownUsage: _, ...known } = totalUsage(usages);
  return { ...known, providerRequests: requestCount };
}

/** The job outcome of a finished run. */
export function agentOutcomeOf(end: RunEnd): Outcome<AgentResult> {
  if (end.cancelReason !== undefined)
    return {
      state: "aborted",
      reason: end.cancelReason,
      result: resultOf(end, "aborted", `Cancelled (${end.cancelReason}).`),
    };
  const { submission } = end;
  if (submission === undefined) {
    const failure = missingSubmission(end);
    return { state: "failed", failure, result: resultOf(end, "failed", failure.message) };
  }
  const result = resultOf(end, submission.status, submission.error);
  if (submission.status === "success") return { state: "completed", result };
  if (submission.status === "aborted") return { state: "aborted", reason: undefined, result };
  const failure: Failure = {
    code: "child-failed",
    message: boundedMessage(submission.error ?? ""),
    retry: "terminal",
  };
  return { state: "failed", failure, result };
}

function missingSubmission(end: RunEnd): Failure {
  const { outcome, givenUp } = end;
  if (givenUp !== undefined)
    return { code: "submission-repeated", message: boundedMessage(givenUp), retry: "terminal" };
  if (outcome.status === "failed") {
    const { code, message, model } = outcome.failure;
    return {
      code: model === undefined ? code : `model-${model.code}`,
      message: boundedMessage(model === undefined ? message : model.message + attemptNote(end)),
      retry: "terminal",
    };
  }
  return {
    code: "no-submission",
    message: `The child ended its turn without calling yield.submit, also after it was reminded to. The model had answered every request (${end.requestCount}); no answer of the provider was at fault.`,
    retry: "terminal",
  };
}

/** Where the request that failed went, and how often. */
function attemptNote({ server, lastAttempts }: RunEnd): string {
  if (server === undefined || lastAttempts === 0) return "";
  return ` (${server}, ${lastAttempts === 1 ? "1 attempt" : `${lastAttempts} attempts`})`;
}

function resultOf(end: RunEnd, status: AgentResult["status"], error: string | undefined): AgentResult {
  const { submission } = end;
  return {
    status,
    output: outputOf(end),
    yielded: submission !== undefined,
    structuredOutputPresent: submission?.data !== undefined,
    usage: usageTotals(end.usages, end.requestCount),
    durationMs: end.durationMs,
    model: end.model,
    undeliveredPromptCount: end.undeliveredPromptCount,
    ...(error === undefined ? {} : { error: boundedMessage(error, errorLimit) }),
    ...(submission?.label === undefined ? {} : { label: submission.label }),
    ...(submission?.data === undefined ? {} : { structuredOutput: submission.data }),
  };
}

/** What the child said, within the limits. */
function outputOf(end: RunEnd): string {
  return retainedOutput(wordsOf(end), end.outputLimits);
}

/** Yield text, else final assistant text, else the stream's tail, else the printed data, else a placeholder that is never mistaken for an answer. */
function wordsOf(end: RunEnd): string {
  const text = end.submission?.text ?? "";
  if (text.trim() !== "") return text;
  if (end.lastText.trim() !== "") return end.lastText;
  if (end.submission === undefined && end.streamTail.trim() !== "") return end.streamTail;
  if (end.submission?.data !== undefined) return JSON.stringify(end.submission.data);
  return end.requestCount > 0 ? `(no output; ${end.requestCount} requests)` : "(no output)";
}
