import { setTimeout as delay } from "node:timers/promises";
import type { ModelResponse } from "../../orchestrator/contract/model.ts";
import { ModelRequestError, type ModelFailure } from "../../orchestrator/contract/model-failure.ts";
import { countFailure, retryDelayMs, type FailureCounts, type RetryLimits } from "./retry-policy.ts";

/** A failed attempt as it is recorded; `retryInMs` is absent when no other follows. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly failure: ModelFailure;
  readonly elapsedMs: number;
  readonly retryInMs?: number;
}

/** A request that may be tried again. */
export interface RetriedRequest {
  readonly limits: RetryLimits;
  readonly signal: AbortSignal;
  /** Resolves when one attempt may be made: so many requests of a host may be under way at once. */
  admit(): Promise<void>;
  /** Makes one attempt (numbered from 1); rejects with a ModelRequestError. */
  attempt(attempt: number): Promise<ModelResponse>;
  /** Told of every attempt as it begins. */
  onStart(attempt: number): void;
  /** Told of every failed attempt before the wait for the next. */
  onFailure(failed: FailedAttempt): void;
}

/** A response and the number of attempts it took. */
export interface RetriedResponse {
  readonly response: ModelResponse;
  readonly attempts: number;
}

/** Tries until it works or the policy says stop; then rejects with the last failure. */
export async function requestWithRetries(request: RetriedRequest): Promise<RetriedResponse> {
  let counts: FailureCounts = { beforeGeneration: 0, afterOutput: 0 };
  for (let attempt = 1; ; attempt += 1) {
    await request.admit();
    const startedAt = performance.now();
    request.onStart(attempt);
    try {
      return { response: await request.attempt(attempt), attempts: attempt };
    } catch (error) {
      if (!(error instanceof ModelRequestError)) throw error;
      const { failure } = error;
      counts = countFailure(counts, failure);
      const retryInMs = retryDelayMs(failure, counts, request.limits, Math.random());
      const elapsedMs = performance.now() - startedAt;
      request.onFailure({ attempt, failure, elapsedMs, ...(retryInMs === undefined ? {} : { retryInMs }) });
      if (retryInMs === undefined) throw error;
      await waitUnlessCancelled(retryInMs, request.signal);
    }
  }
}

async function waitUnlessCancelled(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new ModelRequestError(
      {
        code: "cancelled",
        message: "The request was cancelled between two attempts.",
        outputReceived: false,
      },
      { cause: error },
    );
  }
}
