import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentSpec } from "../../../orchestrator/contract/agent-thread.ts";
import { completeOnce } from "../../../orchestrator/model-exchange/single-completion.ts";
import { startAgentPool, type AgentPool } from "../../../workers/agent/agent-pool.ts";
import { RecordingHost } from "../../support/agents/recording-host.ts";
import { liveSpec, quickLimits } from "../../support/agents/specification.ts";
import { answer, calls, status, type ScriptedTurn } from "../../support/model-server/script.ts";
import { startModelServer } from "../../support/model-server/server.ts";

let pool: AgentPool;
beforeAll(() => {
  pool = startAgentPool({ expectLiveRequests: true, onIdleThreadLost: () => undefined });
});
afterAll(() => pool.close());

const never = new AbortController().signal;
const read = { name: "resource__read", arguments: { uri: "workspace:a.txt" } };

describe.each(["responses", "chat"] as const)("an agent over %s", (wire) => {
  it("calls a tool, gets its result and finishes", async () => {
    await using server = await startModelServer([
      calls([read], {
        reasoning: "I look first.",
        usage: { input: 10, output: 5, cached: 2, reasoning: 1 },
        pieces: 4,
      }),
      answer("Done.", { usage: { input: 20, output: 2 }, pieces: 3 }),
    ]);
    const host = new RecordingHost();
    const outcome = await pool.run(liveSpec(server.baseUrl, wire), host, never);
    expect(outcome).toEqual({ status: "finished", requests: 2 });
    expect(host.executed).toMatchObject([
      { callId: "call_1_0", tool: "resource.read", arguments: '{"uri":"workspace:a.txt"}' },
    ]);
    expect(host.boundaries[0]?.items[0]).toMatchObject({ type: "reasoning", text: "I look first." });
    expect(host.boundaries[0]?.usage).toEqual({
      inputTokens: 10,
      cachedInputTokens: 2,
      outputTokens: 5,
      reasoningTokens: 1,
      totalTokens: 15,
    });
    expect(host.boundaries[1]?.items).toMatchObject([{ type: "assistant-message", text: "Done." }]);
    expect(host.all("request-completed").map(({ requestNumber }) => requestNumber)).toEqual([1, 2]);
  });

  it("sends reasoning, calls and results back in their places", async () => {
    await using server = await startModelServer([
      calls([read, { name: "shell__run", arguments: "" }], { text: "Two calls.", reasoning: "Think." }),
      answer("Done."),
    ]);
    await pool.run(liveSpec(server.baseUrl, wire), new RecordingHost(), never);
    const body = server.requests[1]?.body as { input?: unknown[]; messages?: unknown[] };
    const sent = wire === "chat" ? body.messages : body.input;
    expect(sent).toMatchSnapshot();
    expect(server.requests[0]?.headers.authorization).toBe("Bearer test-key");
  });

  it("keeps unknown usage unknown", async () => {
    await using server = await startModelServer([answer("Done.", { usage: "none" })]);
    const host = new RecordingHost();
    await pool.run(liveSpec(server.baseUrl, wire), host, never);
    expect(host.boundaries[0]?.usage).toEqual({});
    expect(host.all("request-completed")[0]?.usage).toEqual({});
  });

  it("hands a tool nobody offered to the host under the name the model wrote", async () => {
    await using server = await startModelServer([
      calls([{ name: "delete_world", arguments: {} }]),
      answer("Sorry."),
    ]);
    const host = new RecordingHost();
    await pool.run(liveSpec(server.baseUrl, wire), host, never);
    expect(host.executed).toMatchObject([{ tool: "delete_world", arguments: "{}" }]);
  });

  it("keeps one connection over its turns", async () => {
    await using server = await startModelServer([
      calls([read]),
      calls([read]),
      calls([read]),
      answer("Done."),
    ]);
    await pool.run(liveSpec(server.baseUrl, wire), new RecordingHost(), never);
    expect(new Set(server.requests.map(({ clientPort }) => clientPort)).size).toBe(1);
  });

  it("sends no lone surrogate and no NUL, whatever the conversation holds", async () => {
    await using server = await startModelServer([answer("Done.")]);
    const bad = "lone \uD800 and nul \0";
    const spec = liveSpec(server.baseUrl, wire, {
      instructions: bad,
      items: [
        { type: "user-message", text: bad },
        { type: "tool-call", callId: "c1", tool: "t.t", arguments: JSON.stringify({ text: bad }) },
        { type: "tool-result", callId: "c1", status: "ok", output: bad },
      ],
    });
    expect(await pool.run(spec, new RecordingHost(), never)).toMatchObject({ status: "finished" });
    expect(server.requests[0]?.text).not.toMatch(/\\u0000|\\ud800/i);
    expect(server.requests[0]?.text.isWellFormed()).toBe(true);
  });

  it("ends at its turn limit with an error of its own", async () => {
    await using server = await startModelServer(() => calls([read]));
    const limits = { ...quickLimits, maxTurns: 3 };
    const outcome = await pool.run(liveSpec(server.baseUrl, wire, { limits }), new RecordingHost(), never);
    expect(outcome).toMatchObject({ status: "failed", requests: 3, failure: { code: "turn-limit" } });
    expect(server.requests).toHaveLength(3);
  });
});

