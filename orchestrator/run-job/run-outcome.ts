/** From the end of the root child, or an error before it, to the outcome of a run: pure decisions (facts A.4). */
import { jsonToForm } from "../../lisp/data-forms/index.ts";
import { AutolithError, failureOf } from "../contract/failure.ts";
import type { AgentResult } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { FailureCategory } from "./categories.ts";
import type { RunOutcome, RunUsage } from "./result-artifact.ts";
import { RunJobFailure } from "./run-job-failure.ts";

/** Errors whose code decides the category when they end a run before its child was admitted. */
const categoryByCode: Readonly<Record<string, FailureCategory>> = {
  "unknown-role": "unknown-role",
  "queue-unavailable": "runtime-unavailable",
};

/** The outcome of a run that an error ended. `isRuntimeError` tells errors of Redis and the pool from others. */
export function outcomeOfError(error: unknown, isRuntimeError: (error: unknown) => boolean): RunOutcome {
  if (error instanceof RunJobFailure)
    return { status: error.status, category: error.category, message: error.message };
  const failure = failureOf(error);
  const byCode = error instanceof AutolithError ? categoryByCode[failure.code] : undefined;
  const category = byCode ?? (isRuntimeError(error) ? "runtime-unavailable" : "process-failure");
  return { status: "failed", category, message: failure.message };
}

/** The outcome of a run whose root child has settled. */
export function outcomeOfChild(outcome: Outcome<AgentResult>): RunOutcome {
  const { result } = outcome;
  if (outcome.state === "aborted") return abortedRun(outcome);
  if (outcome.state === "completed") return succeeded(outcome.result);
  const { message } = outcome.failure;
  if (result?.status === "success")
    return {
      status: "failed",
      category: "artifact-failure",
      message: `The child's result could not be kept: ${message}`,
    };
  if (result?.yielded === true) return { status: "failed", category: "child-failure", message };
  const sent = result?.usage.providerRequests ?? 0;
  return { status: "failed", category: sent > 0 ? "provider-failure" : "child-failure", message };
}

function abortedRun({ reason, result }: Extract<Outcome<AgentResult>, { state: "aborted" }>): RunOutcome {
  if (reason === "timeout")
    return {
      status: "timed-out",
      category: "timeout",
      message: "The time limit of the job was reached; its work was stopped.",
    };
  const message =
    reason === undefined ? `The child aborted: ${result?.error ?? ""}` : `The job was cancelled (${reason}).`;
  return { status: "cancelled", category: "cancelled", message };
}

function succeeded(result: AgentResult): RunOutcome {
  if (!result.structuredOutputPresent || result.structuredOutput === undefined)
    return {
      status: "failed",
      category: "invalid-output",
      message: "The child reported success without the structured data that the output contract requires.",
    };
  return { status: "succeeded", result: jsonToForm(result.structuredOutput) };
}

/** Usage for the artifact: zeros where nothing is known. */
export function runUsage(outcome: Outcome<AgentResult> | undefined): RunUsage {
  const usage = outcome?.result?.usage;
  return {
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    providerRequests: usage?.providerRequests ?? 0,
  };
}
