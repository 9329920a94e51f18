/** What becomes of one unsettled job when its conversation is opened under a new host: a pure decision. */
import { isFormJob } from "../jobs/form-job.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";

export type RecoveryDecision =
  /** It has settled already. */
  | { readonly kind: "none" }
  /** Its result was published and only the record of the settlement is missing: the settlement is completed. */
  | { readonly kind: "complete"; readonly outcome: Outcome<unknown> }
  /** It never began and must not begin any more. */
  | { readonly kind: "abort"; readonly reason: NonNullable<Job["cancelReason"]> }
  /** It never began: it is enqueued and runs for the first time. */
  | { readonly kind: "run" }
  /** It began, and what it did is unknown. It stays as it is until somebody decides. */
  | { readonly kind: "interrupted" };

/**
 * Decides. `published` is the outcome found in the execution's files.
 *
 * A queued job that a tool call was waiting for is aborted: its caller is gone and its call has been answered as unknown, so a command
 * that began now would work behind the back of whoever checks the state. So it is with a form of a person, who is told that it never began and may
 * submit it again. Detached jobs and roots were meant to go on without a caller.
 */
export function recoveryDecision(job: Job, published: Outcome<unknown> | undefined): RecoveryDecision {
  const { state, cancelReason } = job.life;
  if (state !== "queued" && state !== "running") return { kind: "none" };
  if (published !== undefined && !(state === "queued" && published.state === "completed"))
    return { kind: "complete", outcome: published };
  if (state === "running") return { kind: "interrupted" };
  if (cancelReason !== undefined) return { kind: "abort", reason: cancelReason };
  const awaited = !job.detached && job.owner.parentCallId !== undefined;
  return awaited || isFormJob(job) ? { kind: "abort", reason: "shutdown" } : { kind: "run" };
}