describe("streamed output", () => {
  it("arrives in order before the request completes, and is voided when its attempt fails", async () => {
    const script: ScriptedTurn[] = [
      answer("First try.", { fault: { kind: "no-marker" } }),
      answer("Second try.", { reasoning: "Hm.", pieces: 5 }),
    ];
    await using server = await startModelServer(script);
    const host = new RecordingHost();
    await pool.run(liveSpec(server.baseUrl, "responses", { streamOutput: true }), host, never);
    const story = host.events.map((event) =>
      event.event === "output" ? `${event.channel}: ${event.text}` : event.event,
    );
    expect(story).toEqual([
      "run-started",
      "request-started",
      "text: First try.",
      "attempt-failed",
      "output-discarded",
      "request-started",
      "reasoning: Hm.",
      "text: Second try.",
      "request-completed",
    ]);
  });

  it("stays on show when its attempt is stopped: nothing is made again", async () => {
    await using server = await startModelServer([
      answer("First words.", { pieces: 20, fault: { kind: "stall", after: 4 } }),
    ]);
    const host = new RecordingHost();
    const stop = new AbortController();
    const running = pool.run(
      liveSpec(server.baseUrl, "responses", { streamOutput: true }),
      host,
      stop.signal,
    );
    await expect.poll(() => host.all("output").length, { timeout: 30_000 }).toBeGreaterThan(0);
    stop.abort("user");
    expect(await running).toMatchObject({ status: "cancelled" });
    expect(host.all("output-discarded")).toEqual([]);
  });

  it("is bounded, and says how much was left out", async () => {
    await using server = await startModelServer([answer("é".repeat(50_000))]);
    const host = new RecordingHost();
    await pool.run(liveSpec(server.baseUrl, "chat", { streamOutput: true }), host, never);
    const outputs = host.all("output");
    const shown = outputs.reduce((sum, event) => sum + event.text.length, 0);
    const omitted = outputs.reduce((sum, event) => sum + event.omittedCharacters, 0);
    expect(shown + omitted).toBe(50_000);
    expect(omitted).toBeGreaterThan(0);
    expect(host.boundaries[0]?.items[0]).toMatchObject({ text: "é".repeat(50_000) });
  });

  it("is not sent where nobody watches", async () => {
    await using server = await startModelServer([answer("Quiet.")]);
    const host = new RecordingHost();
    await pool.run(liveSpec(server.baseUrl, "chat"), host, never);
    expect(host.all("output")).toEqual([]);
  });
});

