import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelFailureSchema } from "../../../orchestrator/contract/model.ts";
import {
  modelFailureClasses,
  modelFailureCodes,
  retryClassOf,
} from "../../../orchestrator/contract/model-failure.ts";
import {
  bounded,
  classifyRefusal,
  classifyTransport,
} from "../../../workers/model/failure-classification.ts";

const codeOf = (status: number | undefined, code?: string, type?: string): string =>
  classifyRefusal(
    {
      message: "words decide nothing: quota, overloaded, context length exceeded",
      ...(status === undefined ? {} : { status }),
      ...(code === undefined ? {} : { code }),
      ...(type === undefined ? {} : { type }),
    },
    false,
  ).code;

describe("a refusal", () => {
  it.each([
    [400, undefined, "invalid-request"],
    [400, "context_length_exceeded", "context-overflow"],
    [400, "model_not_found", "unknown-model"],
    [400, "content_filter", "content-filtered"],
    [400, "rate_limit_exceeded", "invalid-request"],
    [401, undefined, "authentication"],
    [401, "server_error", "authentication"],
    [402, undefined, "quota"],
    [403, undefined, "authentication"],
    [403, "model_not_found", "unknown-model"],
    [403, "billing_not_active", "quota"],
    [404, undefined, "invalid-request"],
    [404, "model_not_found", "unknown-model"],
    [408, undefined, "timeout"],
    [409, undefined, "server"],
    [413, undefined, "invalid-request"],
    [418, undefined, "invalid-request"],
    [422, undefined, "invalid-request"],
    [425, undefined, "server"],
    [429, undefined, "rate-limited"],
    [429, "rate_limit_exceeded", "rate-limited"],
    [429, "insufficient_quota", "quota"],
    [429, "INSUFFICIENT_QUOTA", "quota"],
    [429, "engine_overloaded", "overloaded"],
    [429, "constructor", "rate-limited"],
    [500, undefined, "server"],
    [500, "overloaded_error", "overloaded"],
    [500, "insufficient_quota", "server"],
    [502, undefined, "server"],
    [503, undefined, "overloaded"],
    [503, "rate_limit_exceeded", "rate-limited"],
    [504, undefined, "server"],
    [529, undefined, "overloaded"],
    [599, undefined, "server"],
    [302, undefined, "malformed"],
    [undefined, "server_error", "server"],
    [undefined, "rate_limit_exceeded", "rate-limited"],
    [undefined, "insufficient_quota", "quota"],
    [undefined, "something_new", "server"],
    [undefined, "constructor", "server"],
    [undefined, "__proto__", "server"],
    [undefined, undefined, "server"],
  ] as const)("of status %s with code %s is %s", (status, code, expected) => {
    expect(codeOf(status, code)).toBe(expected);
    if (code !== undefined) expect(codeOf(status, undefined, code)).toBe(expected);
  });

  it("is bounded, whatever the server sends, and crosses the boundary as it is", () => {
    const text = fc.string({ unit: "binary", maxLength: 3000 });
    const refusal = fc.record(
      { message: text, code: text, type: text, requestId: text, status: fc.integer({ min: 100, max: 999 }) },
      { requiredKeys: ["message"] },
    );
    fc.assert(
      fc.property(refusal, fc.boolean(), (refused, outputReceived) => {
        const failure = classifyRefusal(refused, outputReceived);
        expect(modelFailureSchema.parse(failure)).toEqual(failure);
      }),
    );
  });
});

describe("an error of the connection", () => {
  const withCode = (code: string): Error => Object.assign(new Error("words: timeout refused"), { code });
  it.each([
    ["ECONNREFUSED", "refused-connection"],
    ["ENOTFOUND", "refused-connection"],
    ["EAI_AGAIN", "refused-connection"],
    ["EHOSTUNREACH", "refused-connection"],
    ["ETIMEDOUT", "timeout"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["UND_ERR_BODY_TIMEOUT", "timeout"],
    ["ECONNRESET", "cut-stream"],
    ["EPIPE", "cut-stream"],
    ["UND_ERR_SOCKET", "cut-stream"],
    ["HPE_INVALID_CONSTANT", "malformed"],
    ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "malformed"],
  ] as const)("with code %s anywhere in its causes is %s", (code, expected) => {
    const deep = new TypeError("fetch failed", { cause: new Error("middle", { cause: withCode(code) }) });
    expect(classifyTransport(deep, true)).toBe(expected);
    expect(classifyTransport(new AggregateError([withCode(code)]), false)).toBe(expected);
  });

  it("without a code depends on whether a response had begun", () => {
    expect(classifyTransport(new Error("odd"), false)).toBe("refused-connection");
    expect(classifyTransport(new Error("odd"), true)).toBe("cut-stream");
  });

  it("that is its own cause ends the search", () => {
    const circular = new Error("circular");
    circular.cause = circular;
    expect(classifyTransport(circular, true)).toBe("cut-stream");
  });
});

describe("retry classes", () => {
  it("are settled for every code", () => {
    expect(modelFailureClasses).toMatchInlineSnapshot(`
      {
        "authentication": "terminal",
        "cancelled": "terminal",
        "configuration": "terminal",
        "content-filtered": "terminal",
        "context-overflow": "terminal",
        "cut-stream": "retryable",
        "invalid-request": "terminal",
        "malformed": "retryable",
        "overloaded": "retryable",
        "quota": "terminal",
        "rate-limited": "retryable",
        "refused-connection": "retryable",
        "replay-divergence": "terminal",
        "server": "retryable",
        "timeout": "retryable",
        "token-exhausted": "retryable-generation",
        "unknown-model": "terminal",
      }
    `);
  });

  it("become stricter once output was received, never laxer", () => {
    for (const code of modelFailureCodes) {
      const before = retryClassOf({ code, outputReceived: false });
      const after = retryClassOf({ code, outputReceived: true });
      expect(after).toBe(before === "retryable" ? "retryable-generation" : before);
    }
  });
});

it("bounding never splits a pair and never exceeds the limit", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ min: 3, max: 40 }),
      (text, limit) => {
        const cut = bounded(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        if (text.length <= limit) expect(cut).toBe(text);
      },
    ),
  );
});
