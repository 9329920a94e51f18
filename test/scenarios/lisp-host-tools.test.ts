/** Tools called from Lisp, for the caller of the evaluation: primary, children and headless runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { storeOptions } from "../../orchestrator/host/conversation-places.ts";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import { loadConversation } from "../../orchestrator/record/conversation.ts";
import type { ConversationRecord } from "../../orchestrator/record/conversation-record.ts";
import { extensionField } from "../../orchestrator/sessions/view/session-records.ts";
import { auditRecords } from "../../orchestrator/tools/nested-calls.ts";
import { cast, lastOutput, submit, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say } from "../support/sessions/composed-sessions.ts";

const readFile = (uri: string): string =>
  `(autolith:worker-tool-call "resource.read" ${JSON.stringify(JSON.stringify({ uri }))})`;

/** The nested calls that a conversation's record holds, as `TOOL OUTCOME` or `TOOL asked`. */
async function audited(scene: SessionScene, id: string): Promise<readonly string[]> {
  const dataRoot = join(scene.pit.home, ".local", "share", "autolith");
  const { records } = await loadConversation(
    storeOptions({ dataRoot, now: Date.now, report: () => undefined }),
    conversationIdSchema.parse(id),
  );
  return records.flatMap(({ record }) => auditText(record));
}

function auditText(record: ConversationRecord): readonly string[] {
  if (record.kind !== "extension") return [];
  const toolName = String(extensionField(record, "tool"));
  if (record.name === auditRecords.asked) return [`${toolName} asked`];
  if (record.name === auditRecords.answered)
    return [`${toolName} ${String(extensionField(record, "outcome"))}`];
  return [];
}

