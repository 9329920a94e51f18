/** From the end of a run to the child's result: a pure decision (facts C.2, C.5, C.6). */
import type { AgentOutcome } from "../contract/agent-thread.ts";
import { type Failure, boundedMessage } from "../contract/failure.ts";
import type { AgentResult, CancelReason, UsageTotals } from "../contract/job-catalog.ts";
import type { ModelUsage } from "../contract/model.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { totalUsage } from "../model-exchange/usage-total.ts";
import type { Submission } from "./yield.ts";

/** Everything known when a run is over. */
export type RunEnd = {
  readonly outcome: AgentOutcome;
  readonly submission: Submission | undefined;
  readonly lastText: string;
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
  const failure: Failure = {
    code: submission.status === "failed" ? "child-failed" : "child-aborted",
    message: boundedMessage(submission.error ?? ""),
    retry: "terminal",
  };
  return { state: "failed", failure, result };
}

function missingSubmission(end: RunEnd): Failure {
  const { outcome } = end;
  if (outcome.status === "failed") {
    const { model } = outcome.failure;
    return {
      code: model === undefined ? outcome.failure.code : `model-${model.code}`,
      message: boundedMessage(model === undefined ? outcome.failure.message : model.message),
      retry: "terminal",
    };
  }
  return {
    code: "no-submission",
    message: "The child stopped without yield.submit.",
    retry: "terminal",
  };
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

/** Yield text, else final assistant text, else the printed data, else a placeholder that is never mistaken for an answer. */
function outputOf(end: RunEnd): string {
  const text = end.submission?.text ?? "";
  if (text.trim() !== "") return text;
  if (end.lastText.trim() !== "") return end.lastText;
  if (end.submission?.data !== undefined) return JSON.stringify(end.submission.data);
  return end.requestCount > 0 ? `(no output; ${end.requestCount} requests)` : "(no output)";
}
