/** Runs jobs of kind `lisp`: forms in a named REPL, one evaluation of it at a time, or in the image before the person. */
import type { LispJobResult, LispTarget } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { Executor } from "../jobs/supervisor.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import type { SkillWorkers } from "../skills/skill-workers.ts";
import { runSkill } from "../skills/skill-executor.ts";
import { evaluateForms } from "./evaluate-forms.ts";
import {
  type LispJob,
  type OutcomeParts,
  cancelReasonOf,
  emptyResult,
  notStarted,
  settledEvaluation,
} from "./evaluation-outcome.ts";
import type { HostToolTable } from "./host-tools.ts";
import { replLimits } from "./repl-limits.ts";
import type { Repls } from "./repls.ts";

type ReplTarget = Extract<LispTarget, { kind: "repl" }>;

/** What all conversations of a host share for evaluations. */
export type HostLisp = {
  readonly repls: Repls;
  readonly hostTools: HostToolTable;
  readonly skills: SkillWorkers;
  /** Applied to all text before anything keeps it. */
  readonly withoutSecrets: SecretRemover;
};

export type LispExecutorParts = HostLisp &
  OutcomeParts & {
    /** Evaluates a form in the image before the person. */
    readonly evaluateForm: Executor<"lisp">;
  };

export function lispExecutor(parts: LispExecutorParts): Executor<"lisp"> {
  return async (job) => {
    const { target } = job.payload;
    try {
      if (target.kind === "repl") return await runInRepl(job, target, parts);
      if (target.kind === "skill") return await runSkill(job, target, parts);
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
