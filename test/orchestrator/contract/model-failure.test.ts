import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { threadMessageSchema, type ThreadMessage } from "../../../orchestrator/contract/agent-thread.ts";
import { modelFailureSchema } from "../../../orchestrator/contract/model.ts";
import {
  modelFailureCodes,
  modelFailureMessageLimit,
  ModelRequestError,
  type ModelFailure,
} from "../../../orchestrator/contract/model-failure.ts";

/** A thread that sends back what it gets: every message is copied twice, as between host and agent. */
let echo: Worker;
beforeAll(() => {
  const program =
    'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (m) => parentPort.postMessage(m));';
  echo = new Worker(program, { eval: true });
});
afterAll(() => echo.terminate());

function crossed(message: unknown): Promise<unknown> {
  return new Promise((resolve) => {
    echo.once("message", resolve);
    echo.postMessage(message);
  });
}

const short = fc.string({ unit: "binary", maxLength: 200 });
const failures: fc.Arbitrary<ModelFailure> = fc.record(
  {
    code: fc.constantFrom(...modelFailureCodes),
    message: fc.string({ unit: "binary", maxLength: modelFailureMessageLimit }),
    outputReceived: fc.boolean(),
    status: fc.integer({ min: 100, max: 599 }),
    providerCode: short,
    requestId: short,
    retryAfterMs: fc.double({ min: 0, max: 1e12, noNaN: true }),
  },
  { requiredKeys: ["code", "message", "outputReceived"] },
);

it("failures survive the crossing of a thread, alone, in events and in outcomes", async () => {
  await fc.assert(
    fc.asyncProperty(failures, async (failure) => {
      expect(modelFailureSchema.parse(await crossed(failure))).toEqual(failure);
      const attempt: ThreadMessage = {
        kind: "event",
        event: { event: "attempt-failed", requestNumber: 1, attempt: 2, failure, elapsedMs: 0.5 },
      };
      expect(threadMessageSchema.parse(await crossed(attempt))).toEqual(attempt);
      const outcome: ThreadMessage = {
        kind: "outcome",
        outcome: {
          status: "failed",
          requests: 1,
          failure: { code: "model-request", message: failure.message, model: failure },
        },
      };
      expect(threadMessageSchema.parse(await crossed(outcome))).toEqual(outcome);
    }),
    { numRuns: 100 },
  );
});

it("the thrown form keeps the failure and its code", () => {
  fc.assert(
    fc.property(failures, (failure) => {
      const error = new ModelRequestError(failure);
      expect(error.failure).toEqual(failure);
      expect(error.code).toBe(failure.code);
      expect(error.message).toBe(failure.message);
    }),
  );
});

it("messages that are not of the protocol are refused, never taken for another", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(threadMessageSchema.safeParse(value).success).toBe(false);
    }),
  );
});
