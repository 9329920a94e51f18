/**
 * A tool call that is done by a supervised job. A synchronous call waits 10 s for its job and then hands the same job off as a detached
 * one; an asynchronous call hands it off at once.
 */
import { AutolithError } from "../contract/failure.ts";
import type { ToolContext, ToolOutcome } from "../contract/tool.ts";
import type { JobRequest } from "../jobs/admissions.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { Settlement } from "../jobs/settlements.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { type JobView, jobRecordForm } from "../tasks/job-record.ts";
import { fitReport, report, word } from "../tasks/report-form.ts";

export type SupervisedCallParts = {
  readonly supervisor: Supervisor;
  readonly view: (job: Job) => Promise<JobView>;
  /** How long a synchronous call waits before hand-off; 10,000 ms unless a test says otherwise. */
  readonly graceMs: number;
};

/** Admits the job and answers its outcome, or that it goes on by itself. Rejects as {@link Supervisor.admit}. */
export async function superviseCall(
  request: JobRequest,
  context: ToolContext,
  parts: SupervisedCallParts,
  outcomeOf: (outcome: Outcome<unknown>) => ToolOutcome,
): Promise<ToolOutcome> {
  const [job] = await parts.supervisor.admit(context.caller.rootConversationId, [request]);
  if (job === undefined) throw new AutolithError("internal-error", "The job was not admitted.");
  if (request.detached) return handOffOutcome(job, "requested", parts);
  const settled = await settledWithin(job, parts.graceMs, context, parts.supervisor);
  if (settled !== undefined) return outcomeOf(settled.outcome);
  await parts.supervisor.handOff(job);
  if (job.detached) return handOffOutcome(job, "grace-expired", parts);
  // It ended at the last moment: nobody will be told of it later.
  return outcomeOf((await parts.supervisor.settled(job.executionId)).outcome);
}

/** The settlement, or undefined after `graceMs`. Cancelling the caller cancels its synchronous job and waits for its end. */
async function settledWithin(
  job: Job,
  graceMs: number,
  context: ToolContext,
  supervisor: Supervisor,
): Promise<Settlement | undefined> {
  const grace = AbortSignal.timeout(graceMs);
  const signal = AbortSignal.any([grace, context.signal]);
  try {
    return await supervisor.settled(job.executionId, { signal });
  } catch (error) {
    if (context.signal.aborted) {
      await supervisor.cancel(job, "user");
      return supervisor.settled(job.executionId);
    }
    if (grace.aborted) return undefined;
    throw error;
  }
}

async function handOffOutcome(
  job: Job,
  reason: "requested" | "grace-expired",
  parts: SupervisedCallParts,
): Promise<ToolOutcome> {
  const view = await parts.view(job);
  const guidance =
    reason === "requested"
      ? `${job.name} runs in the background.`
      : `${job.name} is still running and goes on in the background.`;
  const form = fitReport((size) =>
    report("tool-execution", {
      "handed-off-p": true,
      "handoff-reason": word(reason),
      job: jobRecordForm(view, size),
    }),
  );
  return {
    status: "ok",
    // People are shown this; the form is for the model.
    details: { shown: guidance },
    content: `${guidance} Continue with other work; you will be told when it ends. job.wait, job.get and job.cancel take its id.\n${form}`,
  };
}
