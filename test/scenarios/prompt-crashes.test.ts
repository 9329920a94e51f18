import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { answer } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { values } from "../support/sessions/form-scene.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

describe("a form in flight", () => {
  it("is told as lost when its host was killed, and never run again", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer((request) => answer(`answer ${request.number}`));
    const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
    const ran = join(pit.workspace, "ran");
    const form = `(progn (with-open-file (s "${ran}" :direction :output :if-exists :append :if-does-not-exist :create) (write-line "ran" s)) (format t "begun") (finish-output) (loop))`;
    const first = await startHostProcess(pit, environment);
    first.send("prompt (+ 1 2)");
    first.send(`prompt ${form}`);
    const isOutput = (line: Readonly<Record<string, unknown>>): boolean =>
      (line["update"] as { type?: string } | undefined)?.type === "form-output";
    await first.seen(isOutput);
    await first.kill();
    const second = await startHostProcess(pit, environment, first.opened.id);
    const shown = second.opened.history.map(({ update }) => update);
    expect(shown.map(({ type }) => type).toSorted()).toEqual(["form", "form", "form-result", "form-result"]);
    expect(shown[3]).toMatchObject({ formId: "form:2", status: "lost" });
    second.send("prompt hello");
    await second.seen((line) => line.kind === "turn" && line["state"] === "idle");
    await second.close();
    const request = server.requests[0]?.text ?? "";
    expect(request).toContain("It was lost");
    expect(request).toContain("⇒ 3");
    expect(readFileSync(ran, "utf8")).toBe("ran\n");
    const third = await startHostProcess(pit, environment, first.opened.id);
    expect(third.opened.history.filter(({ update }) => update.type === "form-result")).toHaveLength(2);
    await third.close();
  });

  it("is told as never begun when it only waited behind another; one that had waited and began is lost", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer((request) => answer(`answer ${request.number}`));
    const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
    const first = await startHostProcess(pit, environment);
    first.send('prompt (loop until (probe-file "go"))');
    first.send('prompt (progn (format t "second") (finish-output) (loop))');
    first.send("prompt (list :third)");
    const updates = () => first.lines.flatMap(({ update }) => (update === undefined ? [] : [update]));
    await first.seen(() => JSON.stringify(updates()).includes("(list :third)"));
    expect(JSON.stringify(updates())).not.toContain("form-output");
    writeFileSync(join(pit.workspace, "go"), "");
    await first.seen(() => JSON.stringify(updates()).includes('"form-output"'));
    await first.kill();
    const second = await startHostProcess(pit, environment, first.opened.id);
    const ends = second.opened.history.flatMap(({ update }) =>
      update.type === "form-result" ? [[update.formId, update.status]] : [],
    );
    expect(ends.toSorted(([one = ""], [other = ""]) => one.localeCompare(other))).toEqual([
      ["form:1", "values"],
      ["form:2", "lost"],
      ["form:3", "never-begun"],
    ]);
    second.send("prompt hello");
    await second.seen((line) => line.kind === "turn" && line["state"] === "idle");
    await second.close();
    expect(server.requests[0]?.text).toContain("It was never begun");
  });

  it("? form that had not begun when its host died is told as never begun; one that had is lost; neither runs again", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer((request) => answer(`answer ${request.number}`));
    const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
    const ran = join(pit.workspace, "ran");
    const append = `(with-open-file (s "${ran}" :direction :output :if-exists :append :if-does-not-exist :create) (write-line "ran" s))`;
    const first = await startHostProcess(pit, environment);
    // The first image is made by a form, and waits in this file.
    const go = join(pit.workspace, "go");
    mkdirSync(join(pit.home, ".config/autolith"), { recursive: true });
    writeFileSync(
      join(pit.home, ".config/autolith/init.lisp"),
      `(loop until (probe-file "${go}") do (sleep 0.01))`,
    );
    first.send(`prompt ? ${append}`);
    await first.seen((line) => line["kind"] === "job" && line["state"] === "running");
    await first.kill();
    writeFileSync(go, "");
    const second = await startHostProcess(pit, environment, first.opened.id);
    second.send(`prompt ? (progn ${append} (format t "begun") (finish-output) (loop))`);
    await second.seen((line) => (line["update"] as { type?: string } | undefined)?.type === "form-output");
    await second.kill();
    const third = await startHostProcess(pit, environment, first.opened.id);
    const ends = third.opened.history.flatMap(({ update }) =>
      update.type === "form-result" ? [[update.formId, update.status]] : [],
    );
    expect(ends).toEqual([
      ["form:1", "never-begun"],
      ["form:2", "lost"],
    ]);
    await third.close();
    expect(readFileSync(ran, "utf8")).toBe("ran\n");
  });

  it("forms that are cancelled while they wait never begin", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    const submissions = await Promise.all(
      ['(progn (format t "begun") (finish-output) (loop))', "(list :second)"].map((form) =>
        session.prompt(text(form)),
      ),
    );
    await eventsUntil(client, (event) => event.kind === "update" && event.update.type === "form-output");
    await session.cancel({});
    const results = await Promise.all(
      submissions.flatMap((each) => (each.kind === "form" ? [each.finished] : [])),
    );
    expect(results).toMatchObject([
      { status: "cancelled" },
      { status: "never-begun", reason: "it was cancelled before it began" },
    ]);
  });

  it("ends with the session that is closed, in the record", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const marker = join(scene.pit.workspace, "cleaned");
    const client = await watch(session);
    const submission = await session.prompt(
      text(
        `(unwind-protect (progn (format t "begun") (finish-output) (loop)) (open "${marker}" :direction :output))`,
      ),
    );
    if (submission.kind !== "form") throw new Error("a form was expected");
    await eventsUntil(client, (event) => event.kind === "update" && event.update.type === "form-output");
    await scene.service.closeSession(session.id);
    expect(await submission.finished).toMatchObject({ status: "cancelled", output: "begun" });
    expect(existsSync(marker)).toBe(true);
    const again = await scene.service.load(session.id);
    expect((await again.history({})).updates.map(({ update }) => update)).toMatchObject([
      { type: "form" },
      { type: "form-result", status: "cancelled" },
    ]);
  });
});

describe("the image behind the prompt", () => {
  it("is shared by the conversations that come in front one after the other; results stay with their own", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const first = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(first);
    await values(first, "(defvar *kept* (list 1))");
    const submission = await first.prompt(text("(progn (loop until (cdr *kept*)) (values :first *kept*))"));
    if (submission.kind !== "form") throw new Error("a form was expected");
    const { switchedTo } = await first.invoke("new", {});
    await eventsUntil(client, ({ kind }) => kind === "switched");
    const second = scene.service.find(conversationIdSchema.parse(switchedTo))!;
    expect(await values(second, "(setf (cdr *kept*) (list 2))")).toEqual(["(2)"]);
    expect(await submission.finished).toMatchObject({ values: [{ text: ":FIRST" }, { text: "(1 2)" }] });
    await say(second, "hello");
    expect(scene.server.requests[0]?.text).not.toContain(":FIRST");
    await scene.service.closeSession(first.id);
    expect(await values(second, "(values *kept*)")).toEqual(["(1 2)"]);
    const stranger = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await values(stranger, "(boundp '*kept*)")).toEqual(["NIL"]);
  });
});
