/** Evaluations and forms while Redis, an image or the host goes away under them. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import type { Session } from "../../orchestrator/contract/session.ts";
import { loadConversation } from "../../orchestrator/record/conversation.ts";
import { resolveRoots } from "../../orchestrator/record/roots.ts";
import { unansweredCalls } from "../../orchestrator/sessions/unanswered-calls.ts";
import { extensionField } from "../../orchestrator/sessions/view/session-records.ts";
import { auditRecords } from "../../orchestrator/tools/nested-calls.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { answer } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { TestRedis } from "../support/redis-server.ts";
import { openScene, text } from "../support/sessions/composed-sessions.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const patience = { timeout: 90_000 };

const waitFor = (path: string): string => `(loop until (probe-file "${path}") do (sleep 0.02))`;

async function started(session: Session, form: string, repl = "main"): Promise<string> {
  const { text: told } = await session.invoke("lisp.eval", {
    form,
    repl,
    async: true,
    "timeout-seconds": 600,
  });
  return /exec:\d+/.exec(told)?.[0] ?? "";
}

const stateOf = (session: Session, name: string): string | undefined =>
  session.jobs().find((job) => job.name === name)?.state;

describe("evaluations under faults", () => {
  it("Redis goes away: what runs ends and is told, what is new waits and runs when it is back, nothing twice", async () => {
    const redis = await TestRedis.start();
    await using scene = await openScene([], {
      environment: { AUTOLITH_REDIS_URL: `unix://${join(redis.directory, "s")}` },
    });
    const { workspace } = scene.pit;
    const session = await scene.service.create({ workingDirectory: workspace });
    const running = await started(session, `(progn ${waitFor("go")} (defvar *runs* 0) (incf *runs*))`);
    await expect.poll(() => stateOf(session, running), patience).toBe("running");
    await redis.kill();
    await expect.poll(() => scene.diagnostics.some((line) => line.includes("degraded")), patience).toBe(true);
    const waiting = await started(session, "(incf *runs*)");
    await session.prompt(text("? (list :waited)"));
    writeFileSync(join(workspace, "go"), "");
    await expect.poll(() => stateOf(session, running), patience).toBe("completed");
    expect(stateOf(session, waiting)).toBe("queued");
    await redis.start();
    await expect.poll(() => stateOf(session, waiting), patience).toBe("completed");
    expect((await session.invoke("job.get", { id: waiting })).text).toContain("⇒ 2");
    await expect.poll(() => session.jobs().every(({ state }) => state === "completed"), patience).toBe(true);
  });

  it("the image of one REPL goes away: its evaluations are lost, others and the forms of the person go on", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const lost = await started(session, "(loop)", "doomed");
    const behind = await started(session, "(list :behind)", "doomed");
    const other = await started(session, `(progn ${waitFor("go")} :other)`, "other");
    const form = await session.prompt(text("(progn (sleep 0.2) :person)"));
    await expect.poll(() => stateOf(session, lost), patience).toBe("running");
    await session.invoke("lisp.stop", { repl: "doomed" });
    await expect.poll(() => stateOf(session, lost), patience).toBe("failed");
    // What waited for the REPL gets a new one.
    await expect.poll(() => stateOf(session, behind), patience).toBe("completed");
    writeFileSync(join(scene.pit.workspace, "go"), "");
    await expect.poll(() => stateOf(session, other), patience).toBe("completed");
    if (form.kind !== "form") throw new Error("a form was expected");
    expect(await form.finished).toMatchObject({ status: "values", values: [{ text: ":PERSON" }] });
    expect((await session.invoke("job.get", { id: lost })).text).toContain("Lost: the image ended under it");
  });

  it("the host is killed with everything in flight: told as of unknown outcome, and nothing runs again", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer(() => answer("done"));
    const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
    const first = await startHostProcess(pit, environment);
    const effect = (name: string): string =>
      `(progn (with-open-file (o "${pit.workspace}/${name}" :direction :output :if-exists :append :if-does-not-exist :create) (write-line "begun" o)) (loop))`;
    first.send(`prompt ? ${effect("form")}`);
    const nested =
      '(lisp.eval :form "(autolith:worker-tool-call \\"shell.run\\" \\"{\\\\\\"command\\\\\\":\\\\\\"touch called; sleep 600\\\\\\"}\\")" :host-tools (vector "shell.run"))';
    first.send(`prompt ? ${nested}`);
    await expect.poll(() => existsSync(join(pit.workspace, "called")), patience).toBe(true);
    await expect.poll(() => existsSync(join(pit.workspace, "form")), patience).toBe(true);
    await first.kill();
    const second = await startHostProcess(pit, environment, first.opened.id);
    const shown = second.opened.history.map(({ update }) => update);
    expect(shown.filter(({ type }) => type === "form")).toHaveLength(2);
    expect(shown.flatMap((update) => (update.type === "form-result" ? [update.status] : []))).toEqual([
      "lost",
      "lost",
    ]);
    second.send("prompt hello");
    await second.seen((line) => line.kind === "turn" && line["state"] === "idle");
    expect(server.requests.at(-1)?.text).toContain("It was lost");
    expect(server.requests.at(-1)?.text).toContain("is not run again");
    second.send("jobs");
    const jobs = await second.seen((line) => line.kind === "jobs");
    expect((jobs["jobs"] as readonly { state: string }[]).map(({ state }) => state)).toContain("interrupted");
    await second.close();
    const directory = join(resolveRoots(pit.environment).data, "conversations");
    const { records } = await loadConversation({ directory }, conversationIdSchema.parse(first.opened.id));
    expect(unansweredCalls(records)).toEqual([]);
    const outcomes = records.flatMap(({ record }) =>
      record.kind === "extension" && record.name === auditRecords.answered
        ? [extensionField(record, "outcome")]
        : [],
    );
    expect(outcomes).toEqual(["unknown"]);
  });
});
