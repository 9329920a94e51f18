/** How an outcome becomes the one settled record of its job: pure decisions. */
import { type Failure, boundedMessage } from "../contract/failure.ts";
import type { ClaimToken } from "../contract/identifiers.ts";
import type { Job } from "./job-table.ts";
import { type SettledRecord, inlineResultLimit } from "./journal-records.ts";
import type { JobState, Outcome } from "./lifecycle.ts";

/** A body that returns after a cancel was accepted is published as aborted, keeping what it reached. */
export function cancelWins(job: Job, outcome: Outcome<unknown>): Outcome<unknown> {
  const reason = job.life.cancelReason;
  if (reason === undefined || outcome.state === "aborted") return outcome;
  return outcome.result === undefined
    ? { state: "aborted", reason }
    : { state: "aborted", reason, result: outcome.result };
}

/** The outcome when its publication or its record failed; what was reached, a failure above all, is kept. */
export function failedOutcome(outcome: Outcome<unknown>, unkept: Failure): Outcome<unknown> {
  const failure: Failure =
    outcome.state === "failed"
      ? {
          ...outcome.failure,
          message: boundedMessage(
            `${outcome.failure.message}\nBesides, this could not be recorded: ${unkept.message}`,
          ),
        }
      : unkept;
  return outcome.result === undefined
    ? { state: "failed", failure }
    : { state: "failed", failure, result: outcome.result };
}

/** The settlement as the journal keeps it. `at` is epoch milliseconds. */
export function settledRecord(
  job: Pick<Job, "executionId">,
  claimToken: ClaimToken | undefined,
  outcome: Outcome<unknown>,
  at: number,
): SettledRecord {
  const text = outcome.result === undefined ? undefined : JSON.stringify(outcome.result);
  return {
    kind: "settled",
    at,
    executionId: job.executionId,
    state: outcome.state satisfies JobState,
    ...(claimToken === undefined ? {} : { claimToken }),
    ...(outcome.state === "failed" ? { failure: outcome.failure } : {}),
    ...(outcome.state === "aborted" && outcome.reason !== undefined ? { cancelReason: outcome.reason } : {}),
    ...(text === undefined || text.length > inlineResultLimit
      ? {}
      : { result: JSON.parse(text) as SettledRecord["result"] }),
  };
}
