import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelItem } from "../../../orchestrator/contract/model.ts";
import { pairCalls } from "../../../orchestrator/model-exchange/call-pairing.ts";
import { startAgentPool, type AgentPool } from "../../../workers/agent/agent-pool.ts";
import { RecordingHost } from "../../support/agents/recording-host.ts";
import { liveSpec } from "../../support/agents/specification.ts";
import { answer, calls } from "../../support/model-server/script.ts";
import { startModelServer } from "../../support/model-server/server.ts";

let pool: AgentPool;
beforeEach(() => {
  pool = startAgentPool({
    expectLiveRequests: false,
    onIdleThreadLost: () => undefined,
    maxThreads: 1,
    cancelGraceMs: 100,
    maxHeapMb: 64,
    threadUrl: new URL("../../support/agents/failing-agent-thread.ts", import.meta.url),
  });
});
afterEach(() => pool.close());

const never = new AbortController().signal;

describe("C115: a lost thread", () => {
  it.each(["exit", "throw", "throw-nothing", "overflow", "out-of-memory"])(
    "by %s is reported to every agent in it, and replaced",
    async (ending) => {
      await using server = await startModelServer(({ number }) =>
        number === 1 ? answer("never heard", { fault: { kind: "stall", after: 1 } }) : answer("Done."),
      );
      const bystander = new RecordingHost();
      const disturbed = pool.run(liveSpec(server.baseUrl, "chat"), bystander, never);
      await server.arrived(1);
      const ended = await pool.run(
        liveSpec(server.baseUrl, "chat", { instructions: ending }),
        new RecordingHost(),
        never,
      );
      expect(ended).toMatchObject({ status: "failed", requests: 0, failure: { code: "thread-lost" } });
      expect(await disturbed).toMatchObject({
        status: "failed",
        requests: 1,
        failure: { code: "thread-lost" },
      });
      const again = Array.from({ length: 10 }, () =>
        pool.run(liveSpec(server.baseUrl, "chat"), new RecordingHost(), never),
      );
      expect(new Set((await Promise.all(again)).map(({ status }) => status))).toEqual(new Set(["finished"]));
    },
  );

  it("lets its agents continue from their last boundary, with every call answered once", async () => {
    await using server = await startModelServer((request) => {
      const turns = [
        calls([{ name: "resource__read", arguments: { uri: "a" } }]),
        answer("lost", { fault: { kind: "stall", after: 2 } }),
        answer("Done."),
      ];
      return turns[request.number - 1] ?? answer("too many");
    });
    const record: ModelItem[] = [{ type: "user-message", text: "Begin." }];
    const host = new RecordingHost();
    host.onBoundary = ({ items }) => {
      const call = items.find((item) => item.type === "tool-call");
      record.push(...items);
      if (call === undefined) return { next: "finish" };
      const result = { type: "tool-result", callId: call.callId, status: "ok", output: "text of a" } as const;
      record.push(result);
      return { next: "continue", items: [result] };
    };
    const first = pool.run(liveSpec(server.baseUrl, "responses", { items: record }), host, never);
    await server.arrived(2);
    await pool.run(liveSpec(server.baseUrl, "chat", { instructions: "exit" }), new RecordingHost(), never);
    expect(await first).toMatchObject({ failure: { code: "thread-lost" } });
    const { items } = pairCalls(record);
    const rest = await pool.run(
      liveSpec(server.baseUrl, "responses", { items: [...items], firstRequestNumber: 2 }),
      host,
      never,
    );
    expect(rest).toEqual({ status: "finished", requests: 1 });
    expect(server.requests[2]?.body).toEqual(server.requests[1]?.body);
    expect(record.filter((item) => item.type === "tool-result")).toHaveLength(1);
    expect(host.all("request-started").map(({ requestNumber }) => requestNumber)).toEqual([1, 2, 2]);
  });

  it("waits for the boundary that its host still serves", async () => {
    await using server = await startModelServer([answer("Hi.")]);
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const host = new RecordingHost();
    let served = false;
    host.onBoundary = async () => {
      reached.resolve();
      await release.promise;
      served = true;
      return { next: "finish" };
    };
    const running = pool.run(liveSpec(server.baseUrl, "chat"), host, never);
    await reached.promise;
    await pool.run(liveSpec(server.baseUrl, "chat", { instructions: "exit" }), new RecordingHost(), never);
    release.resolve();
    expect(await running).toMatchObject({ status: "failed", failure: { code: "thread-lost" } });
    expect(served).toBe(true);
  });
});

describe("a thread that does not obey a cancel", () => {
  it("is ended after the grace, and its run counts as cancelled", async () => {
    const abort = new AbortController();
    const host = new RecordingHost();
    const spec = liveSpec("http://127.0.0.1:9/v1", "chat", { instructions: "busy-loop" });
    const running = pool.run(spec, host, abort.signal);
    await host.next("run-started");
    abort.abort("timeout");
    expect(await running).toEqual({ status: "cancelled", requests: 0, reason: "timeout" });
  });
});

describe("a thread that breaks the protocol", () => {
  it("ends its run as a defect of ours", async () => {
    const spec = liveSpec("http://127.0.0.1:9/v1", "chat", { instructions: "broken-protocol" });
    const outcome = await pool.run(spec, new RecordingHost(), never);
    expect(outcome).toMatchObject({ status: "failed", failure: { code: "internal-error" } });
  });
});
