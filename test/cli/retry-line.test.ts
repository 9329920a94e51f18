import { expect, it } from "vitest";
import { retryLine } from "../../cli/retry-line.ts";
import { defaultAgentLimits } from "../../orchestrator/contract/agent-limits.ts";

const failed = {
  event: "attempt-failed",
  requestNumber: 1,
  attempt: 2,
  elapsedMs: 1,
  failure: { code: "refused-connection", message: "No connection.", outputReceived: false },
} as const;
const endpoint = { baseUrl: "http://user:word@127.0.0.1:1/v1?key=k", provider: "openai-api" };

it("tells server, attempt and wait, and nothing secret of the address", () => {
  expect(retryLine({ ...failed, retryInMs: 2_100 }, endpoint, defaultAgentLimits)).toBe(
    "model: attempt 2 of at most 7 at http://127.0.0.1:1/v1 failed (refused-connection): No connection. The next in 2 s.",
  );
});

it("holds an answer that had begun to its smaller limit", () => {
  const cut = { ...failed, attempt: 1, failure: { ...failed.failure, outputReceived: true }, retryInMs: 10 };
  const { retriesAfterOutput } = defaultAgentLimits;
  expect(retryLine(cut, { ...endpoint, baseUrl: undefined }, defaultAgentLimits)).toContain(
    `attempt 1 of at most ${Math.max(2, retriesAfterOutput + 1)} at openai-api failed`,
  );
});

it("is silent about the last attempt and other events", () => {
  expect(retryLine(failed, endpoint, defaultAgentLimits)).toBeUndefined();
  expect(
    retryLine({ event: "request-started", requestNumber: 1, attempt: 1 }, endpoint, defaultAgentLimits),
  ).toBeUndefined();
});
