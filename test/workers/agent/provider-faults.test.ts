import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentLimits } from "../../../orchestrator/contract/agent-limits.ts";
import type { AgentOutcome } from "../../../orchestrator/contract/agent-thread.ts";
import type { ModelWire } from "../../../orchestrator/contract/model.ts";
import type { ModelFailureCode } from "../../../orchestrator/contract/model-failure.ts";
import { startAgentPool, type AgentPool } from "../../../workers/agent/agent-pool.ts";
import { RecordingHost } from "../../support/agents/recording-host.ts";
import { liveSpec, quickLimits } from "../../support/agents/specification.ts";
import { answer, calls, status, type Script, type StreamFault } from "../../support/model-server/script.ts";
import { refusedBaseUrl, startModelServer } from "../../support/model-server/server.ts";

/** Failures of a provider, over HTTP and through the real pool (cases C003, C005, C069, C075, C079). */

let pool: AgentPool;
beforeAll(() => {
  pool = startAgentPool({ expectLiveRequests: true, onIdleThreadLost: () => undefined });
});
afterAll(() => pool.close());

const never = new AbortController().signal;
const wires = ["responses", "chat"] as const;
const write = { name: "write_file", arguments: { path: "a.txt", content: "half of this is missing" } };

interface Played {
  readonly outcome: AgentOutcome;
  readonly host: RecordingHost;
  readonly requests: readonly { readonly text: string }[];
}

async function play(script: Script, wire: ModelWire, limits: Partial<AgentLimits> = {}): Promise<Played> {
  await using server = await startModelServer(script);
  const host = new RecordingHost();
  const spec = liveSpec(server.baseUrl, wire, { limits: { ...quickLimits, ...limits } });
  const outcome = await pool.run(spec, host, never);
  return { outcome, host, requests: server.requests };
}

function failedWith(code: ModelFailureCode): object {
  return { status: "failed", requests: 1, failure: { code: "model-request", model: { code } } };
}

