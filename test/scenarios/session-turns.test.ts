import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, calls } from "../support/model-server/script.ts";
import { openScene, say, text, updateTypes, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil, isTurnEnd, textOf } from "../support/sessions/read-events.ts";

describe("turns of a session", () => {
  it("streams text, runs tools, counts usage and ends the turn", async () => {
    await using scene = await openScene([
      calls([{ name: "shell__run", arguments: { command: "echo hello > made.txt; cat made.txt" } }], {
        usage: { input: 100, output: 10 },
      }),
      answer("All is done and well.", { pieces: 4, usage: { input: 150, output: 8, cached: 90 } }),
    ]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    expect(await say(session, "Make a file")).toMatchObject({
      outcome: "end-turn",
      epoch: 1,
      usage: { inputTokens: 250, outputTokens: 18, cachedInputTokens: 90, requests: 2 },
    });
    const events = await eventsUntil(client, isTurnEnd);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => (events[0]?.seq ?? 0) + index));
    expect(textOf(events)).toBe("All is done and well.");
    const types = updateTypes(events);
    expect(types.indexOf("user-message")).toBeLessThan(types.indexOf("tool-call"));
    expect(types.indexOf("tool-call")).toBeLessThan(types.indexOf("tool-call-update"));
    expect(readFileSync(join(scene.pit.workspace, "made.txt"), "utf8")).toBe("hello\n");
    const turns = events.filter((event) => event.kind === "turn");
    expect(turns).toMatchObject([
      { state: "running", epoch: 1, source: "prompt", outcome: null },
      { state: "idle", epoch: 1, source: "prompt", outcome: "end-turn" },
    ]);
    expect(session.state()).toMatchObject({ title: "Make a file", contextTokens: 158, userTurns: 1 });
    const { updates } = await session.history({});
    expect(updates.map(({ update }) => update.type)).toEqual([
      "title",
      "user-message",
      "tool-call",
      "tool-call-update",
      "message-chunk",
      "turn-end",
    ]);
  });

  it("refuses a second prompt while busy; steering goes in at the boundary, queued input follows", async () => {
    await using scene = await openScene((request) => {
      if (request.number === 1) return calls([{ name: "shell__run", arguments: { command: "cat fifo" } }]);
      return answer(`answer ${request.number}`);
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    const first = await session.prompt(text("first"));
    await eventsUntil(
      client,
      (event) =>
        event.kind === "update" &&
        event.update.type === "tool-call-update" &&
        event.update.status === "running",
    );
    await expect(session.prompt(text("second"))).rejects.toMatchObject({ code: "busy" });
    expect(await session.queue(text("third"))).toMatchObject({ delivery: "queued" });
    expect(await session.steer(text("steer me"))).toMatchObject({ delivery: "steering" });
    expect(session.state().pendingInputs.map((input) => input.text)).toEqual(["steer me", "third"]);
    await writeFile(join(scene.pit.workspace, "fifo"), "go");
    if (first.kind !== "turn") throw new Error("a turn was expected");
    await first.finished;
    const later = await eventsUntil(
      client,
      (event) => event.kind === "turn" && event.state === "idle" && event.epoch === 2,
    );
    expect(scene.server.requests[1]?.text).toContain("steer me");
    expect(scene.server.requests[1]?.text).not.toContain("third");
    expect(scene.server.requests[2]?.text).toContain("third");
    expect(later.some((event) => event.kind === "turn" && event.source === "queue")).toBe(true);
    expect(session.state().pendingInputs).toEqual([]);
  });

  it("cancel stops the request and the tool, pauses what waits, and the next prompt lifts that", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "sleep 100" } }])
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.setSetting("session-title-generation-p", false);
    const first = await session.prompt(text("sleep"));
    await eventsUntil(client, (event) => event.kind === "job" && event.state === "running");
    await session.queue(text("later"));
    expect(await session.cancel()).toBe(true);
    if (first.kind !== "turn") throw new Error("a turn was expected");
    expect(await first.finished).toMatchObject({ outcome: "cancelled" });
    expect(session.state()).toMatchObject({
      paused: true,
      turn: { state: "idle", lastOutcome: "cancelled" },
    });
    expect(session.jobs().map(({ state }) => state)).toEqual(["aborted"]);
    expect(scene.server.requests.length).toBe(1);
    expect(await say(session, "go on")).toMatchObject({ outcome: "end-turn" });
    await eventsUntil(
      client,
      (event) => event.kind === "turn" && event.state === "idle" && event.epoch === 3,
    );
    expect(scene.server.requests.length).toBe(3);
    expect(scene.server.requests[1]?.text).toContain("function_call_output");
    expect(scene.server.requests[2]?.text).toContain("later");
  });

  it("pause cancels the work and holds what waits, also what comes without a turn; input lifts it", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "cat fifo" } }])
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    const first = await session.prompt(text("first"));
    await eventsUntil(client, (event) => event.kind === "update" && event.update.type === "tool-call");
    await session.queue(text("later"));
    expect(await session.pause()).toBe(true);
    expect(first.kind === "turn" && (await first.finished).outcome).toBe("cancelled");
    expect(session.state()).toMatchObject({ paused: true, pendingInputs: [{ text: "later" }] });
    expect(await session.pause()).toBe(false);
    await session.steer(text("go on"));
    await eventsUntil(client, (event) => isTurnEnd(event) && session.state().pendingInputs.length === 0);
    expect(session.state()).toMatchObject({ paused: false, userTurns: 3 });
  });

  it("a front end leaves its draft for the next, and Lisp is coloured by the reader", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(session.draft()).toBeNull();
    session.leaveDraft({ text: "half a thou", cursor: 4 });
    expect(session.draft()).toEqual({ text: "half a thou", cursor: 4 });
    expect(await session.highlight('(trace "x"')).toMatchObject({
      completeness: "incomplete",
      tokens: [{ kind: "open" }, { kind: "symbol" }, { kind: "string", from: 7, to: 10 }],
    });
    expect(await session.highlight(")")).toMatchObject({
      completeness: "invalid",
      tokens: [{ kind: "invalid" }],
    });
    await expect(session.highlight("x".repeat(262_145))).rejects.toMatchObject({ code: "input-limit" });
  });

  it("a detached job's completion starts a turn by itself, once", async () => {
    await using scene = await openScene((request) => {
      if (request.number === 1)
        return calls([{ name: "shell__run", arguments: { command: "echo finished", async: true } }]);
      return answer(`answer ${request.number}`);
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await say(session, "start it");
    const events = await eventsUntil(
      client,
      (event) => event.kind === "turn" && event.state === "idle" && event.source === "completion",
    );
    expect(events.filter((event) => event.kind === "turn" && event.state === "running").length).toBe(2);
    const body = scene.server.requests.at(-1)?.text ?? "";
    expect(body.match(/:JOB-COMPLETION/g)?.length).toBe(1);
  });

  it("a turn that ends without a word while a job runs says how many will call it again, in replays too", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "cat fifo", async: true } }])
        : answer(request.number === 2 ? "" : "ended"),
    );
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await say(session, "wait for it");
    const seen = await eventsUntil(client, isTurnEnd);
    const notice = { type: "notice", code: "yield", text: expect.stringContaining("1 job;") as string };
    const updates = seen.flatMap((event) => (event.kind === "update" ? [event.update] : []));
    expect(updates).toContainEqual(expect.objectContaining(notice));
    await writeFile(join(scene.pit.workspace, "fifo"), "done");
    await eventsUntil(client, isTurnEnd);
    const { updates: replayed } = await session.history({});
    expect(replayed.map(({ update }) => update)).toContainEqual(expect.objectContaining(notice));
  });

  it("an edit shows its change, live and in the history; a session that closes says so last", async () => {
    await using scene = await openScene([
      calls([
        {
          name: "resource__edit",
          arguments: {
            uri: "workspace:new.txt",
            "base-revision": "absent",
            operations: [{ operation: "replace-empty", content: "one line\n" }],
          },
        },
      ]),
      answer("done"),
    ]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await say(session, "write");
    const path = join(scene.pit.workspace, "new.txt");
    const diff = { type: "diff", path, oldText: null, newText: "one line\n" };
    const { updates } = await session.history({});
    const shown = updates.flatMap(({ update }) =>
      update.type === "tool-call-update" ? (update.content ?? []) : [],
    );
    expect(shown).toEqual([diff]);
    expect(session.state().contextTokens).toBeGreaterThan(100);
    await scene.service.closeSession(session.id);
    const events = await eventsUntil(client, (event) => event.kind === "closed");
    expect(events.at(-1)).toMatchObject({ kind: "closed", reason: "closed" });
    await expect(session.prompt(text("more"))).rejects.toMatchObject({ code: "session-closed" });
    expect(scene.service.sessions()).toEqual([]);
  });

  it("images and resources of a prompt reach the model, now and after a restart; empty and huge prompts are refused", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const image = { mimeType: "image/png" as const, data: "iVBORw0KGgo=" };
    const submission = await session.prompt({
      parts: [
        { type: "text", text: "look" },
        { type: "image", image },
        { type: "resource-link", uri: "file:///x/y.txt", name: "y" },
        { type: "resource", uri: "mem:note", text: "embedded words" },
      ],
    });
    if (submission.kind !== "turn") throw new Error("a turn was expected");
    await submission.finished;
    const sent = scene.server.requests[0]?.text ?? "";
    for (const part of ["data:image/png;base64,iVBORw0KGgo=", "file:///x/y.txt", "embedded words"])
      expect(sent).toContain(part);
    const again = await (await scene.reopen()).load(session.id);
    await say(again, "and now");
    expect(scene.server.requests[1]?.text).toContain("data:image/png;base64,iVBORw0KGgo=");
    await expect(again.prompt(text("  "))).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(again.prompt(text("x".repeat(262_145)))).rejects.toMatchObject({ code: "input-limit" });
  });

  it("a picture that a tool shows reaches the model behind the result, and again after a restart", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "fs__view-image", arguments: { path: "dot.gif" } }])
        : answer(`seen ${request.number}`),
    );
    const picture = Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1");
    await writeFile(join(scene.pit.workspace, "dot.gif"), picture);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await say(session, "look")).toMatchObject({ outcome: "end-turn" });
    const url = `data:image/gif;base64,${picture.toString("base64")}`;
    expect(scene.server.requests[1]?.text.split(url).length).toBe(2);
    const again = await (await scene.reopen()).load(session.id);
    await say(again, "and now?");
    expect(scene.server.requests[2]?.text.split(url).length).toBe(2);
  });

  it("an error ends the turn as a condition, and says so", async () => {
    await using scene = await openScene([
      { kind: "status", status: 401, body: { error: { message: "no such key", code: "invalid_api_key" } } },
      answer("fine again"),
    ]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const ended = await say(session, "hello");
    expect(ended.outcome).toBe("condition");
    expect(ended.failure?.code).toBe("authentication");
    expect(session.state().health.lastFailure?.code).toBe(ended.failure?.code);
    expect(await say(session, "again")).toMatchObject({ outcome: "end-turn" });
  });
});
