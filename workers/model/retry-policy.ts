import type { AgentLimits } from "../../orchestrator/contract/agent-limits.ts";
import { retryClassOf, type ModelFailure } from "../../orchestrator/contract/model-failure.ts";

/** The bounds a retry decision needs. */
export type RetryLimits = Pick<
  AgentLimits,
  "retriesBeforeGeneration" | "retriesAfterOutput" | "maxRetryAfterMs" | "baseBackoffMs" | "maxBackoffMs"
>;

/** Failures of one request so far, by class; the failure being decided included. */
export interface FailureCounts {
  readonly beforeGeneration: number;
  readonly afterOutput: number;
}

/** Counts one more failure. */
export function countFailure(counts: FailureCounts, failure: ModelFailure): FailureCounts {
  return retryClassOf(failure) === "retryable-generation"
    ? { ...counts, afterOutput: counts.afterOutput + 1 }
    : { ...counts, beforeGeneration: counts.beforeGeneration + 1 };
}

/**
 * The wait before the next attempt in ms, or undefined when there is to be none.
 *
 * @param random from 0 (included) to 1 (excluded): spreads the attempts of agents that failed together.
 */
export function retryDelayMs(
  failure: ModelFailure,
  counts: FailureCounts,
  limits: RetryLimits,
  random: number,
): number | undefined {
  const retryClass = retryClassOf(failure);
  if (retryClass === "terminal") return undefined;
  const isSpent =
    retryClass === "retryable"
      ? counts.beforeGeneration > limits.retriesBeforeGeneration
      : counts.afterOutput > limits.retriesAfterOutput;
  if (isSpent) return undefined;
  const failures = counts.beforeGeneration + counts.afterOutput;
  const backoff = Math.min(limits.maxBackoffMs, limits.baseBackoffMs * 2 ** (failures - 1));
  if (failure.retryAfterMs === undefined) return backoff / 2 + (backoff / 2) * random;
  // The server's wait is a minimum; what is random comes on top of it.
  const asked = Math.min(failure.retryAfterMs, limits.maxRetryAfterMs);
  return Math.min(limits.maxRetryAfterMs, asked + (backoff / 2) * random);
}
