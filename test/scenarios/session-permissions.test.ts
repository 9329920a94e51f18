import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, calls } from "../support/model-server/script.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";

const run = (command: string) => calls([{ name: "shell__run", arguments: { command } }]);
const script = (request: { readonly number: number }) =>
  request.number % 2 === 1 ? run("echo approved") : answer("ok");

describe("permissions of a session in mode ask", () => {
  it("a call that waits for an answer is pending, then runs, and its result is told once", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("try"));
    const before = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const late = await session.attach({ name: "late", answersPermissions: false, tail: 0 });
    expect(late.live).toMatchObject([{ type: "tool-call-update", status: "pending" }]);
    session.answerPermission(session.state().permissionRequests[0]?.requestId ?? "", "allow-once");
    const after = await eventsUntil(client, isTurnEnd);
    const statuses = [...before, ...after].flatMap((event) =>
      event.kind === "update" && event.update.type === "tool-call-update" ? [event.update.status] : [],
    );
    expect(statuses).toEqual(["running", "pending", "running", "completed"]);
  });

  it("a request to read outside the directory names the call that asks", async () => {
    await using scene = await openScene(
      (request) =>
        request.number === 1
          ? calls([{ name: "resource__read", arguments: { uri: "file:///etc/hostname" } }])
          : answer("ok"),
      { permissions: "ask" },
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("read"));
    const events = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const call = events.find((event) => event.kind === "update" && event.update.type === "tool-call");
    const request = session.state().permissionRequests[0];
    expect(request).toMatchObject({ kind: "path", callId: expect.stringMatching(/./) as string });
    expect(call).toMatchObject({ update: { callId: request?.callId } });
    session.answerPermission(request?.requestId ?? "", "deny");
    await eventsUntil(client, isTurnEnd);
    const reading = session.resource({ uri: "file:///etc/hostname" });
    const asked = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const own = asked.find((event) => event.kind === "permission-requested");
    expect(own?.kind === "permission-requested" && own.request.callId).toMatch(/^user-/);
    session.answerPermission(session.state().permissionRequests[0]?.requestId ?? "", "allow-once");
    expect((await reading).text.length).toBeGreaterThan(0);
  });

  it("denies at once when nobody is attached, and when only an observer is", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.attach({ name: "observer", answersPermissions: false, readOnly: true, tail: 0 });
    await say(session, "try");
    expect(scene.server.requests[1]?.text).toContain("nobody is attached");
  });

  it("an approval for the session covers the exact command, until the mode changes", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("try"));
    const asked = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const request = asked.find((event) => event.kind === "permission-requested")?.request;
    expect(request).toMatchObject({
      kind: "command",
      command: "echo approved",
      directory: scene.pit.workspace,
      asker: "primary",
      epoch: 1,
    });
    expect(session.state().permissionRequests.length).toBe(1);
    expect(session.answerPermission(request?.requestId ?? "", "allow-session")).toBe(true);
    expect(session.answerPermission(request?.requestId ?? "", "deny")).toBe(false);
    await eventsUntil(client, isTurnEnd);
    expect(scene.server.requests[1]?.text).toContain("exit 0");
    await say(session, "again");
    expect(scene.server.requests[3]?.text.split("exit 0").length).toBe(3);
    await session.setMode("ask");
    await session.prompt(text("third"));
    await eventsUntil(client, (event) => event.kind === "permission-requested");
    await session.cancel();
    expect(session.state().permissionRequests).toEqual([]);
  });

  it("an approval for good holds in other sessions, for the exact command alone; it is listed and cleared", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("try"));
    const asked = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const request = asked.find((event) => event.kind === "permission-requested")?.request;
    session.answerPermission(request?.requestId ?? "", "allow-always");
    await eventsUntil(client, isTurnEnd);
    const other = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(other, "again");
    expect(scene.server.requests[3]?.text).toContain("exit 0");
    const listed = await other.invoke("permissions", { input: "list" });
    expect(listed.text).toBe(`durable  ${scene.pit.workspace}  echo approved`);
    expect((await other.invoke("permissions", { input: "clear" })).text).toContain("1 of them durable");
    await say(other, "third");
    expect(scene.server.requests[5]?.text).toContain("nobody is attached");
  });

  it("an approval for good that cannot be kept holds for the session, and says so", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const path = join(scene.pit.environment["HOME"] ?? "", ".local/state/autolith/permissions.sexp");
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("try"));
    await eventsUntil(client, (event) => event.kind === "permission-requested");
    await writeFile(path, "(:other)");
    session.answerPermission(session.state().permissionRequests[0]?.requestId ?? "", "allow-always");
    const events = await eventsUntil(client, isTurnEnd);
    expect(scene.server.requests[1]?.text).toContain("exit 0");
    expect(JSON.stringify(events)).toContain("The approval holds for this session only: The approvals in ");
    expect(await readFile(path, "utf8")).toBe("(:other)");
    await session.setMode("ask");
    await session.prompt(text("again"));
    const later = await eventsUntil(client, (event) => event.kind === "permission-requested");
    expect(JSON.stringify(later)).toContain("Approvals for good do not hold: ");
    session.answerPermission(session.state().permissionRequests[0]?.requestId ?? "", "deny");
    await eventsUntil(client, isTurnEnd);
  });

  it("mode sandbox asks nobody; mode auto asks for what it does not allow, and says why", async () => {
    await using scene = await openScene(
      (request) =>
        request.text.includes("classif") && !request.text.includes("shell__run")
          ? answer("DENY")
          : JSON.stringify(request.body).includes("function_call_output")
            ? answer("ok")
            : run("echo approved"),
      { permissions: "auto" },
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("try"));
    const asked = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const request = asked.find((event) => event.kind === "permission-requested")?.request;
    expect(request?.reason).toMatch(/judged|classifier|denied/);
    session.answerPermission(request?.requestId ?? "", "allow-once");
    await eventsUntil(client, isTurnEnd);
    expect(scene.server.requests.at(-1)?.text).toContain("exit 0");
  });

  it("what the only client that could answer leaves open is denied", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    const turn = await session.prompt(text("try"));
    await eventsUntil(client, (event) => event.kind === "permission-requested");
    client.detach();
    if (turn.kind !== "turn") throw new Error("a turn was expected");
    expect(await turn.finished).toMatchObject({ outcome: "end-turn" });
    expect(scene.server.requests[1]?.text).toContain("was not run");
  });
});
