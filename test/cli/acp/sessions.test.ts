import type { McpServer } from "@agentclientprotocol/sdk";
import type { Command } from "../../../orchestrator/sessions/commands/command.ts";
import { commandRow, findCommand } from "../../../orchestrator/sessions/commands/command-table.ts";
import { describe, expect, test } from "vitest";
import { clientMcpServerLimit } from "../../../cli/acp/session/client-sessions.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestClient } from "../../support/acp/test-client.ts";
import { serveHost } from "../../support/acp/served-host.ts";
import { ScriptedService } from "../../support/sessions/scripted-service.ts";
import type { TurnScript } from "../../support/sessions/scripted-session.ts";
import { type ConversationId, conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import { type PermissionAnswer, updateTextLimit } from "../../../orchestrator/contract/session.ts";

const prompt = [{ type: "text" as const, text: "go" }];
const input = { parts: [{ type: "text" as const, text: "go" }] };

async function opened(client: TestClient): Promise<ConversationId> {
  const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
  return conversationIdSchema.parse(sessionId);
}

const untilCancelled: TurnScript = (_text, turn) =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve()));

/** Asks once and remembers the answers. */
function asking(answers: (PermissionAnswer | "cancelled")[]): TurnScript {
  return async (_text, turn) => {
    const question = {
      kind: "tool",
      callId: "c",
      tool: "mcp.x",
      asker: "primary",
      title: "x",
      arguments: {},
    } as const;
    answers.push(await turn.ask(question));
  };
}