describe("host tools of an evaluation", () => {
  it("the manual's example: Lisp branches on what a tool returned, and the record holds the calls", async () => {
    const form = `(let ((result ${readFile("workspace:README.org")})) (if (getf result :success-p) (getf result :content) (getf result :code)))`;
    await using scene = await openScene(
      cast({
        BRANCH: [
          () => tool("lisp__eval", { "host-tools": ["resource.read"], forms: [form] }),
          (request) =>
            answer(lastOutput(request).includes("Hello from the file") ? "seen" : lastOutput(request)),
        ],
      }),
    );
    writeFileSync(join(scene.pit.workspace, "README.org"), "Hello from the file\n");
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    await say(session, "BRANCH please");
    expect(lastOutput(scene.server.requests.at(-1))).toContain("Hello from the file");
    expect(await audited(scene, session.id)).toEqual(["resource.read asked", "resource.read ok"]);
  });

  it("only declared tools answer, nested use of the same REPL is refused, and the context is told", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const evaluate = async (form: string, tools: readonly string[] = ["resource.read"]): Promise<string> => {
      try {
        return (await session.invoke("lisp.eval", { form, "host-tools": tools })).text;
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
    };
    const refused = '(getf (autolith:worker-tool-call "shell.run" "{}") :code)';
    expect(await evaluate(refused)).toBe('⇒ "host-tool-not-declared"');
    expect(await evaluate(refused, [])).toMatch(/^lisp-condition: [^]*Give lisp.eval host-tools/);
    expect(await evaluate("1", ["no.such-tool"])).toMatch(/^host-tool-unknown: .*no\.such-tool/);
    const missing = `(let ((r ${readFile("workspace:missing.txt/deeper")})) (list (getf r :success-p) (getf r :code)))`;
    expect(await evaluate(missing)).toMatch(/^⇒ \(NIL "[a-z-]+"\)$/);
    const again = (repl: string): string =>
      `(getf (autolith:worker-tool-call "lisp.eval" "{\\"form\\":\\"(+ 1 2)\\",\\"repl\\":\\"${repl}\\"}") :content)`;
    expect(await evaluate(again("main"), ["lisp.eval"])).toContain("waits for this evaluation");
    expect(await evaluate(again("other"), ["lisp.eval"])).toBe('⇒ "⇒ 3"');
    // Through another REPL back into the first one.
    const inner = `(getf (autolith:worker-tool-call \\"lisp.eval\\" \\"{\\\\\\"form\\\\\\":\\\\\\"1\\\\\\"}\\") :code)`;
    const chain = `(getf (autolith:worker-tool-call "lisp.eval" ${JSON.stringify(
      JSON.stringify({
        form: inner.replaceAll(String.raw`\"`, '"').replaceAll(String.raw`\\"`, String.raw`\"`),
        repl: "other",
        "host-tools": ["lisp.eval"],
      }),
    )}) :content)`;
    expect(await evaluate(chain, ["lisp.eval"])).toContain("repl-in-use");
    expect(await evaluate("(getf (autolith:worker-tool-context) :tools)")).toBe('⇒ ("resource.read")');
    expect(await evaluate("(getf (autolith:worker-tool-context) :conversation)")).toBe(`⇒ "${session.id}"`);
  });

  it("a cancelled callback is of unknown outcome in the record", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const started = (
      await session.invoke("lisp.eval", {
        form: '(autolith:worker-tool-call "shell.run" "{\\"command\\":\\"touch begun; sleep 600\\"}")',
        "host-tools": ["shell.run"],
        async: true,
      })
    ).text;
    const id = /exec:\d+/.exec(started)?.[0] ?? "";
    await expect
      .poll(() => session.jobs().some(({ kind, state }) => kind === "shell" && state === "running"), {
        timeout: 60_000,
      })
      .toBe(true);
    await session.invoke("job.cancel", { id });
    const ended = (await session.invoke("job.wait", { id, "timeout-seconds": 60 })).text;
    expect(ended).toContain(":STATE :ABORTED");
    await expect
      .poll(() => audited(scene, session.id), { timeout: 60_000 })
      .toEqual(["shell.run asked", "shell.run unknown"]);
    await expect
      .poll(() => session.jobs().find(({ kind }) => kind === "shell")?.state, { timeout: 60_000 })
      .toBe("aborted");
  });

  it("a child's REPLs are its own, its tools those of its role, and they end with it", async () => {
    const outputs: string[] = [];
    await using scene = await openScene(
      cast({
        CHILD: [
          () => tool("lisp__eval", { form: "(progn (defvar *child* 1) (boundp '*primary*))" }),
          (request) => {
            outputs.push(lastOutput(request));
            return tool("lisp__eval", { form: refusedInChild, "host-tools": ["resource.read"] });
          },
          (request) => {
            outputs.push(lastOutput(request));
            return tool("lisp__eval", { form: "1", "host-tools": ["shell.run"] });
          },
          (request) => {
            outputs.push(lastOutput(request));
            return tool("lisp__describe", { designator: "car", target: "self" });
          },
          (request) => {
            outputs.push(lastOutput(request));
            return submit("done");
          },
        ],
      }),
    );
    writeFileSync(join(scene.pit.workspace, "a.txt"), "of the child\n");
    const roles = join(scene.pit.workspace, ".autolith", "agents");
    const { mkdirSync } = await import("node:fs");
    mkdirSync(roles, { recursive: true });
    writeFileSync(
      join(roles, "lisper.sexp"),
      '(:name "lisper" :description "Evaluates." :instructions "Evaluate." :tools ("lisp.*" "resource.read"))',
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.invoke("lisp.eval", { form: "(defvar *primary* 1)" });
    const text = (
      await session.invoke("task.run", {
        agent: "lisper",
        task: "CHILD work",
        blocking: true,
        name: "lisper",
      })
    ).text;
    expect(text).toContain(":STATUS :SUCCESS");
    expect(outputs[0]).toBe("⇒ NIL");
    expect(outputs[1]).toContain("of the child");
    expect(outputs[2]).toContain("shell.run");
    expect(outputs[3]).toContain("target self is for the primary");
    expect((await session.invoke("lisp.repls", {})).text.match(/:NAME/g)).toHaveLength(1);
    const child = session.jobs().find(({ kind }) => kind === "agent");
    expect(await audited(scene, child?.jobId ?? "")).toEqual(["resource.read asked", "resource.read ok"]);
  });
});

const refusedInChild = `(getf ${readFile("workspace:a.txt")} :content)`;
