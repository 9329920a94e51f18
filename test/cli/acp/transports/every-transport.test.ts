import { describe, expect, test } from "vitest";
import type { TurnScript } from "../../../support/sessions/scripted-session.ts";
import { ScriptedService } from "../../../support/sessions/scripted-service.ts";
import { serveHost, transports } from "../../../support/acp/served-host.ts";

const text = (content: string): { type: "text"; text: string } => ({ type: "text", text: content });

/** Streams, edits, plans, counts and ends. */
const busyTurn: TurnScript = (content, turn) => {
  turn.emit({ type: "thought-chunk", messageId: "r:1:t", text: "thinking", final: true, at: 0 });
  for (const part of [content, " and", " more"])
    turn.emit({ type: "message-chunk", messageId: "r:1:m", text: part, at: 0 });
  turn.emit({
    type: "tool-call",
    callId: "c1",
    tool: "workspace.edit",
    title: "Edit a file",
    kind: "edit",
    status: "running",
    arguments: { path: "/a" },
    locations: [{ path: "/a", line: 3 }],
    at: 0,
  });
  turn.emit({
    type: "tool-call-update",
    callId: "c1",
    status: "completed",
    content: [{ type: "diff", path: "/a", oldText: null, newText: "new" }],
    at: 0,
  });
  turn.emit({
    type: "plan",
    entries: [{ content: "one", priority: "high", status: "in_progress" }],
    at: 0,
  });
  return Promise.resolve();
};

/** Waits for its own cancellation. */
const endlessTurn: TurnScript = (_content, turn) =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve()));

describe.each(transports)("a client over %s", (transport) => {
  test("prompts a new session, sees what happens, and loads it again with its history before the answer", async () => {
    await using served = serveHost(new ScriptedService({ script: busyTurn }));
    const client = await served.client(transport);
    const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
    const ended = await client.request("session/prompt", { sessionId, prompt: [text("hello")] });
    expect(ended).toMatchObject({ stopReason: "end_turn" });
    expect(client.text()).toBe("hello and more");
    const kinds = client.told.flatMap((news) =>
      news.kind === "update" ? [news.params.update.sessionUpdate] : [],
    );
    const shown = [
      "user_message_chunk",
      "agent_thought_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "plan",
    ];
    expect(
      kinds
        .filter((kind) => kind !== "available_commands_update")
        .filter((kind, index, all) => all[index - 1] !== kind),
    ).toEqual(shown);
    const turns = client.told.flatMap((news) =>
      news.kind === "event" && news.params.kind === "turn" ? [news.params.data] : [],
    );
    expect(turns).toEqual([
      { state: "running", epoch: 1, source: "prompt", outcome: null },
      { state: "idle", epoch: 1, source: "prompt", outcome: "end-turn" },
    ]);
    const before = client.told.length;
    await client.request("session/load", { sessionId, cwd: "/", mcpServers: [] });
    // Over HTTP the answer comes on another stream than the session's updates, and waits for them.
    const replayed = client.told.slice(before).filter(({ kind }) => kind === "update").length;
    expect(replayed).toBeGreaterThanOrEqual(shown.length);
    for (let time = 0; time < 10; time += 1) {
      const known = client.told.length;
      await client.request("session/load", { sessionId, cwd: "/", mcpServers: [] });
      const again = client.told
        .slice(known)
        .flatMap((news) => (news.kind === "update" ? [news.params.update] : []));
      expect(again.map(({ sessionUpdate }) => sessionUpdate)).toEqual(expect.arrayContaining(shown));
    }
    client.close();
  });

  test("cancels a turn, which then ends as cancelled", async () => {
    await using served = serveHost(new ScriptedService({ script: endlessTurn }));
    const client = await served.client(transport);
    const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
    const ended = client.request("session/prompt", { sessionId, prompt: [text("go on")] });
    await client.event(({ kind, data }) => kind === "turn" && data["state"] === "running");
    await client.connection.agent.notify("session/cancel", { sessionId });
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    client.close();
  });

  test("is asked for permission, and its answer reaches the turn", async () => {
    const answers: string[] = [];
    const script: TurnScript = async (_content, turn) => {
      answers.push(
        await turn.ask({
          kind: "command",
          callId: "c1",
          tool: "shell.run",
          asker: "primary",
          title: "rm -r build",
          command: "rm -r build",
          directory: "/",
        }),
      );
    };
    await using served = serveHost(new ScriptedService({ script }));
    const client = await served.client(transport, {
      permission: (request) => {
        expect(request).toMatchObject({
          toolCall: {
            toolCallId: "c1",
            kind: "execute",
            rawInput: { command: "rm -r build", directory: "/" },
          },
        });
        return Promise.resolve({ outcome: { outcome: "selected", optionId: "allow-session" } });
      },
    });
    const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
    await client.request("session/prompt", { sessionId, prompt: [text("go")] });
    expect(answers).toEqual(["allow-session"]);
    client.close();
  });

  test("gets errors for what is wrong, and the connection goes on", async () => {
    await using served = serveHost(new ScriptedService());
    const client = await served.client(transport);
    await expect(client.request("no/such_method", {})).rejects.toMatchObject({ code: -32_601 });
    await expect(client.request("_autolith/no-such", {})).rejects.toMatchObject({ code: -32_601 });
    const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
    await expect(client.request("session/set_mode", { sessionId, modeId: "anything" })).rejects.toMatchObject(
      { code: -32_602 },
    );
    expect(await client.ask("job", { sessionId, jobId: "none" })).toMatchObject({
      outcome: "condition",
      code: "unknown-job",
    });
    const capabilities = await client.value("capabilities", {});
    expect(capabilities.methods).toContain("_autolith/steer");
    client.close();
  });
});
