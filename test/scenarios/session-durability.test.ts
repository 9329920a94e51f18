import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

describe("sessions over restarts", () => {
  it("a loaded conversation shows what the live one did, waits with its input, and tells the model once", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "exit 3" } }])
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    const client = await watch(session);
    await say(session, "first words");
    const shown = (await session.history({})).updates;
    const shell = session.prompt(text("/cwd"));
    expect(await shell).toMatchObject({ kind: "command", invocation: { text: scene.pit.workspace } });
    const other = await scene.reopen();
    expect((await client.read()).events.length).toBeGreaterThan(0);
    expect((await other.conversations({})).conversations).toMatchObject([
      { sessionId: session.id, title: "first words", userTurns: 1, open: false },
    ]);
    const again = await other.load(session.id);
    expect((await again.history({})).updates).toEqual(
      shown.map((entry) => ({ ...entry, update: { ...entry.update, at: expect.any(Number) as number } })),
    );
    expect(await other.load(session.id)).toBe(again);
    await say(again, "second words");
    await say(again, "third words");
    const [, , second, third] = scene.server.requests;
    expect(second?.text).toContain("was resumed in a new process");
    expect(third?.text).not.toContain("was resumed in a new process");
    expect(second?.text).toContain("first words");
    expect(again.state().usage.requests).toBe(4);
  });

  it("input that was accepted survives, is paused, and is delivered once; the vault keeps what is set aside", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "sleep 100" } }])
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("sleep"));
    await eventsUntil(client, (event) => event.kind === "job" && event.state === "running");
    await session.queue({ ...text("kept A"), inputId: "mine" });
    await session.queue({ ...text("kept A"), inputId: "mine" });
    await session.queue(text("kept B"));
    const again = await (await scene.reopen()).load(session.id);
    expect(again.state()).toMatchObject({ paused: true, turn: { state: "idle" } });
    expect(again.jobs().map(({ state }) => state)).toEqual(["aborted"]);
    expect(again.state().pendingInputs.map((input) => input.text)).toEqual(["kept A", "kept B"]);
    expect(await again.vaultStore()).toBe(2);
    await again.setVaultContents([{ type: "message", input: "edited" }, ...again.vaultContents().slice(1)]);
    const third = await (await scene.reopen()).load(session.id);
    expect(third.vaultContents()).toEqual([
      { type: "message", input: "edited" },
      { type: "message", input: "kept B" },
    ]);
    const watcher = await watch(third);
    expect(await third.vaultRestore()).toBe(2);
    await eventsUntil(
      watcher,
      (event) => event.kind === "turn" && event.state === "idle" && event.epoch === 2,
    );
    const last = scene.server.requests.at(-1)?.text ?? "";
    expect([last.split("edited").length, last.split("kept B").length]).toEqual([2, 2]);
    expect(third.state()).toMatchObject({ pendingInputs: [], vaultEntries: 0 });
  });

  it("a fork goes on by itself, and the source stays as it was", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "common past");
    const copy = await scene.service.fork(session.id);
    await say(copy, "only in the copy");
    expect(scene.server.requests[1]?.text).toContain("common past");
    const words = JSON.stringify((await session.history({})).updates);
    expect(words).not.toContain("only in the copy");
    expect((await scene.service.conversations({})).total).toBe(2);
    const page = await scene.service.conversations({ limit: 1 });
    expect(page.nextCursor).toBe("1");
    expect((await scene.service.conversations({ limit: 1, cursor: "1" })).conversations.length).toBe(1);
  });

  it("kill -9 during a tool: resumed, the call has one result, accepted input is delivered once", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "sleep 100" } }])
        : answer(`answer ${request.number}`),
    );
    const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
    const first = await startHostProcess(pit, environment);
    first.send("prompt run something long");
    await first.seen((line) => line.kind === "job" && line["state"] === "running");
    first.send("queue after the crash");
    await first.seen((line) => line.kind === "accepted" && line["verb"] === "queue");
    await first.kill();
    const second = await startHostProcess(pit, environment, first.opened.id);
    expect(second.opened.state).toMatchObject({ paused: true, turn: { state: "idle" } });
    expect(second.opened.state.pendingInputs.map((input) => input.text)).toEqual(["after the crash"]);
    expect(second.opened.history.map(({ update }) => update.type)).toEqual([
      "title",
      "user-message",
      "tool-call",
      "turn-end",
    ]);
    second.send("prompt what happened");
    await second.seen((line) => line.kind === "turn" && line["state"] === "idle" && line["epoch"] === 2);
    await second.kill();
    const third = await startHostProcess(pit, environment, first.opened.id);
    expect(third.opened.state.pendingInputs).toEqual([]);
    const texts = third.opened.history.flatMap(({ update }) =>
      update.type === "user-message" ? [update.text] : [],
    );
    expect(texts).toEqual(["run something long", "what happened", "after the crash"]);
    await third.close();
    const resumed = JSON.parse(server.requests[1]?.text ?? "{}") as {
      input: { type: string; call_id?: string; output?: string }[];
    };
    const results = resumed.input.filter(({ type }) => type === "function_call_output");
    expect(results.length).toBe(1);
    expect(results[0]?.output).toContain("unknown");
    const ofTurns = server.requests.filter((request) => !request.text.includes("below a title"));
    expect(ofTurns.length).toBe(3);
  });

  it("what people put in is recalled: messages and commands, no automatic ones; built once from the record", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "first");
    await session.prompt(text("/info"));
    await say(session, "second\nline");
    const recalled = async (of: Session) =>
      (await of.inputHistory({})).inputs.map(({ kind, text: shown }) => [kind, shown]);
    const all = [
      ["message", "first"],
      ["command", "/info"],
      ["message", "second\nline"],
    ];
    expect(await recalled(session)).toEqual(all);
    expect(await session.inputHistory({ limit: 1 })).toMatchObject({ inputs: [{ seq: 3 }], hasOlder: true });
    const again = await (await scene.reopen()).load(session.id);
    expect(await recalled(again)).toEqual(all);
    expect((await again.invoke("history", {})).text).toContain("3  second line");
    await again.queue(text("third"));
    await scene.reopen();
    const sidecar = join(scene.pit.home, ".local/share/autolith/conversations", `${session.id}.inputs.sexp`);
    expect(readFileSync(sidecar, "utf8").split("\n").length).toBe(5);
    rmSync(sidecar);
    const rebuilt = await (await scene.reopen()).load(session.id);
    expect(await recalled(rebuilt)).toEqual([all[0], all[2], ["message", "third"]]);
  });
});