describe.each(wires)("a refused request over %s", (wire) => {
  it.each([
    [401, {}, "authentication"],
    [401, { code: "invalid_api_key" }, "authentication"],
    [403, {}, "authentication"],
    [402, {}, "quota"],
    [429, { code: "insufficient_quota" }, "quota"],
    [429, { type: "insufficient_quota" }, "quota"],
    [404, { code: "model_not_found" }, "unknown-model"],
    [404, {}, "invalid-request"],
    [400, {}, "invalid-request"],
    [400, { code: "context_length_exceeded" }, "context-overflow"],
    [413, { type: "exceed_context_size_error" }, "context-overflow"],
    [422, {}, "invalid-request"],
  ] as const)("%i %o is %s and is not tried again", async (code, error, expected) => {
    const { outcome, host, requests } = await play(() => status(code, error), wire);
    expect(outcome).toMatchObject(failedWith(expected));
    expect(requests).toHaveLength(1);
    const [failed] = host.all("attempt-failed");
    expect(failed).toMatchObject({ attempt: 1, failure: { status: code, outputReceived: false } });
    expect(failed).not.toHaveProperty("retryInMs");
    expect(host.boundaries).toEqual([]);
  });

  it.each([
    [status(429), "rate-limited", undefined],
    [status(429, {}, { "retry-after": "2" }), "rate-limited", 2000],
    [status(429, {}, { "retry-after": "99999" }), "rate-limited", 99_999_000],
    [status(429, {}, { "retry-after-ms": "7" }), "rate-limited", 7],
    [status(429, {}, { "retry-after": "soon" }), "rate-limited", undefined],
    [status(500), "server", undefined],
    [{ kind: "status", status: 502, body: "<html>Bad gateway</html>" }, "server", undefined],
    [status(503, {}, { "retry-after": "0" }), "overloaded", 0],
    [status(529), "overloaded", undefined],
    [status(408), "timeout", undefined],
    [status(409), "server", undefined],
  ] as const)("%# is tried again with a bounded wait until it works", async (refusal, code, retryAfterMs) => {
    const { outcome, host } = await play([refusal, refusal, refusal, answer("Done.")], wire);
    expect(outcome).toEqual({ status: "finished", requests: 1 });
    const failures = host.all("attempt-failed");
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    for (const { failure, retryInMs } of failures) {
      expect(failure.code).toBe(code);
      expect(failure.retryAfterMs).toBe(retryAfterMs);
      expect(retryInMs).toBeLessThanOrEqual(quickLimits.maxRetryAfterMs);
    }
    expect(host.all("request-completed")).toMatchObject([{ requestNumber: 1, attempts: 4 }]);
  });

  it("an HTTP date of Retry-After is read", async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const { host } = await play([status(429, {}, { "retry-after": date }), answer("Done.")], wire);
    const asked = host.all("attempt-failed")[0]?.failure.retryAfterMs;
    expect(asked).toBeGreaterThan(20_000);
    expect(asked).toBeLessThanOrEqual(30_000);
  });

  it("is given up after six retries, each reported, and nothing of the failures is sent", async () => {
    const { outcome, host, requests } = await play(() => status(500, { message: "boom" }), wire);
    expect(outcome).toMatchObject(failedWith("server"));
    expect(requests).toHaveLength(7);
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
    expect(host.all("request-started").map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(host.all("attempt-failed").filter(({ retryInMs }) => retryInMs !== undefined)).toHaveLength(6);
  });

  it("does not repeat a credential that the server repeats, and keeps the request id", async () => {
    const echo = status(
      401,
      { code: "test-key!", message: "wrong key: test-key!" },
      { "x-request-id": "req-7" },
    );
    await using server = await startModelServer(() => echo);
    const spec = liveSpec(server.baseUrl, wire, {
      source: {
        kind: "live",
        record: false,
        endpoint: { provider: "p", wire, baseUrl: server.baseUrl, apiKey: "test-key!", reasoning: false },
      },
    });
    const host = new RecordingHost();
    const outcome = await pool.run(spec, host, never);
    expect(outcome).toMatchObject({ failure: { model: { code: "authentication", requestId: "req-7" } } });
    expect(JSON.stringify([outcome, host.events])).not.toContain("test-key!");
  });

  it("does not repeat the words of an HTML page, nor the key", async () => {
    const page = { kind: "status", status: 502, body: "<html>secret proxy</html>" } as const;
    const { outcome } = await play(() => page, wire, { retriesBeforeGeneration: 0 });
    expect(JSON.stringify(outcome)).not.toContain("secret proxy");
    expect(JSON.stringify(outcome)).not.toContain("test-key");
  });
});

describe.each(wires)("a connection over %s", (wire) => {
  it("that is refused is tried seven times, and counts as a request", async () => {
    const host = new RecordingHost();
    const outcome = await pool.run(liveSpec(await refusedBaseUrl(), wire), host, never);
    expect(outcome).toMatchObject(failedWith("refused-connection"));
    expect(host.all("request-started")).toHaveLength(7);
    expect(host.all("attempt-failed")[0]?.failure.message).toContain("ECONNREFUSED");
  });

  it("that gives no response head times out", async () => {
    const silent = answer("never", { fault: { kind: "stall", after: "request" } });
    const { outcome, host } = await play(({ number }) => (number <= 2 ? silent : answer("Done.")), wire, {
      responseHeadTimeoutMs: 800,
    });
    expect(outcome).toEqual({ status: "finished", requests: 1 });
    // A busy machine may lose the answer as well.
    const codes = host.all("attempt-failed").map(({ failure }) => failure.code);
    expect([codes.length >= 2, new Set(codes)]).toEqual([true, new Set(["timeout"])]);
  });

  it("that falls silent inside the stream times out, and counts as generation", async () => {
    const silent = calls([write], { text: "I write.", fault: { kind: "stall", after: 4 } });
    const { outcome, host, requests } = await play(() => silent, wire, { streamIdleTimeoutMs: 1_500 });
    expect(outcome).toMatchObject(failedWith("timeout"));
    expect(requests).toHaveLength(3);
    expect(host.all("attempt-failed").every(({ failure }) => failure.outputReceived)).toBe(true);
    expect(host.executed).toEqual([]);
  });
});

