/** `? form`: forms of a person as jobs on the active image, through a real session host. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import type { SessionUpdate } from "../../orchestrator/contract/session/updates.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

type Ended = Extract<SessionUpdate, { type: "form-result" }>;

/** Submits a form beside everything else; the job's name. */
async function submitted(session: Session, source: string): Promise<string> {
  const submission = await session.prompt(text(`? ${source}`));
  if (submission.kind !== "command") throw new Error(`no background form: ${JSON.stringify(submission)}`);
  const name = /^exec:\d+/.exec(submission.invocation.text)?.[0];
  if (name === undefined) throw new Error(submission.invocation.text);
  return name;
}

/** What came of the form of a job, once that is in the record. */
async function ended(session: Session, job: string): Promise<Ended> {
  let found: Ended | undefined;
  await expect
    .poll(
      async () => {
        const updates = (await session.history({ limit: 200 })).updates.map(({ update }) => update);
        const form = updates.find((update) => update.type === "form" && update.job === job);
        const id = form?.type === "form" ? form.formId : undefined;
        found = updates.find(
          (update): update is Ended => update.type === "form-result" && update.formId === id,
        );
        return found?.status;
      },
      { timeout: 60_000 },
    )
    .toMatch(/^(values|condition|cancelled|lost|never-begun|quit)$/);
  if (found === undefined) throw new Error("unreachable");
  return found;
}

