import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultAgentLimits } from "../../../orchestrator/contract/agent-limits.ts";
import {
  modelFailureCodes,
  type ModelFailure,
  type ModelFailureCode,
} from "../../../orchestrator/contract/model-failure.ts";
import { retryAfterMs } from "../../../workers/model/retry-after.ts";
import { countFailure, retryDelayMs, type FailureCounts } from "../../../workers/model/retry-policy.ts";

const none: FailureCounts = { beforeGeneration: 0, afterOutput: 0 };

function failureOf(code: ModelFailureCode, outputReceived = false, retryAfter?: number): ModelFailure {
  return {
    code,
    message: "",
    outputReceived,
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
  };
}

/** Attempts made when every one fails in this way. */
function attemptsOf(failures: readonly ModelFailure[]): number {
  let counts = none;
  for (let attempt = 1; ; attempt += 1) {
    const failure = failures[(attempt - 1) % failures.length] as ModelFailure;
    counts = countFailure(counts, failure);
    if (retryDelayMs(failure, counts, defaultAgentLimits, 0.5) === undefined) return attempt;
  }
}

describe("the number of attempts", () => {
  it("is seven before generation, three after output or on token exhaustion, one for what cannot be helped", () => {
    expect(attemptsOf([failureOf("server")])).toBe(7);
    expect(attemptsOf([failureOf("server", true)])).toBe(3);
    expect(attemptsOf([failureOf("token-exhausted")])).toBe(3);
    expect(attemptsOf([failureOf("quota")])).toBe(1);
  });

  it("is bounded for any mixture", () => {
    const failure = fc
      .tuple(fc.constantFrom(...modelFailureCodes), fc.boolean())
      .map(([code, received]) => failureOf(code, received));
    fc.assert(
      fc.property(fc.array(failure, { minLength: 1, maxLength: 12 }), (failures) => {
        expect(attemptsOf(failures)).toBeLessThanOrEqual(9);
      }),
    );
  });
});

describe("the wait", () => {
  it("doubles with its random half, up to its bound", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((count) =>
      [0, 0.999].map((random) =>
        Math.round(
          retryDelayMs(
            failureOf("server"),
            { beforeGeneration: count, afterOutput: 0 },
            defaultAgentLimits,
            random,
          ) ?? -1,
        ),
      ),
    );
    expect(waits).toEqual([
      [250, 500],
      [500, 1000],
      [1000, 1999],
      [2000, 3998],
      [4000, 7996],
      [8000, 15992],
    ]);
  });

  it("is at least what the server asked for, and never above the cap", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (asked, random) => {
          const failure = failureOf("rate-limited", false, asked);
          const wait =
            retryDelayMs(failure, { beforeGeneration: 1, afterOutput: 0 }, defaultAgentLimits, random) ?? -1;
          expect(wait).toBeGreaterThanOrEqual(Math.min(asked, defaultAgentLimits.maxRetryAfterMs));
          expect(wait).toBeLessThanOrEqual(defaultAgentLimits.maxRetryAfterMs);
        },
      ),
    );
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  const read = (headers: Record<string, string>): number | undefined =>
    retryAfterMs(new Headers(headers), now);
  it.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": " 1.5 " }, 1500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "99999" }, 99_999_000],
    [{ "retry-after": "Mon, 30 Nov 2026 12:00:10 GMT" }, 10_000],
    [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after-ms": "120", "retry-after": "9" }, 120],
    [{ "retry-after": "-3" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "9".repeat(400) }, undefined],
    [{}, undefined],
  ] as const)("%o is %s ms", (headers, expected) => {
    expect(read(headers)).toBe(expected);
  });
});