describe("the boundary", () => {
  it("refuses to go on when a call has no result, or results come behind other items", async () => {
    await using server = await startModelServer(() => calls([read]));
    const host = new RecordingHost();
    host.onBoundary = () => ({ next: "continue", items: [{ type: "user-message", text: "go on" }] });
    const outcome = await pool.run(liveSpec(server.baseUrl, "chat"), host, never);
    expect(outcome).toMatchObject({ status: "failed", requests: 1, failure: { code: "host-refused" } });
    expect(server.requests).toHaveLength(1);
  });

  it("ends the run when the host cannot serve it", async () => {
    await using server = await startModelServer([answer("Hi.")]);
    const host = new RecordingHost();
    host.onBoundary = () => Promise.reject(new Error("the record cannot be written"));
    const outcome = await pool.run(liveSpec(server.baseUrl, "chat"), host, never);
    expect(outcome).toMatchObject({
      status: "failed",
      failure: { code: "host-refused", message: "the record cannot be written" },
    });
  });

  it("ends the run when its host cannot take an event, and acts no more", async () => {
    await using server = await startModelServer([calls([read]), answer("never asked")]);
    const host = new RecordingHost();
    host.event = (event) => {
      if (event.event === "request-completed") throw new Error("no room for events");
    };
    const outcome = await pool.run(liveSpec(server.baseUrl, "chat"), host, never);
    expect(outcome).toMatchObject({ status: "failed", failure: { code: "internal-error" } });
    expect(host.executed).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it("takes steering along with the results", async () => {
    await using server = await startModelServer([answer("Shall I?"), answer("Done.")]);
    const host = new RecordingHost();
    host.onBoundary = ({ requestNumber }) =>
      requestNumber === 1
        ? { next: "continue", items: [{ type: "user-message", text: "Yes." }] }
        : { next: "finish" };
    expect(await pool.run(liveSpec(server.baseUrl, "chat"), host, never)).toEqual({
      status: "finished",
      requests: 2,
    });
    expect(server.requests[1]?.text).toContain("Yes.");
  });
});

describe("cancel", () => {
  it("stops a stream at once and closes its connection", async () => {
    await using server = await startModelServer(() =>
      answer("Hello.", { fault: { kind: "stall", after: 2 } }),
    );
    const abort = new AbortController();
    const host = new RecordingHost();
    const running = pool.run(liveSpec(server.baseUrl, "responses"), host, abort.signal);
    await server.arrived(1);
    abort.abort("deadline");
    expect(await running).toEqual({ status: "cancelled", requests: 1, reason: "deadline" });
    await server.abandoned(1);
  });

  it("stops the wait between two attempts", async () => {
    await using server = await startModelServer(() => status(500));
    const limits = { ...quickLimits, baseBackoffMs: 600_000, maxBackoffMs: 600_000 };
    const abort = new AbortController();
    const host = new RecordingHost();
    const running = pool.run(liveSpec(server.baseUrl, "chat", { limits }), host, abort.signal);
    await host.next("attempt-failed");
    abort.abort("user");
    expect(await running).toEqual({ status: "cancelled", requests: 1, reason: "user" });
  });

  it("stops a run that waits for its host, and resolves only when the host is done with it", async () => {
    await using server = await startModelServer([answer("Hi.")]);
    const abort = new AbortController();
    const host = new RecordingHost();
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let hostDone = false;
    host.onBoundary = async () => {
      reached.resolve();
      await release.promise;
      hostDone = true;
      return { next: "finish" };
    };
    const running = pool.run(liveSpec(server.baseUrl, "chat"), host, abort.signal);
    await reached.promise;
    abort.abort("user");
    release.resolve();
    expect(await running).toMatchObject({ status: "cancelled", reason: "user" });
    expect(hostDone).toBe(true);
  });

  it("before the start sends nothing", async () => {
    await using server = await startModelServer([answer("Hi.")]);
    const outcome = await pool.run(
      liveSpec(server.baseUrl, "chat"),
      new RecordingHost(),
      AbortSignal.abort("shutdown"),
    );
    expect(outcome).toEqual({ status: "cancelled", requests: 0, reason: "shutdown" });
    expect(server.requests).toEqual([]);
  });
});

describe("many agents in one thread", () => {
  it("run side by side", async () => {
    // No answer ends, so the thirtieth request arrives only if no agent waits for another.
    await using server = await startModelServer(() => answer("Hm.", { fault: { kind: "stall", after: 1 } }));
    const abort = new AbortController();
    const hosts = Array.from({ length: 30 }, () => new RecordingHost());
    const running = hosts.map((host) => pool.run(liveSpec(server.baseUrl, "responses"), host, abort.signal));
    await server.arrived(30);
    const threads = new Set(hosts.map((host) => host.all("run-started")[0]?.threadId));
    expect(threads.size).toBe(1);
    abort.abort("enough");
    expect((await Promise.all(running)).every(({ status: ended }) => ended === "cancelled")).toBe(true);
  });
});

describe("more agents than the threads were meant for", () => {
  it("start the threads there may be, and then share them without waiting for a place", async () => {
    const small = startAgentPool({
      expectLiveRequests: false,
      onIdleThreadLost: () => undefined,
      maxThreads: 2,
      agentsPerThread: 1,
    });
    try {
      await using server = await startModelServer(() =>
        answer("Hm.", { fault: { kind: "stall", after: 1 } }),
      );
      const abort = new AbortController();
      const hosts = Array.from({ length: 6 }, () => new RecordingHost());
      const running = hosts.map((host) => small.run(liveSpec(server.baseUrl, "chat"), host, abort.signal));
      await server.arrived(6);
      expect(new Set(hosts.map((host) => host.all("run-started")[0]?.threadId)).size).toBe(2);
      abort.abort("enough");
      expect((await Promise.all(running)).every(({ status: ended }) => ended === "cancelled")).toBe(true);
    } finally {
      await small.close();
    }
  });
});

describe("one question", () => {
  it("gives the answer", async () => {
    await using server = await startModelServer([answer("allow", { usage: { input: 3, output: 1 } })]);
    const spec: AgentSpec = { ...liveSpec(server.baseUrl, "chat"), purpose: "classifier", tools: [] };
    const response = await completeOnce(pool, spec, new RecordingHost(), never);
    expect(response.items).toMatchObject([{ type: "assistant-message", text: "allow" }]);
    expect(response.usage).toMatchObject({ inputTokens: 3, outputTokens: 1 });
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
  });

  it("throws the failure of its request", async () => {
    await using server = await startModelServer(() => status(401));
    const asked = completeOnce(pool, liveSpec(server.baseUrl, "chat"), new RecordingHost(), never);
    await expect(asked).rejects.toMatchObject({ code: "authentication", failure: { status: 401 } });
  });

  it("throws when it is cancelled", async () => {
    const asked = completeOnce(
      pool,
      liveSpec("http://127.0.0.1:9/v1", "chat"),
      new RecordingHost(),
      AbortSignal.abort("user"),
    );
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
  });
});

it("a specification that is not valid is refused at once", async () => {
  const spec = { ...liveSpec("http://127.0.0.1:9/v1", "chat"), items: [] };
  expect(() => pool.run(spec, new RecordingHost(), never)).toThrow(/items/);
});
