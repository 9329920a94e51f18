import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAgentPool, type AgentPool } from "../../../workers/agent/agent-pool.ts";
import { RecordingHost } from "../../support/agents/recording-host.ts";
import { liveSpec } from "../../support/agents/specification.ts";
import { answer, calls } from "../../support/model-server/script.ts";
import { startModelServer } from "../../support/model-server/server.ts";

let pool: AgentPool;
beforeAll(() => {
  pool = startAgentPool({ expectLiveRequests: true, onIdleThreadLost: () => undefined });
});
afterAll(() => pool.close());

const never = new AbortController().signal;

describe.each(["responses", "chat"] as const)("an agent over %s", (wire) => {
  it("calls a tool, gets its result and finishes", async () => {
    await using server = await startModelServer([
      calls([{ name: "resource__read", arguments: { uri: "workspace:a.txt" } }], {
        reasoning: "I look first.",
        usage: { input: 10, output: 5, cached: 2, reasoning: 1 },
      }),
      answer("Done.", { usage: { input: 20, output: 2 } }),
    ]);
    const host = new RecordingHost();
    const outcome = await pool.run(liveSpec(server.baseUrl, wire), host, never);
    expect(outcome).toEqual({ status: "finished", requests: 2 });
    expect(host.executed).toMatchObject([
      { callId: "call_1_0", tool: "resource.read", arguments: '{"uri":"workspace:a.txt"}' },
    ]);
    expect(host.boundaries.at(-1)?.items).toMatchObject([{ type: "assistant-message", text: "Done." }]);
    expect(host.boundaries[0]?.usage).toEqual({
      inputTokens: 10,
      cachedInputTokens: 2,
      outputTokens: 5,
      reasoningTokens: 1,
      totalTokens: 15,
    });
  });
});
