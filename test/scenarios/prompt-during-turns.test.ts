import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, calls } from "../support/model-server/script.ts";
import { openScene, text, watch } from "../support/sessions/composed-sessions.ts";
import { evaluated, values } from "../support/sessions/form-scene.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";

describe("forms while a turn runs", () => {
  it("what looks, reads the vault or says so runs at once; boundary commands are scheduled; the rest waits in order", async () => {
    const work = calls([{ name: "shell__run", arguments: { command: "echo worked" } }]);
    await using scene = await openScene((request) => (request.number === 1 ? work : answer("done")), {
      permissions: "ask",
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("work"));
    // The turn waits for an answer, however long all of this takes.
    const asked = await eventsUntil(client, ({ kind }) => kind === "permission-requested");
    const [requestId = ""] = asked.flatMap((event) =>
      event.kind === "permission-requested" ? [event.request.requestId] : [],
    );
    for (const form of ["(defvar *order* nil)", "(push 1 *order*)", '(shell.run :command "echo x")'])
      expect(await session.prompt(text(form)), form).toMatchObject({
        kind: "command",
        invocation: { delivery: "queued" },
      });
    expect(await session.steer(text("(push 2 *order*)"))).toMatchObject({ delivery: "queued" });
    expect(await session.queue(text("(push 3 *order*)"))).toMatchObject({ delivery: "queued" });
    expect(await values(session, "(eval-now (setf *print-pretty* nil) 42)")).toEqual(["42"]);
    expect((await values(session, "(info)"))[0]).toContain("running");
    expect((await values(session, '(resource.read :uri "workspace:.")'))[0]).toContain("workspace:");
    expect(await values(session, '(setf (vault-contents) \'((:message "later")))')).toHaveLength(1);
    expect(await values(session, "(vault-contents 0)")).toEqual(['(:MESSAGE "later")']);
    expect((await values(session, '(model "openai-api/gpt-6")'))[0]).toContain("next boundary");
    expect((await values(session, '(prompt "and also this")'))[0]).toMatch(/:DELIVERY :STEERING/);
    await expect(session.prompt(text("(+ 1"))).rejects.toMatchObject({
      code: "incomplete-form",
      details: { line: 1, column: 1 },
    });
    await expect(session.prompt(text("(+ 1))"))).rejects.toMatchObject({ code: "invalid-form" });
    expect(session.state().pendingInputs).toHaveLength(6);
    expect(session.answerPermission(requestId, "allow-once")).toBe(true);
    await session.setMode("full");
    await eventsUntil(client, (event) => event.kind === "pending-input" && event.inputs.length === 0);
    expect(await values(session, "(values *order*)")).toEqual(["(3 2 1)"]);
    const bodies = scene.server.requests.map(({ text: body }) => body);
    expect(bodies[1]).toContain("and also this");
    expect(bodies[1]).toContain("(eval-now (setf *print-pretty* nil) 42)");
    expect(scene.server.requests[1]?.body).toMatchObject({ model: "gpt-6" });
    // Calls and results stay together: what a form did comes behind them.
    expect(bodies[1]!.indexOf("function_call_output")).toBeLessThan(bodies[1]!.indexOf("eval-now"));
  });

  it("a form that is typed just when a turn ends comes behind those that wait", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await values(session, "(defvar *order* nil)");
    for (let round = 0; round < 5; round += 1) {
      await values(session, "(setf *order* nil)");
      const client = await watch(session);
      await session.prompt(text("hello"));
      for (const name of [1, 2]) await session.queue(text(`(push ${name} *order*)`));
      await eventsUntil(client, isTurnEnd);
      const typed = await session.prompt(text("(push 3 *order*)"));
      if (typed.kind === "form") await typed.finished;
      await expect
        .poll(async () => (await values(session, "(eval-now (length *order*))"))[0], { timeout: 60_000 })
        .toBe("3");
      expect(await values(session, "(eval-now *order*)")).toEqual(["(3 2 1)"]);
      client.detach();
    }
  });

  it("a form that is cancelled ends so, and what waits behind it is never begun; a turn is stopped before a form", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const endless = await session.prompt(text("(unwind-protect (loop) (setf (config :relax-p) t))"));
    const behind = await session.prompt(text("(+ 1 2)"));
    if (endless.kind !== "form" || behind.kind !== "form") throw new Error("forms were expected");
    expect(session.state().runningForms).toBe(2);
    expect(await session.cancel()).toBe(true);
    expect(await endless.finished).toMatchObject({ status: "cancelled" });
    expect(await behind.finished).toMatchObject({ status: "never-begun" });
    expect(session.state().runningForms).toBe(0);
    expect(await session.cancel()).toBe(false);
  });

  it("a prompt from a form starts a turn, and the form's end is told with the next request", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    writeFileSync(join(scene.pit.workspace, "request.org"), "Review this change.");
    expect((await values(session, '(prompt (read-file "request.org"))'))[0]).toMatch(
      /^\(:ACCEPTED +T\s+:TO +"autolith"/,
    );
    await eventsUntil(client, isTurnEnd);
    expect(scene.server.requests[0]?.text).toContain("Review this change.");
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    writeFileSync(join(scene.pit.workspace, "diagram.png"), png);
    await values(session, '(prompt :to \'Autolith :images "diagram.png" "/etc/hosts (is no form)")');
    await eventsUntil(client, isTurnEnd);
    const second = scene.server.requests[1]?.text ?? "";
    expect(second).toContain("/etc/hosts (is no form)");
    expect(second).toContain(png.toString("base64"));
    expect(second).toContain("read-file");
    expect(await evaluated(session, '(error "x")')).toMatchObject({ status: "condition" });
  });
});