describe.each(wires)("a call cut inside its arguments over %s", (wire) => {
  it.each([
    [{ kind: "cut-arguments", how: "close" }, "cut-stream"],
    [{ kind: "cut-arguments", how: "reset" }, "cut-stream"],
    [{ kind: "cut-arguments", how: "length" }, "token-exhausted"],
    [{ kind: "cut-arguments", how: "close", atBrace: true }, "cut-stream"],
    [{ kind: "cut-arguments", how: "reset", atBrace: true }, "cut-stream"],
    [{ kind: "cut-arguments", how: "length", atBrace: true }, "token-exhausted"],
    [{ kind: "no-marker" }, "cut-stream"],
  ] as const)("by %o is never executed; three generations are tried", async (fault: StreamFault, code) => {
    const { outcome, host, requests } = await play(() => calls([write], { text: "Writing.", fault }), wire);
    expect(outcome).toMatchObject(failedWith(code));
    expect(requests).toHaveLength(3);
    expect(host.boundaries).toEqual([]);
    expect(host.executed).toEqual([]);
  });

  it("is made anew and then executed once", async () => {
    const cut = calls([write], { fault: { kind: "cut-arguments", how: "close" } });
    const { outcome, host } = await play([cut, calls([write]), answer("Done.")], wire);
    expect(outcome).toEqual({ status: "finished", requests: 2 });
    expect(host.executed.map((call) => call.arguments)).toEqual([JSON.stringify(write.arguments)]);
  });

  it("but marked as complete gets an error result and is not executed", async () => {
    const { outcome, host } = await play(
      [calls([{ name: "write_file", arguments: '{"path":"a.txt","content":"half' }]), answer("I see.")],
      wire,
    );
    expect(outcome).toEqual({ status: "finished", requests: 2 });
    expect(host.executed).toEqual([]);
  });

  it("may be repeated as often as is configured", async () => {
    const cut = calls([write], { fault: { kind: "cut-arguments", how: "length" } });
    const { requests } = await play(() => cut, wire, { retriesAfterOutput: 0 });
    expect(requests).toHaveLength(1);
  });
});

describe.each(wires)("a stream that is not one over %s", (wire) => {
  it.each([
    [{ kind: "empty-choices" }, "malformed", 7],
    [{ kind: "broken-json" }, "malformed", 7],
    [{ kind: "html" }, "malformed", 7],
    [{ kind: "error-event", code: "server_error", frames: 1 }, "server", 7],
    [{ kind: "error-event", code: "rate_limit_exceeded", frames: 1 }, "rate-limited", 7],
    [{ kind: "error-event", code: "server_is_overloaded", frames: 1 }, "overloaded", 7],
    [{ kind: "error-event", code: "insufficient_quota", frames: 1 }, "quota", 1],
    [{ kind: "error-event", code: "context_length_exceeded", frames: 1 }, "context-overflow", 1],
    [{ kind: "error-event", code: "server_error", frames: 2 }, "server", 3],
  ] as const)("%o is %s, after %i attempts", async (fault: StreamFault, code, attempts) => {
    const { outcome, host, requests } = await play(() => answer("Hello there.", { fault }), wire);
    expect(outcome).toMatchObject(failedWith(code));
    expect(requests).toHaveLength(attempts);
    expect(host.boundaries).toEqual([]);
  });
});

it.each(wires)("a response over %s that grows without end is stopped at its bound", async (wire) => {
  const long = answer("x".repeat(300_000), { pieces: 100, fault: { kind: "stall", after: 90 } });
  const { outcome, host } = await play(() => long, wire, {
    maxResponseBytes: 100_000,
    retriesAfterOutput: 0,
  });
  expect(outcome).toMatchObject(failedWith("malformed"));
  expect(host.all("attempt-failed")[0]?.failure.message).toContain("100000 bytes");
});

describe("agents that fail together", () => {
  it("do not retry in step", async () => {
    await using server = await startModelServer((request) =>
      request.number <= 10 ? status(429) : answer("Done."),
    );
    const hosts = Array.from({ length: 10 }, () => new RecordingHost());
    const outcomes = await Promise.all(
      hosts.map((host) => pool.run(liveSpec(server.baseUrl, "responses"), host, never)),
    );
    expect(outcomes.every(({ status: ended }) => ended === "finished")).toBe(true);
    const waits = hosts.flatMap((host) => host.all("attempt-failed").map(({ retryInMs }) => retryInMs));
    expect(waits).toHaveLength(10);
    expect(new Set(waits).size).toBe(10);
  });
});
