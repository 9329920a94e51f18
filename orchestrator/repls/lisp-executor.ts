/** Runs jobs of kind `lisp`: forms in a named REPL, one evaluation of it at a time, or in the image before the person. */
import { type Failure, boundedMessage, failureOf } from "../contract/failure.ts";
import { type LispJobResult, type LispTarget, cancelReasonSchema } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { Executor, JobExecution } from "../jobs/supervisor.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import type { OverflowSink } from "../tools/dispatcher.ts";
import { type Evaluated, evaluateForms } from "./evaluate-forms.ts";
import { evaluationResult } from "./evaluation-report.ts";
import type { HostToolTable } from "./host-tools.ts";
import { replLimits } from "./repl-limits.ts";
import type { Repls } from "./repls.ts";

type LispJob = JobExecution<"lisp">;
type ReplTarget = Extract<LispTarget, { kind: "repl" }>;

/** What all conversations of a host share for evaluations. */
export type HostLisp = {
  readonly repls: Repls;
  readonly hostTools: HostToolTable;
  /** Applied to all text before anything keeps it. */
  readonly withoutSecrets: SecretRemover;
};

export type LispExecutorParts = HostLisp & {
  /** Evaluates a form in the image before the person. */
  readonly evaluateForm: Executor<"lisp">;
  /** Keeps output that is too long to show. */
  readonly overflow: (job: LispJob) => OverflowSink;
};

export function lispExecutor(parts: LispExecutorParts): Executor<"lisp"> {
  return async (job) => {
    const { target } = job.payload;
    try {
      if (target.kind === "repl") return await runInRepl(job, target, parts);
      return await parts.evaluateForm(job);
    } catch (error) {
      if (!job.signal.aborted) throw error;
      return {
        state: "aborted",
        reason: cancelReasonOf(job),
        result: emptyResult("It was cancelled before it began."),
      };
    } finally {
      parts.hostTools.ended(job.executionId);
    }
  };
}

async function runInRepl(
  job: LispJob,
  target: ReplTarget,
  parts: LispExecutorParts,
): Promise<Outcome<LispJobResult>> {
  const { forms, timeoutMs, hostTools } = job.payload;
  const onCall = parts.hostTools.answersFor(job.executionId, job.name);
  if (hostTools.length > 0 && onCall === undefined)
    return notStarted(
      "host-tools-gone",
      "The evaluation was asked for by a host that died, and with it went its caller, for whom its tools are called. It did not begin.",
    );
  return parts.repls.exclusively(target, job.signal, async (repl) => {
    repl.evaluations += 1;
    const notes =
      repl.lostBefore === undefined
        ? []
        : [
            `REPL ${target.name} is a new image without earlier definitions: the one before ended (${repl.lostBefore}).`,
          ];
    repl.lostBefore = undefined;
    const evaluated = await evaluateForms(repl.image, {
      forms,
      signal: job.signal,
      timeoutMs,
      onCall,
      previewLength: replLimits.valueCharacters,
      outputLimit: replLimits.outputCharacters,
      abandon: () => void repl.image.terminate("it did not stop when it was cancelled"),
    });
    if (evaluated.forms.at(-1)?.result.kind === "quit") await parts.repls.stop(target, "it quit");
    return settledEvaluation(job, evaluated, notes, parts);
  });
}

/** The outcome of an evaluation whose texts are without secrets and whose output is kept. */
export async function settledEvaluation(
  job: LispJob,
  evaluated: Evaluated,
  notes: readonly string[],
  parts: Pick<LispExecutorParts, "overflow" | "withoutSecrets">,
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

async function keptOutput(
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
      return { state: "failed", failure: failure("image-lost", result.content), result };
    case "condition":
      return {
        state: "failed",
        failure: failure(
          "lisp-condition",
          result.condition === undefined
            ? result.content
            : `${result.condition.type}: ${result.condition.report}`,
        ),
        result,
      };
  }
}

function cancelReasonOf(job: LispJob): "user" | "timeout" | "signal" | "shutdown" | "mission" {
  const reason = cancelReasonSchema.safeParse(job.signal.reason);
  return reason.success ? reason.data : "user";
}

function notStarted(code: string, message: string): Outcome<LispJobResult> {
  return { state: "failed", failure: failure(code, message), result: emptyResult(message) };
}

function failure(code: string, message: string): Failure {
  return { code, message: boundedMessage(message), retry: "terminal" };
}

function emptyResult(content: string): LispJobResult {
  return { ending: "not-started", content, values: [], output: "", durationMs: 0 };
}