describe("sessions of an editor", () => {
  test("end with its connection, their turn cancelled", async () => {
    const service = new ScriptedService({ script: untilCancelled });
    await using served = serveHost(service);
    const client = await served.client("stdio");
    const sessionId = await opened(client);
    const session = service.find(sessionId);
    void client.request("session/prompt", { sessionId, prompt }).catch(() => undefined);
    await client.event(({ kind }) => kind === "turn");
    client.close();
    await eventually(() => service.sessions()).toEqual([]);
    expect(session?.state().turn).toMatchObject({ state: "idle", lastOutcome: "cancelled" });
  });

  test("go on while somebody else watches them", async () => {
    const service = new ScriptedService();
    await using served = serveHost(service);
    const [editor, terminal] = [await served.client("stdio"), await served.client("local")];
    const sessionId = await opened(editor);
    await terminal.value("attach", { sessionId });
    editor.close();
    await eventually(() => served.host.connections).toBe(1);
    expect(service.find(sessionId)?.id).toBe(sessionId);
    await terminal.value("submit", { sessionId, as: "prompt", input });
    await terminal.event(({ kind, data }) => kind === "turn" && data["outcome"] === "end-turn");
    terminal.close();
    // What a terminal watched is the host's own from then on.
    await eventually(() => served.host.connections).toBe(0);
    expect(service.find(sessionId)?.id).toBe(sessionId);
  });

  test("are not reached by another editor, unless it loads them", async () => {
    await using served = serveHost(new ScriptedService());
    const [first, second] = [await served.client("stdio"), await served.client("stdio")];
    const sessionId = await opened(first);
    await expect(second.request("session/prompt", { sessionId, prompt })).rejects.toMatchObject({
      code: -32_002,
    });
    expect(await second.ask("state", { sessionId })).toMatchObject({ code: "unknown-session" });
    expect((await second.value("sessions", {})).sessions).toEqual([]);
    await second.request("session/load", { sessionId, cwd: "/", mcpServers: [] });
    await second.request("session/prompt", { sessionId, prompt });
    await first.updated("user_message_chunk");
    await first.request("session/close", { sessionId });
    expect(await second.ask("state", { sessionId })).toMatchObject({ outcome: "ok" });
    for (const client of [first, second]) client.close();
  });

  test("are busy one by one", async () => {
    await using served = serveHost(new ScriptedService({ script: untilCancelled }));
    const client = await served.client("stdio");
    const [one, other] = [await opened(client), await opened(client)];
    const running = client.request("session/prompt", { sessionId: one, prompt });
    await client.event(({ kind }) => kind === "turn");
    await expect(client.request("session/prompt", { sessionId: one, prompt })).rejects.toMatchObject({
      code: -32_600,
      data: { code: "busy" },
    });
    expect(await client.ask("submit", { sessionId: one, as: "prompt", input })).toMatchObject({
      outcome: "busy",
    });
    const beside = client.request("session/prompt", { sessionId: other, prompt });
    await client.event(({ kind, sessionId }) => kind === "turn" && sessionId === other);
    for (const sessionId of [one, other])
      await client.connection.agent.notify("session/cancel", { sessionId });
    expect(await Promise.all([running, beside])).toMatchObject([
      { stopReason: "cancelled" },
      { stopReason: "cancelled" },
    ]);
    client.close();
  });

  test("fail as errors that name their code, after what they showed", async () => {
    const script: TurnScript = (_text, turn) => {
      turn.emit({ type: "message-chunk", messageId: "r:1:m", text: "half", at: 0 });
      return Promise.reject(new Error("the model is gone"));
    };
    await using served = serveHost(new ScriptedService({ script }));
    const client = await served.client("stdio");
    const sessionId = await opened(client);
    await expect(client.request("session/prompt", { sessionId, prompt })).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining("the model is gone"),
      data: { code: "scripted" },
    });
    expect(client.text()).toBe("half");
    client.close();
  });

  test("keep the MCP servers that the client brings, and never show their secrets", async () => {
    const service = new ScriptedService();
    await using served = serveHost(service);
    const client = await served.client("stdio");
    const server = {
      name: "files",
      command: "/bin/files",
      args: [],
      env: [{ name: "KEY", value: "s3cret" }],
    };
    const http = {
      type: "http" as const,
      name: "web",
      url: "http://localhost/mcp",
      headers: [{ name: "A", value: "s3cret" }],
    };
    const mcpServers: McpServer[] = [server, http];
    const answer = await client.request("session/new", { cwd: "/", mcpServers });
    expect(answer).toMatchObject({
      _meta: { autolith: { mcpServers: { kept: ["files", "web"], started: [] } } },
    });
    const sessionId = conversationIdSchema.parse(answer.sessionId);
    expect(served.host.mcpServers(sessionId)).toEqual([server, http]);
    expect(JSON.stringify([answer, client.told, served.reports])).not.toContain("s3cret");
    const many = Array.from({ length: clientMcpServerLimit + 1 }, (_each, index) => ({
      ...server,
      name: `s${index}`,
    }));
    await expect(client.request("session/new", { cwd: "/", mcpServers: many })).rejects.toMatchObject({
      code: -32_602,
    });
    await client.request("session/close", { sessionId });
    expect(served.host.mcpServers(sessionId)).toEqual([]);
    client.close();
  });

  test("with further directories are refused: that is not advertised", async () => {
    const service = new ScriptedService();
    await using served = serveHost(service);
    const client = await served.client("stdio");
    const more = { cwd: "/", mcpServers: [], additionalDirectories: ["/tmp"] };
    await expect(client.request("session/new", more)).rejects.toMatchObject({ code: -32_602 });
    expect(service.sessions()).toEqual([]);
    client.close();
  });

  test("take text, links, embedded text and images, and say what they do not take", async () => {
    await using served = serveHost(new ScriptedService());
    const client = await served.client("stdio");
    const sessionId = await opened(client);
    await client.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "look" },
        { type: "resource_link", uri: "file:///a.txt", name: "a.txt" },
        { type: "resource", resource: { uri: "file:///b.txt", text: "embedded", mimeType: "text/plain" } },
        { type: "image", mimeType: "image/png", data: "aGVsbG8=" },
      ],
    });
    expect(client.text()).toContain("embedded");
    expect(client.text()).toContain("Resource: a.txt <file:///a.txt>");
    for (const block of [
      { type: "audio" as const, mimeType: "audio/wav", data: "aGVsbG8=" },
      { type: "resource" as const, resource: { uri: "file:///c", blob: "aGVsbG8=" } },
      { type: "image" as const, mimeType: "image/tiff", data: "aGVsbG8=" },
      { type: "image" as const, mimeType: "image/png", data: "no base64!" },
    ])
      await expect(client.request("session/prompt", { sessionId, prompt: [block] })).rejects.toMatchObject({
        code: -32_602,
      });
    await expect(client.request("session/prompt", { sessionId, prompt: [] })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("the prompt is empty"),
    });
    client.close();
  });
});

