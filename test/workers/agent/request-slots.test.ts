import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentPool, startAgentPool } from "../../../workers/agent/agent-pool.ts";
import { RecordingHost } from "../../support/agents/recording-host.ts";
import { liveSpec, quickLimits } from "../../support/agents/specification.ts";
import { answer, calls, status } from "../../support/model-server/script.ts";
import { startModelServer } from "../../support/model-server/server.ts";

const never = new AbortController().signal;
const read = { name: "resource__read", arguments: { uri: "workspace:a.txt" } };

function poolOf(bound: number, waits: string[] = []): AgentPool {
  const pool = startAgentPool({
    expectLiveRequests: true,
    onIdleThreadLost: () => undefined,
    // Two threads, so that the bound is seen to be that of the host.
    maxThreads: 2,
    agentsPerThread: 2,
    requestsPerProvider: bound,
    onRequestWaits: (provider) => waits.push(provider),
  });
  onTestFinished(() => pool.close());
  return pool;
}

/** Requests that began and have not ended, at most, by the order of what the hosts were told. */
class Watch {
  under = 0;
  most = 0;

  host(): RecordingHost {
    const host = new RecordingHost();
    const tell = host.event.bind(host);
    host.event = (event) => {
      if (event.event === "request-started") this.most = Math.max(this.most, (this.under += 1));
      if (event.event === "request-completed" || event.event === "attempt-failed") this.under -= 1;
      tell(event);
    };
    return host;
  }
}

describe("the requests to a provider", () => {
  it("are no more than the bound, over all threads, and every run ends", async () => {
    await using server = await startModelServer(({ text }) =>
      text.includes("function_call_output") ? answer("Done.") : { ...calls([read]), latencyMs: 20 },
    );
    const waits: string[] = [];
    const [pool, watch] = [poolOf(3, waits), new Watch()];
    const runs = Array.from({ length: 12 }, (_, index) =>
      pool.run(liveSpec(server.baseUrl, "responses", { lineage: String(index) }), watch.host(), never),
    );
    expect(new Set((await Promise.all(runs)).map((outcome) => outcome.status))).toEqual(
      new Set(["finished"]),
    );
    expect([watch.most, watch.under, server.requests.length]).toEqual([3, 0, 24]);
    expect(new Set(waits)).toEqual(new Set([server.baseUrl]));
  });

  it("are counted for each provider", async () => {
    await using first = await startModelServer([
      { ...answer("Late."), fault: { kind: "stall", after: "request" } },
    ]);
    await using second = await startModelServer([answer("Done.")]);
    const pool = poolOf(1);
    const cancel = new AbortController();
    const stalled = pool.run(liveSpec(first.baseUrl, "chat"), new RecordingHost(), cancel.signal);
    await first.arrived(1);
    expect((await pool.run(liveSpec(second.baseUrl, "chat"), new RecordingHost(), never)).status).toBe(
      "finished",
    );
    cancel.abort();
    expect((await stalled).status).toBe("cancelled");
  });

  it("that wait are given up with their run, and a cancelled one makes room", async () => {
    await using server = await startModelServer(({ number }) =>
      number === 1 ? { ...answer("Late."), fault: { kind: "stall", after: "request" } } : answer("Done."),
    );
    const waits: string[] = [];
    const pool = poolOf(1, waits);
    const [stop, giveUp] = [new AbortController(), new AbortController()];
    const stalled = pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), stop.signal);
    await server.arrived(1);
    const waiting = pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), giveUp.signal);
    await expect.poll(() => waits.length).toBe(1);
    giveUp.abort("not needed");
    expect(await waiting).toMatchObject({ status: "cancelled", reason: "not needed" });
    expect(server.requests.length).toBe(1);
    const next = pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), never);
    await expect.poll(() => waits.length).toBe(2);
    stop.abort();
    expect([(await stalled).status, (await next).status]).toEqual(["cancelled", "finished"]);
  });

  it("are not under way between two attempts", async () => {
    let refusals = 0;
    await using server = await startModelServer(({ text }) =>
      text.includes("Refuse me.") && (refusals += 1) === 1
        ? { ...status(429), headers: { "retry-after": "3600" } }
        : answer("Done."),
    );
    const pool = poolOf(1);
    const refused = new RecordingHost();
    const cancel = new AbortController();
    const waiting = pool.run(
      liveSpec(server.baseUrl, "chat", {
        items: [{ type: "user-message", text: "Refuse me." }],
        limits: { ...quickLimits, maxRetryAfterMs: 3_600_000 },
      }),
      refused,
      cancel.signal,
    );
    await refused.next("attempt-failed");
    expect((await pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), never)).status).toBe(
      "finished",
    );
    cancel.abort();
    expect((await waiting).status).toBe("cancelled");
  });

  it("of a lost thread make room", async () => {
    await using server = await startModelServer(({ number }) =>
      number === 1 ? { ...answer("Late."), fault: { kind: "stall", after: "request" } } : answer("Done."),
    );
    const pool = startAgentPool({
      expectLiveRequests: true,
      onIdleThreadLost: () => undefined,
      requestsPerProvider: 1,
      threadUrl: new URL("../../support/agents/failing-agent-thread.ts", import.meta.url),
    });
    onTestFinished(() => pool.close());
    const stalled = pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), never);
    await server.arrived(1);
    const lost = pool.run(
      liveSpec(server.baseUrl, "chat", { instructions: "exit" }),
      new RecordingHost(),
      never,
    );
    expect(await Promise.all([stalled, lost])).toMatchObject([
      { failure: { code: "thread-lost" } },
      { failure: { code: "thread-lost" } },
    ]);
    expect((await pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), never)).status).toBe(
      "finished",
    );
  });
});
