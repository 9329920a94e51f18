import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";

describe("commands and settings", () => {
  it("settings have types, scopes and sources; durable ones are saved and unknown keys stay", async () => {
    await using scene = await openScene([], { environment: { AUTOLITH_REASONING_EFFORT: "low" } });
    const path = join(scene.pit.home, ".local/state/autolith/preferences.sexp");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '(:preferences :version 8 :future-setting "kept" :cache-miss-notices-p t)');
    const session = await (await scene.reopen()).create({ workingDirectory: scene.pit.workspace });
    const row = (name: string) => session.settings().find((each) => each.name === name);
    expect(row("reasoning-effort")).toMatchObject({ value: "low", source: "environment", scope: "durable" });
    expect(row("cache-miss-notices-p")).toMatchObject({ value: true, source: "saved" });
    expect(await session.setSetting("reasoning-traces-p", true)).toMatchObject({
      value: true,
      source: "this session",
    });
    expect(row("data-root")).toMatchObject({
      value: join(scene.pit.home, ".local/share/autolith"),
      scope: "process",
      settable: false,
    });
    expect(row("working-directory")?.value).toBe(scene.pit.workspace);
    expect(row("provider-endpoint")).toMatchObject({ value: scene.server.baseUrl, scope: "derived" });
    await expect(session.setSetting("data-root", "/")).rejects.toMatchObject({ code: "configuration" });
    await expect(session.setSetting("context-window", 5)).rejects.toMatchObject({ code: "configuration" });
    await expect(session.setSetting("reasoning-effort", "huge")).rejects.toMatchObject({
      code: "configuration",
    });
    await expect(session.setSetting("nonsense", 1)).rejects.toMatchObject({ code: "unknown-setting" });
    const saved = readFileSync(path, "utf8");
    expect(saved).toContain('"kept"');
    expect(saved.toUpperCase()).toContain(":REASONING-TRACES-P T");
    const next = await (await scene.reopen()).create({ workingDirectory: scene.pit.workspace });
    expect(next.settings().find((each) => each.name === "reasoning-traces-p")).toMatchObject({
      value: true,
      source: "saved",
    });
  });

  it("a durable setting changes the session it is set in and those that open later, in every host; open ones keep theirs", async () => {
    await using scene = await openScene([]);
    await using elsewhere = await openScene([], { pit: scene.pit });
    const create = (each: typeof scene) => each.service.create({ workingDirectory: scene.pit.workspace });
    const traces = (session: Session) =>
      session.settings().find(({ name }) => name === "reasoning-traces-p")?.value;
    const [own, beside, other] = [await create(scene), await create(scene), await create(elsewhere)];
    await own.setSetting("reasoning-traces-p", true);
    expect([own, beside, other].map(traces)).toEqual([true, false, false]);
    await other.setSetting("transcript-style", "repl");
    expect([traces(await create(scene)), traces(await create(elsewhere))]).toEqual([true, true]);
    expect([own, beside, other].map(traces)).toEqual([true, false, false]);
  });

  it("slash text is a command, // is text, a path is text; unknown and wrong ones are refused at once", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await session.prompt(text("/help"))).toMatchObject({ kind: "command" });
    await expect(session.prompt(text("/nonsense"))).rejects.toMatchObject({ code: "unknown-operation" });
    await expect(session.prompt(text("/new one two"))).rejects.toMatchObject({ code: "invalid-argument" });
    await say(session, "//slash");
    await say(session, "/etc/hosts is a file");
    expect(scene.server.requests[0]?.text).toContain('"/slash"');
    expect(scene.server.requests[1]?.text).toContain("/etc/hosts");
    for (const operation of session
      .operations()
      .filter(({ kind, name }) => kind === "command" && name !== "quit"))
      expect((await session.invoke("help", { input: operation.name })).text).toContain(operation.summary);
  });

  it("during a turn: inspection answers, boundary commands are scheduled, the rest waits", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "sleep 1" } }])
        : answer("done"),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("work"));
    await eventsUntil(client, (event) => event.kind === "job" && event.state === "running");
    expect((await session.invoke("info", {})).text).toContain("running");
    expect(await session.invoke("model", { input: "openai-api/gpt-6" })).toMatchObject({
      delivery: "scheduled",
    });
    expect(await session.invoke("new", {})).toMatchObject({ delivery: "queued" });
    const events = await eventsUntil(client, (event) => event.kind === "switched");
    expect(events.some(isTurnEnd)).toBe(true);
    const bodies = scene.server.requests.map(({ body }) => (body as { model: string }).model);
    expect(bodies).toEqual(["gpt-5.6", "gpt-6"]);
    expect(session.state().model).toBe("openai-api/gpt-6");
    expect(scene.service.sessions().length).toBe(2);
  });

  it("the plan is kept, cwd changes where tools work, completion knows commands and paths", async () => {
    await using scene = await openScene([
      calls([
        { name: "plan__update", arguments: { steps: [{ step: "one", status: "doing" }] } },
        { name: "shell__run", arguments: { command: "pwd" } },
      ]),
      answer("done"),
    ]);
    scene.pit.write("sub/file.txt", "x");
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect((await session.invoke("cwd", { input: "sub" })).text).toBe(join(scene.pit.workspace, "sub"));
    await expect(session.invoke("cwd", { input: "nowhere" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    await say(session, "plan");
    expect(session.state().plan).toEqual([{ content: "one", priority: "medium", status: "in_progress" }]);
    expect(scene.server.requests[1]?.text).toContain(join(scene.pit.workspace, "sub"));
    const again = await (await scene.reopen()).load(session.id);
    expect(again.state()).toMatchObject({
      workingDirectory: join(scene.pit.workspace, "sub"),
      plan: [{ content: "one" }],
    });
    expect((await again.complete("/eff", 4)).candidates.map((each) => each.text)).toEqual(["/effort"]);
    expect((await again.complete("see fi", 6)).candidates.map((each) => each.text)).toEqual(["file.txt"]);
    expect(existsSync(join(scene.pit.workspace, "sub/file.txt"))).toBe(true);
  });

  it("after three turns the model is asked once for a title", async () => {
    await using scene = await openScene((request) =>
      request.text.includes("Give the conversation below a title")
        ? answer('"A better title."')
        : answer("ok"),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    for (const words of ["one", "two", "three"]) await say(session, words);
    await eventsUntil(
      client,
      (event) =>
        event.kind === "update" && event.update.type === "title" && event.update.title === "A better title",
    );
    await say(session, "four");
    expect(scene.server.requests.length).toBe(5);
  });

  it("an idle host says so, and one with a client does not", async () => {
    await using scene = await openScene([answer("ok")], { idleMs: 20 });
    await scene.service.idle;
    const busy = await scene.reopen();
    const session = await busy.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await say(session, "hello");
    let idle = false;
    const noticed = busy.idle.then(() => {
      idle = true;
    });
    expect(idle).toBe(false);
    client.detach();
    await noticed;
    expect(idle).toBe(true);
  });
});