describe("operations", () => {
  test("that answer too much are cut, and say so; those of terminals are refused to editors alone", async () => {
    const invoke = (): Promise<{ text: string }> => Promise.resolve({ text: "漢".repeat(300_000) });
    await using served = serveHost(new ScriptedService({ invoke }));
    const [editor, terminal] = [await served.client("stdio"), await served.client("local")];
    const sessionId = await opened(editor);
    const { text } = await editor.value("invoke", { sessionId, operation: "history" });
    expect(text.length).toBeLessThanOrEqual(updateTextLimit);
    expect(text).toContain("300000 characters, shortened");
    expect(await editor.ask("invoke", { sessionId, operation: "quit" })).toMatchObject({
      outcome: "unsupported",
    });
    await expect(
      editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "/resume" }] }),
    ).rejects.toMatchObject({ code: -32_600, data: { code: "unsupported" } });
    expect(await terminal.ask("invoke", { sessionId, operation: "quit" })).toMatchObject({ outcome: "ok" });
    for (const client of [editor, terminal]) client.close();
  });

  test("that open a picker in a terminal need an argument of an editor, as command, prompt and form", async () => {
    const operations = [commandRow(findCommand("model") as Command)];
    const invoke = (): Promise<{ text: string }> => Promise.resolve({ text: "done" });
    await using served = serveHost(new ScriptedService({ invoke, operations }));
    const [editor, terminal] = [await served.client("stdio"), await served.client("local")];
    const sessionId = await opened(editor);
    const needed = {
      code: "invalid-argument",
      report: expect.stringContaining("model needs an argument") as string,
    };
    expect(await editor.ask("invoke", { sessionId, operation: "model" })).toMatchObject(needed);
    expect(await editor.ask("steer", { sessionId, text: "/model " })).toMatchObject(needed);
    for (const said of ["/model", "(model)"])
      await expect(
        editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: said }] }),
      ).rejects.toMatchObject({ code: -32_602, data: { code: "invalid-argument" } });
    const given = { sessionId, operation: "model", arguments: { input: "openai-api/x" } };
    expect(await editor.ask("invoke", given)).toMatchObject({ outcome: "ok" });
    expect(await terminal.ask("invoke", { sessionId, operation: "model" })).toMatchObject({ outcome: "ok" });
    for (const client of [editor, terminal]) client.close();
  });
});

describe("permission requests", () => {
  test("are withdrawn by a cancel, and what the client answers later changes nothing", async () => {
    const answers: (PermissionAnswer | "cancelled")[] = [];
    await using served = serveHost(new ScriptedService({ script: asking(answers) }));
    let answerLate: () => void = () => undefined;
    const asked = Promise.withResolvers<void>();
    const client = await served.client("stdio", {
      permission: () => {
        asked.resolve();
        return new Promise((resolve) => {
          answerLate = () => resolve({ outcome: { outcome: "selected", optionId: "allow-once" } });
        });
      },
    });
    const sessionId = await opened(client);
    const ended = client.request("session/prompt", { sessionId, prompt });
    await asked.promise;
    await client.connection.agent.notify("session/cancel", { sessionId });
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    answerLate();
    await client.request("session/list", {});
    expect(answers).toEqual(["cancelled"]);
    client.close();
  });

  test.each([
    [
      "an answer that is none of the options",
      () => Promise.resolve({ outcome: { outcome: "selected" as const, optionId: "whatever" } }),
    ],
    ["an error", () => Promise.reject(new Error("no dialog"))],
    ["a cancelled dialog", () => Promise.resolve({ outcome: { outcome: "cancelled" as const } })],
  ])("with %s are denied", async (_name, permission) => {
    const answers: (PermissionAnswer | "cancelled")[] = [];
    await using served = serveHost(new ScriptedService({ script: asking(answers) }));
    const client = await served.client("stdio", { permission });
    await client.request("session/prompt", { sessionId: await opened(client), prompt });
    expect(answers).toEqual(["deny"]);
    client.close();
  });

  test("that are open reach a client that comes later, and whoever answers first answers for all", async () => {
    const answers: (PermissionAnswer | "cancelled")[] = [];
    await using served = serveHost(new ScriptedService({ script: asking(answers) }));
    const withdrawn = Promise.withResolvers<void>();
    const first = await served.client("stdio", {
      permission: () => new Promise(() => withdrawn.resolve()),
    });
    const sessionId = await opened(first);
    const ended = first.request("session/prompt", { sessionId, prompt });
    await withdrawn.promise;
    const second = await served.client("local");
    const { state } = await second.value("attach", { sessionId });
    const [request] = state.permissionRequests;
    expect(request).toMatchObject({ kind: "tool", tool: "mcp.x" });
    const requestId = request?.requestId ?? "";
    expect(await second.value("answer", { sessionId, requestId, answer: "allow-once" })).toEqual({
      answered: true,
    });
    expect(await second.value("answer", { sessionId, requestId, answer: "deny" })).toEqual({
      answered: false,
    });
    await ended;
    expect(answers).toEqual(["allow-once"]);
    for (const client of [first, second]) client.close();
  });

  test("a change of mode answers them as cancelled and is shown", async () => {
    const answers: (PermissionAnswer | "cancelled")[] = [];
    await using served = serveHost(new ScriptedService({ script: asking(answers) }));
    const asked = Promise.withResolvers<void>();
    const client = await served.client("stdio", { permission: () => new Promise(() => asked.resolve()) });
    const sessionId = await opened(client);
    const ended = client.request("session/prompt", { sessionId, prompt });
    await asked.promise;
    await client.request("session/set_mode", { sessionId, modeId: "sandboxed" });
    await ended;
    expect(answers).toEqual(["cancelled"]);
    expect((await client.updated("current_mode_update")).update).toMatchObject({
      currentModeId: "sandboxed",
    });
    client.close();
  });
});

