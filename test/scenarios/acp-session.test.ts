/** ACP clients on real sessions: what editors were failed by elsewhere (the case log's ids in the names). */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import type { TestClient } from "../support/acp/test-client.ts";
import { serveHost } from "../support/acp/served-host.ts";
import { cast, lastOutput, submit, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene } from "../support/sessions/composed-sessions.ts";
import { eventually } from "../support/eventually.ts";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";

const text = (content: string): { type: "text"; text: string } => ({ type: "text", text: content });

async function opened(client: TestClient, cwd: string): Promise<string> {
  return (await client.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

/** The kinds of updates from a place on, in order, without those about the session itself; several of a kind count once. */
function kindsSince(client: TestClient, from: number): readonly string[] {
  return client.told
    .slice(from)
    .flatMap((news) => (news.kind === "update" ? [news.params.update.sessionUpdate] : []))
    .filter((kind) => !["available_commands_update", "session_info_update", "usage_update"].includes(kind))
    .filter((kind, index, all) => kind !== all[index - 1]);
}

describe("an editor", () => {
  it("evaluates forms: each is a call that the person made, and the answer comes at its end", async () => {
    await using scene = await openScene([]);
    await using served = serveHost(scene.service);
    const client = await served.client("stdio");
    const sessionId = await opened(client, scene.pit.workspace);
    const before = client.told.length;
    const form = (source: string) => client.request("session/prompt", { sessionId, prompt: [text(source)] });
    expect(await form("(values (+ 1 2) :two)")).toMatchObject({
      stopReason: "end_turn",
      _meta: { autolith: { form: { formId: "form:1", status: "values" } } },
    });
    const shown = client.told
      .slice(before)
      .flatMap((news) => (news.kind === "update" ? [news.params.update] : []));
    expect(shown.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"))).toMatchObject([
      { toolCallId: "form:1", kind: "execute", rawInput: { source: "(values (+ 1 2) :two)" } },
      { toolCallId: "form:1", status: "completed", content: [{ content: { text: "⇒ 3\n⇒ :TWO" } }] },
    ]);
    // Nobody sees restarts here: the condition is the end.
    expect(await form('(error "no")')).toMatchObject({
      _meta: { autolith: { form: { status: "condition" } } },
    });
    await expect(form("(list 1\n  (+ 2")).rejects.toMatchObject({
      code: -32_602,
      data: { code: "incomplete-form", details: { line: 2, column: 3 } },
    });
    await expect(form("(quit)")).rejects.toMatchObject({ data: { code: "unsupported" } });
    const endless = form("(loop)");
    await client.connection.agent.notify("session/cancel", { sessionId });
    expect(await endless).toMatchObject({ stopReason: "cancelled" });
    client.close();
  });

  it("C127 loads a session by the id it was given after a restart: its whole history as updates before the answer", async () => {
    await using scene = await openScene([
      tool("shell__run", { command: "echo made" }),
      answer("First."),
      answer("Second."),
    ]);
    const first = serveHost(scene.service);
    const client = await first.client("stdio");
    const sessionId = await opened(client, scene.pit.workspace);
    await client.request("session/prompt", { sessionId, prompt: [text("one")] });
    await client.request("session/prompt", { sessionId, prompt: [text("two")] });
    const live = kindsSince(client, 0);
    client.close();
    await first[Symbol.asyncDispose]();

    await using second = serveHost(await scene.reopen());
    const again = await second.client("stdio");
    const listed = await again.request("session/list", { cwd: scene.pit.workspace });
    expect(listed.sessions).toMatchObject([{ sessionId, cwd: scene.pit.workspace }]);
    const before = again.told.length;
    await again.request("session/load", { sessionId, cwd: scene.pit.workspace, mcpServers: [] });
    expect(kindsSince(again, before)).toEqual(live);
    expect(again.text()).toBe("First.Second.");
    again.close();
  });

  it("C125 is asked for what a child and its child want to run, with who asks; no answer and a lost editor refuse it", async () => {
    const outputs: string[] = [];
    const wantsShell = (request: Parameters<typeof lastOutput>[0]): ReturnType<typeof submit> => {
      outputs.push(lastOutput(request));
      return submit("done");
    };
    await using scene = await openScene(
      cast({
        ROOT: [
          () => tool("task__run", { task: "Do CHILD.", blocking: true }),
          (request) => answer(lastOutput(request).includes("done") ? "heard" : "not heard"),
        ],
        CHILD: [
          () => tool("task__run", { task: "Do GRAND.", blocking: true }),
          () => tool("shell__run", { command: "echo child" }),
          wantsShell,
        ],
        GRAND: [() => tool("shell__run", { command: "echo grand" }), wantsShell],
      }),
      { permissions: "ask" },
    );
    await using served = serveHost(scene.service);
    const asked: RequestPermissionRequest[] = [];
    const client = await served.client("stdio", {
      permission: (request) => {
        asked.push(request);
        return asked.length === 1
          ? Promise.resolve({ outcome: { outcome: "selected", optionId: "allow-once" } })
          : new Promise(() => undefined);
      },
    });
    const sessionId = await opened(client, scene.pit.workspace);
    const ended = client
      .request("session/prompt", { sessionId, prompt: [text("ROOT")] })
      .catch(() => undefined);
    await eventually(() => asked.length).toBe(2);
    const [grand, child] = asked;
    expect(grand).toMatchObject({ toolCall: { rawInput: { command: "echo grand" } } });
    expect(child).toMatchObject({ toolCall: { rawInput: { command: "echo child" } } });
    const askers = asked.map(({ _meta }) => (_meta?.["autolith"] as { asker: string } | undefined)?.asker);
    expect(new Set(["primary", ...askers]).size).toBe(3);
    expect(outputs[0]).toContain("exit 0");
    client.close();
    await ended;
    await eventually(() => scene.service.sessions()).toEqual([]);
  });

  it("cancels a prompt: its tool, its owned jobs and its open request end with it", async () => {
    await using scene = await openScene([
      tool("shell__run", { command: "cat fifo", async: true }),
      tool("shell__run", { command: "cat fifo" }),
      answer("never said"),
    ]);
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    await using served = serveHost(scene.service);
    const client = await served.client("stdio");
    const sessionId = conversationIdSchema.parse(await opened(client, scene.pit.workspace));
    const ended = client.request("session/prompt", { sessionId, prompt: [text("run")] });
    await eventually(
      async () =>
        (await client.value("jobs", { sessionId })).jobs.filter(({ state }) => state === "running").length,
    ).toBe(2);
    await client.connection.agent.notify("session/cancel", { sessionId });
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    await eventually(async () =>
      (await client.value("jobs", { sessionId })).jobs.every(({ state }) => state === "aborted"),
    ).toBe(true);
    client.close();
  });

  it("reads its jobs, their transcripts as updates, their logs, and changes settings", async () => {
    await using scene = await openScene(
      cast({
        ROOT: [
          () => tool("task__run", { task: "Do CHILD.", blocking: true }),
          () => tool("shell__run", { command: "echo from the root" }),
          () => answer("Done."),
        ],
        CHILD: [() => tool("shell__run", { command: "echo from the child" }), () => submit("child result")],
      }),
    );
    await using served = serveHost(scene.service);
    const client = await served.client("local");
    const { sessionId } = await client.value("open", { how: "new", cwd: scene.pit.workspace });
    await client.value("attach", { sessionId });
    await client.value("submit", { sessionId, as: "prompt", input: { parts: [text("ROOT")] } });
    await client.event(({ kind, data }) => kind === "turn" && data["state"] === "idle");

    const { jobs, total } = await client.value("jobs", { sessionId, limit: 1 });
    expect([jobs.length, total > 1]).toEqual([1, true]);
    const all = (await client.value("jobs", { sessionId })).jobs;
    const child = all.find(({ kind }) => kind === "agent");
    const jobId = child?.jobId ?? "";
    expect(await client.value("job", { sessionId, jobId })).toMatchObject({
      job: { jobId, state: "completed" },
    });

    const whole = await client.value("job-transcript", { sessionId, jobId, output: "structured" });
    if (whole.output !== "structured") throw new Error("updates were expected");
    expect(whole).toMatchObject({ offset: 0, complete: true, nextOffset: null });
    expect(JSON.stringify(whole.updates)).toContain("from the child");
    expect(whole.updates.map(({ sessionUpdate }) => sessionUpdate)).toContain("tool_call");
    const first = await client.value("job-transcript", { sessionId, jobId, output: "structured", limit: 1 });
    expect(first).toMatchObject({ total: whole.total, complete: false, nextOffset: 1 });
    expect(await client.value("job-transcript", { sessionId, jobId })).toMatchObject({
      output: "text",
      offset: 0,
    });
    expect(await client.ask("job-send", { sessionId, jobId, text: "too late" })).toMatchObject({
      outcome: "condition",
    });

    const { updates } = (await client.value("page", { sessionId })) as { updates: readonly unknown[] };
    const log = /shell-log:[\w:/-]+/.exec(JSON.stringify(updates))?.[0] ?? "";
    expect(
      await client.value("resource", { sessionId, uri: log, byteOffset: 0, byteCount: 4 }),
    ).toMatchObject({
      text: expect.stringContaining("from"),
    });
    scene.pit.write("a.txt", "one\ntwo\nthree\n");
    const lines = await client.value("resource", {
      sessionId,
      uri: "workspace:a.txt",
      startLine: 2,
      lineCount: 1,
    });
    expect(lines.text).toContain("two");
    expect(lines.text).not.toContain("three");

    expect(
      await client.value("set-setting", { sessionId, name: "turn-timestamps-p", value: true }),
    ).toMatchObject({
      setting: { value: true },
    });
    expect(await client.ask("set-setting", { sessionId, name: "no-such", value: 1 })).toMatchObject({
      code: "unknown-setting",
    });
    expect((await client.value("models", { sessionId })).models.some(({ current }) => current)).toBe(true);
    const { operations } = await client.value("operations", { sessionId });
    expect(operations.map(({ name }) => name)).toEqual(expect.arrayContaining(["compact", "shell.run"]));
    client.close();
  });
});
