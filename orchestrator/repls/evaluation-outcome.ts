/** What the evaluations of a job come to as its outcome: texts without secrets, and output that is kept. */
import { type Failure, boundedMessage, failureOf } from "../contract/failure.ts";
import { type LispJobResult, cancelReasonSchema } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import type { OverflowSink } from "../tools/dispatcher.ts";
import type { Evaluated } from "./evaluate-forms.ts";
import { evaluationResult } from "./evaluation-report.ts";
import { replLimits } from "./repl-limits.ts";

export type LispJob = JobExecution<"lisp">;

export type OutcomeParts = {
  /** Keeps output that is too long to show. */
  readonly overflow: (job: LispJob) => OverflowSink;
  /** Applied to all text before anything keeps it. */
  readonly withoutSecrets: SecretRemover;
};

/** The outcome of an evaluation whose texts are without secrets and whose output is kept. */
export async function settledEvaluation(
  job: LispJob,
  evaluated: Evaluated,
  notes: readonly string[],
  parts: OutcomeParts,
): Promise<Outcome<LispJobResult>> {
  const remove = parts.withoutSecrets;
  const output = remove(evaluated.output);
  const kept = await keptOutput(output, parts.overflow(job));
  const made = evaluationResult({
    evaluated: { ...evaluated, output },
    asked: job.payload.forms.length,
    notes,
    ...kept,
  });
  return outcomeOf(withoutSecretsIn(made, remove), job);
}

export async function keptOutput(
  output: string,
  overflow: OverflowSink,
): Promise<{ readonly outputUri: string | undefined; readonly outputProblem?: string }> {
  if (output.length <= replLimits.shownOutputCharacters) return { outputUri: undefined };
  try {
    return { outputUri: await overflow.put(output) };
  } catch (error) {
    return { outputUri: undefined, outputProblem: failureOf(error).message };
  }
}

function withoutSecretsIn(result: LispJobResult, remove: SecretRemover): LispJobResult {
  const { condition } = result;
  return {
    ...result,
    content: remove(result.content),
    values: result.values.map((value) => remove(value)),
    ...(condition === undefined ? {} : { condition: { ...condition, report: remove(condition.report) } }),
  };
}

function outcomeOf(result: LispJobResult, job: LispJob): Outcome<LispJobResult> {
  switch (result.ending) {
    case "values":
    case "quit":
      return { state: "completed", result };
    case "cancelled":
      return { state: "aborted", reason: cancelReasonOf(job), result };
    case "timed-out":
      return { state: "aborted", reason: "timeout", result };
    case "not-started":
      return { state: "aborted", reason: cancelReasonOf(job), result };
    case "lost":
      return { state: "failed", failure: evaluationFailure("image-lost", result.content), result };
    case "condition":
      return {
        state: "failed",
        failure: evaluationFailure(
          "lisp-condition",
          result.condition === undefined
            ? result.content
            : `${result.condition.type}: ${result.condition.report}`,
        ),
        result,
      };
  }
}

export function cancelReasonOf(job: LispJob): "user" | "timeout" | "signal" | "shutdown" | "mission" {
  const reason = cancelReasonSchema.safeParse(job.signal.reason);
  return reason.success ? reason.data : "user";
}

export function notStarted(code: string, message: string): Outcome<LispJobResult> {
  return { state: "failed", failure: evaluationFailure(code, message), result: emptyResult(message) };
}

export function evaluationFailure(code: string, message: string): Failure {
  return { code, message: boundedMessage(message), retry: "terminal" };
}

export function emptyResult(content: string): LispJobResult {
  return { ending: "not-started", content, values: [], output: "", durationMs: 0 };
}