describe("terminals", () => {
  test("see the same session, take over, look on, and are detached", async () => {
    await using served = serveHost(new ScriptedService());
    const [first, second, third] = await Promise.all([
      served.client("local"),
      served.client("local"),
      served.client("local"),
    ]);
    const { sessionId } = await first.value("open", { how: "new", cwd: "/" });
    await first.value("attach", { sessionId });
    await second.value("attach", { sessionId, readOnly: true });
    for (const method of ["pause", "kill", "cancel"] as const)
      expect(await second.ask(method, { sessionId })).toMatchObject({
        outcome: "condition",
        code: "read-only",
      });
    expect(await second.ask("submit", { sessionId, as: "queue", input })).toMatchObject({
      code: "read-only",
    });
    const { clients } = await third.value("attach", { sessionId, takeOver: true });
    expect(clients).toMatchObject([{ name: "test", self: true }]);
    for (const client of [first, second])
      expect(await client.event(({ kind }) => kind === "detached")).toMatchObject({
        data: { reason: "taken-over" },
      });
    const [row] = (await first.value("sessions", {})).sessions;
    expect(row).toMatchObject({ sessionId, status: "idle", clients: [{ self: false }] });
    expect(await first.value("detach", { sessionId, clients: "all" })).toEqual({ detached: 1 });
    expect(await third.event(({ kind }) => kind === "detached")).toMatchObject({ data: { reason: "asked" } });
    for (const client of [first, second, third]) client.close();
  });

  test("get every event with the session's own numbers, from where they attached", async () => {
    await using served = serveHost(new ScriptedService());
    const client = await served.client("local");
    const { sessionId } = await client.value("open", { how: "new", cwd: "/" });
    const { state, history } = await client.value("attach", { sessionId });
    expect(history.updates).toEqual([]);
    await client.value("submit", { sessionId, as: "prompt", input });
    await client.event(({ kind, data }) => kind === "turn" && data["state"] === "idle");
    const sequences = client.told.flatMap((news) => (news.kind === "event" ? [news.params.sequence] : []));
    expect(sequences).toEqual(sequences.map((_each, index) => state.eventSeq + 1 + index));
    const page = await client.value("page", { sessionId, limit: 1, before: 2 });
    expect(page).toMatchObject({
      updates: [{ recordSeq: 1, update: { type: "user-message", text: "go" } }],
      hasOlder: false,
      hasNewer: true,
    });
    client.close();
  });

  test("leave drafts, complete, and read Lisp; a killed session is closed for all", async () => {
    const service = new ScriptedService();
    await using served = serveHost(service);
    const client = await served.client("local");
    const { sessionId } = await client.value("open", { how: "new", cwd: "/" });
    await client.value("attach", { sessionId });
    expect(await client.value("composer", { sessionId })).toEqual({ draft: null });
    const draft = { text: "half a thou", cursor: 4 };
    await client.value("composer", { sessionId, draft });
    expect(await client.value("composer", { sessionId })).toEqual({ draft });
    // What is sent leaves the drafts, and another text does not.
    const send = (text: string): Promise<unknown> =>
      client.value("submit", { sessionId, as: "queue", input: { parts: [{ type: "text", text }] } });
    await send("another text");
    expect(await client.value("composer", { sessionId })).toEqual({ draft });
    await send(draft.text);
    expect(await client.value("composer", { sessionId })).toEqual({ draft: null });
    await client.value("composer", { sessionId, draft });
    expect(await client.value("complete", { sessionId, text: "/", cursor: 1 })).toMatchObject({ omitted: 0 });
    expect((await client.value("highlight", { sessionId, text: "(a" })).completeness).toBe("incomplete");
    expect(await client.value("kill", { sessionId })).toEqual({ closed: true });
    await client.event(({ kind }) => kind === "closed");
    expect(service.sessions()).toEqual([]);
    client.close();
  });
});
