import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentHostPort, Boundary, BoundaryReply } from "../../../orchestrator/contract/agent-thread.ts";
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

/** Gives advice with its first reply. */
class AdvisingHost extends RecordingHost implements AgentHostPort {
  override async boundary(boundary: Boundary): Promise<BoundaryReply> {
    const reply = await super.boundary(boundary);
    if (reply.next === "finish" || boundary.requestNumber !== 1) return reply;
    return { ...reply, advice: [{ text: "last" }, { text: "second", position: 1 }] };
  }
}

describe("advice", () => {
  it("stands at its place in the next request and in no other", async () => {
    const read = { name: "resource__read", arguments: { uri: "workspace:a.txt" } };
    await using server = await startModelServer([calls([read]), calls([read]), answer("Done.")]);
    const spec = liveSpec(server.baseUrl, "chat", {
      items: [{ type: "user-message", text: "begin" }],
      advice: [{ text: "at first" }],
    });
    const never = new AbortController().signal;
    expect(await pool.run(spec, new AdvisingHost(), never)).toMatchObject({ status: "finished" });
    const said = server.requests.map(({ body }) =>
      (body as { messages: { role: string; content: string }[] }).messages
        .slice(1)
        .map(({ role, content }) => (role === "user" ? content : role)),
    );
    expect(said).toEqual([
      ["begin", "at first"],
      ["begin", "second", "assistant", "tool", "last"],
      ["begin", "assistant", "tool", "assistant", "tool"],
    ]);
  });
});