describe("? form", () => {
  it("is a job with values, output and conditions, shown in the record and told to the model once", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const first = await submitted(session, '(progn (format t "hi") (values :finished 42))');
    expect(first).toBe("exec:1");
    expect(await ended(session, first)).toMatchObject({
      status: "values",
      output: "hi",
      values: [{ text: ":FINISHED" }, { text: "42" }],
    });
    // Names of files begin in the working directory.
    const made = await submitted(session, '(with-open-file (o "made.txt" :direction :output) (print 1 o))');
    await ended(session, made);
    expect(existsSync(join(scene.pit.workspace, "made.txt"))).toBe(true);
    // A bare variable, and the same heap as the forms of the prompt.
    expect(await ended(session, await submitted(session, "*package*"))).toMatchObject({
      values: [{ text: '#<PACKAGE "AUTOLITH">' }],
    });
    const failed = await ended(session, await submitted(session, "(car 1)"));
    expect(failed).toMatchObject({ status: "condition", condition: { type: "TYPE-ERROR" } });
    expect(await ended(session, await submitted(session, "(read-line)"))).toMatchObject({
      status: "condition",
      condition: { type: "END-OF-FILE" },
    });
    expect(scene.server.requests).toHaveLength(0);
    await say(session, "hello");
    const request = scene.server.requests[0]?.text ?? "";
    expect(request).toContain("(values :finished 42)");
    expect(request).toContain("⇒ :FINISHED");
    expect(request).not.toContain("job-completion");
    await say(session, "again");
    expect(scene.server.requests[1]?.text.split("⇒ :FINISHED")).toHaveLength(2);
  });

  it("is looked at, waited for and cancelled by its number, while other forms are evaluated", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const endless = await submitted(session, "(unwind-protect (loop) (defvar *cleaned* t))");
    const beside = await session.prompt(text("(+ 1 2)"));
    if (beside.kind !== "form") throw new Error("a form was expected");
    expect(await beside.finished).toMatchObject({ values: [{ text: "3" }] });
    const got = (await session.invoke("job.get", { id: "1" })).text;
    expect(got).toMatch(/:ID "exec:1" .* :TOOL "form" :DESCRIPTION "\(unwind-protect .* :STATE :RUNNING/s);
    expect(session.jobs()[0]).toMatchObject({ kind: "lisp", state: "running", name: "exec:1" });
    const cancel = await session.prompt(text("(job.cancel :id 1)"));
    if (cancel.kind !== "form") throw new Error("a form was expected");
    expect(await cancel.finished).toMatchObject({ status: "values" });
    expect(await ended(session, endless)).toMatchObject({ status: "cancelled" });
    const after = await session.prompt(text("(progn *cleaned*)"));
    if (after.kind !== "form") throw new Error("a form was expected");
    expect(await after.finished).toMatchObject({ values: [{ text: "T" }] });
    await expect(session.prompt(text("? (+ 1"))).rejects.toMatchObject({ code: "incomplete-form" });
    await expect(session.prompt(text("? )"))).rejects.toMatchObject({ code: "invalid-form" });
  });

  it("is told as never begun when it is cancelled before its image is there", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    // The image is made by the first form, and waits in this file.
    const configuration = join(scene.pit.home, ".config/autolith");
    mkdirSync(configuration, { recursive: true });
    const go = join(scene.pit.workspace, "go");
    writeFileSync(join(configuration, "init.lisp"), `(loop until (probe-file "${go}") do (sleep 0.01))`);
    const job = await submitted(session, "(list 1)");
    await expect.poll(() => session.jobs()[0]?.state, { timeout: 30_000 }).toBe("running");
    await session.invoke("job.cancel", { id: job });
    writeFileSync(go, "");
    expect(await ended(session, job)).toMatchObject({
      status: "never-begun",
      reason: "it was cancelled before it began",
    });
    await say(session, "hello");
    expect(scene.server.requests[0]?.text).toContain("It was never begun (it was cancelled before it began)");
  });

  it("runs 50 at once, each with its own bindings, output and end", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    // All of them wait for the last: they end only when they run at the same time.
    const start = await session.prompt(text("(defvar *arrived* 0)"));
    if (start.kind !== "form") throw new Error("a form was expected");
    await start.finished;
    const names = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        submitted(
          session,
          `(let ((*print-base* 2)) (incf *arrived*) (loop until (= *arrived* 50) do (sleep 0.01)) (format t "out ~A" ${index}) ${index})`,
        ),
      ),
    );
    const results = await Promise.all(names.map((name) => ended(session, name)));
    expect(new Set(names).size).toBe(50);
    expect(results.map(({ output }) => output)).toEqual(
      Array.from({ length: 50 }, (_, index) => `out ${index.toString(2)}`),
    );
    expect(results.every(({ status }) => status === "values")).toBe(true);
  });

  it("is delivered to the conversation it came from, across a switch", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const gate = await session.prompt(text("(defvar *go* nil)"));
    if (gate.kind === "form") await gate.finished;
    const job = await submitted(session, "(progn (loop until *go* do (sleep 0.01)) :went)");
    const switched = (await session.invoke("new", {})).switchedTo;
    const next = switched === undefined ? undefined : scene.service.find(switched);
    if (next === undefined) throw new Error("no new conversation");
    const release = await next.prompt(text("(setf *go* t)"));
    if (release.kind !== "form") throw new Error("a form was expected");
    expect(await release.finished).toMatchObject({ values: [{ text: "T" }] });
    expect(await ended(session, job)).toMatchObject({ values: [{ text: ":WENT" }] });
    await say(next, "hello");
    expect(scene.server.requests[0]?.text).not.toContain(":WENT");
    await say(session, "hello");
    expect(scene.server.requests[1]?.text).toContain(":WENT");
  });

  it("comes back with its result when the conversation is loaded again, and is never run again", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const done = await submitted(session, "(list 1 2)");
    await ended(session, done);
    const client = await watch(session);
    const cut = await submitted(session, '(progn (format t "begun") (finish-output) (loop))');
    await eventsUntil(client, (event) => event.kind === "update" && event.update.type === "form-output");
    const service = await scene.reopen();
    const again = await service.load(session.id);
    expect(await ended(again, done)).toMatchObject({ status: "values", values: [{ text: "(1 2)" }] });
    expect((await ended(again, cut)).status).toMatch(/^(cancelled|lost)$/);
    expect(again.jobs().filter(({ state }) => state === "running" || state === "queued")).toEqual([]);
    await say(again, "hello");
    expect(scene.server.requests[0]?.text).toContain("⇒ (1 2)");
  });
});
