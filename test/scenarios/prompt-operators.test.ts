import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { answer } from "../support/model-server/script.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";
import { evaluated, shown, values } from "../support/sessions/form-scene.ts";

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene((request) => answer(`answer ${request.number}`));
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
});
afterAll(() => scene[Symbol.asyncDispose]());

const value = async (source: string): Promise<string> => (await values(session, source))[0] ?? "";

async function refusal(source: string) {
  const result = await evaluated(session, source);
  return result.condition ?? result;
}

describe("tools and commands as functions", () => {
  it("every one of them is a documented function of package AUTOLITH with its own parameters", async () => {
    for (const { name } of session.operations()) {
      const symbol = `autolith::${name}`;
      expect(await value(`(fboundp '${symbol})`), name).toBe("T");
      expect(await value(`(plusp (length (documentation '${symbol} 'function)))`), name).toBe("T");
    }
    expect(await shown(session, "(describe 'resource.read)")).toContain("&KEY URI START-LINE");
    expect(await shown(session, "(describe 'tasks)")).toContain("&OPTIONAL (ACTION :LIST) ID &KEY OFFSET");
    expect(await value("(eq 'trace 'cl:trace)")).toBe("NIL");
    expect(await value("(values *package*)")).toBe('#<PACKAGE "AUTOLITH">');
  });

  it("converts arguments: keywords, strings and symbols, T and NIL, vectors, lists, dictionaries, pathnames", async () => {
    writeFileSync(join(scene.pit.workspace, "notes.txt"), "first\nsecond\n");
    expect(await shown(session, '(resource.read :uri "workspace:notes.txt" :line-count 1)')).toContain(
      "first",
    );
    expect(await shown(session, '(resource.read "uri" "workspace:notes.txt" :|line-count| 1)')).toContain(
      "first",
    );
    expect(
      await shown(
        session,
        '(apply #\'resource.read (list :uri (concatenate \'string "workspace:" "notes.txt")))',
      ),
    ).toContain("second");
    expect(await shown(session, '(search.content :query "second" :mode \'plain :max-results 5)')).toContain(
      "notes.txt",
    );
    expect(
      await shown(session, '(plan.update :steps (vector (dict :step "one" "status" :doing)))'),
    ).toContain("1 step");
    expect(await shown(session, '(plan.update :steps (list (dict "step" "one" "status" \'done)))')).toContain(
      "1 step",
    );
    expect(await shown(session, "(plan.update :steps nil)")).toContain("0 step");
    expect(await refusal('(resource.read :uri #P"workspace:nothing.txt" :line-count #c(1 2))')).toMatchObject(
      {
        text: expect.stringContaining("JSON counterpart"),
      },
    );
  });

  it("shows reports as text, and as strings once they are anything but the value itself", async () => {
    const report = await evaluated(session, "(papercuts)");
    expect(report.values).toEqual([
      { text: "There are no active papercuts of this workspace.", report: true, cut: false },
    ]);
    expect(await value("(list (papercuts))")).toBe('("There are no active papercuts of this workspace.")');
    expect(await value("(copy-seq (papercuts))")).toBe('"There are no active papercuts of this workspace."');
    expect(await value("(stringp (papercuts))")).toBe("T");
    expect(await value("(task.agents)")).toMatch(/^\(:TASK-AGENTS\n :OFFSET 0\n/);
  });

  it("says which arguments an operator takes, and lets others be supplied", async () => {
    expect(await refusal("(new 1 2 3)")).toMatchObject({ text: "NEW takes no arguments, not 3 arguments." });
    expect(await refusal("(papercut)")).toMatchObject({ text: "PAPERCUT takes (id), not 0 arguments." });
    expect(await refusal('(resource.read "workspace:.")')).toMatchObject({
      type: "ARGUMENT-ERROR",
      text: expect.stringContaining(":name value pairs"),
      details: [{ name: "CODE", value: ":INVALID-ARGUMENT" }],
    });
    const supplied = `(handler-bind ((program-error (lambda (c) c (invoke-restart 'supply-arguments '("zz"))))) (papercut))`;
    expect(await refusal(supplied)).toMatchObject({ text: expect.stringContaining('begin with "zz"') });
  });

  it("help opens sections by keyword, commands by symbol, tools by string", async () => {
    expect(await shown(session, "(help)")).toContain("Topics:");
    expect(await shown(session, "(help :conversations)")).toContain("resume");
    expect(await shown(session, "(help 'resume)")).toContain("Goes on with an earlier conversation.");
    expect(await shown(session, '(help "shell.run")')).toContain("POSIX shell text");
    expect(await shown(session, "(help :resource)")).toContain("resource.edit");
    expect(await shown(session, "(help :commands)")).toContain("compact");
    expect((await evaluated(session, "(help :all)")).values[0]?.text.length).toBeGreaterThan(3_000);
  });
});

describe("settings from Lisp", () => {
  it("config reads and sets native values, several at once; a copy is independent", async () => {
    expect(await value("(config :transcript-style)")).toBe(":LABELS");
    expect(await value("(config :reasoning-effort)")).toBe('"ultra"');
    expect(await value("(setf (config :transcript-style) :repl (config :turn-timestamps-p) t)")).toBe("T");
    const row = (name: string) => session.settings().find((each) => each.name === name)?.value;
    expect([row("transcript-style"), row("turn-timestamps-p")]).toEqual(["repl", true]);
    expect(await value("(settings :turn-timestamps-p nil)")).toBe("turn-timestamps-p = nil (this session)");
    expect(await value("(setf (config :prompt-cache-retention-seconds) 30)")).toBe("30");
    expect(
      await value(
        "(let ((copy (configuration-copy))) (setf (config :turn-timestamps-p copy) t) (list (config :turn-timestamps-p copy) (config :turn-timestamps-p)))",
      ),
    ).toBe("(T NIL)");
    for (const form of [
      "(config :nonsense)",
      "(setf (config :nonsense) 1)",
      '(setf (config :data-root) "/")',
    ])
      expect(await refusal(form), form).toMatchObject({ type: "CONFIGURATION-ERROR" });
    expect(await refusal("(setf (config :transcript-style) :sideways)")).toMatchObject({
      type: "CONFIGURATION-ERROR",
      text: expect.stringContaining("labels, repl"),
    });
  });

  it("permissions, effort and model take keywords and strings", async () => {
    expect(await value("(permissions :ask)")).toContain("permission mode ask");
    expect(await value("(permissions :list)")).toBe("Nothing is approved.");
    expect(await value("(permissions :full)")).toContain("permission mode full");
    expect(await value("(effort :low)")).toBe("reasoning-effort = low");
    expect(await value('(model "gpt-6" :provider "openai-api")')).toContain("openai-api/gpt-6");
  });
});

describe("prompt, read-file and the vault", () => {
  it("prompt refuses with a reason", async () => {
    const reason = (form: string) =>
      value(`(handler-case ${form} (prompt-error (e) (prompt-error-reason e)))`);
    const reasons: Readonly<Record<string, string>> = {
      "(prompt)": ":MALFORMED-ARGUMENTS",
      '(prompt :to "x")': ":MALFORMED-ARGUMENTS",
      '(prompt :about 1 "x")': ":MALFORMED-ARGUMENTS",
      "(prompt 5)": ":INVALID-CONTENT",
      '(prompt "  ")': ":EMPTY-CONTENT",
      "(prompt (make-string 131073 :initial-element #\\a))": ":CONTENT-TOO-LARGE",
      '(prompt :to "" "x")': ":INVALID-TARGET",
      '(prompt :to "nobody" "x")': ":INVALID-TARGET",
      '(prompt :images 5 "x")': ":INVALID-IMAGES",
      '(prompt :to "nobody" :images "a.png" "x")': ":INVALID-IMAGES",
      '(prompt :images "absent.png" "x")': ":INVALID-IMAGE",
      '(prompt :images "notes.txt" "x")': ":INVALID-IMAGE",
    };
    for (const [form, expected] of Object.entries(reasons)) expect(await reason(form), form).toBe(expected);
  });

  it("read-file takes UTF-8 of bounded length", async () => {
    writeFileSync(join(scene.pit.workspace, "request.org"), "Änderung");
    writeFileSync(join(scene.pit.workspace, "binary"), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(scene.pit.workspace, "long"), "a".repeat(131_073));
    expect(await value('(read-file "request.org")')).toBe('"Änderung"');
    expect(await value('(length (read-file #P"request.org"))')).toBe("8");
    expect(await refusal('(read-file "binary")')).toMatchObject({
      text: expect.stringContaining("no UTF-8"),
    });
    expect(await refusal('(read-file "long")')).toMatchObject({ text: expect.stringContaining("131073") });
    expect(await refusal('(read-file "absent")')).toMatchObject({ text: expect.stringContaining("no file") });
    expect(await refusal('(read-file ".")')).toMatchObject({
      text: expect.stringContaining("no regular file"),
    });
  });

  it("vault-contents reads copies and is set whole or by place", async () => {
    await value('(setf (vault-contents) \'((:message "First task") (:lisp "(+ 1 2)")))');
    expect(session.vaultContents()).toEqual([
      { type: "message", input: "First task" },
      { type: "lisp", source: "(+ 1 2)" },
    ]);
    await value('(setf (vault-contents 0) \'(:message "Revised task"))');
    expect(await value("(vault-contents)")).toBe('((:MESSAGE "Revised task") (:LISP "(+ 1 2)"))');
    expect(await value("(vault-contents 1)")).toBe('(:LISP "(+ 1 2)")');
    await value('(let ((mine (vault-contents))) (setf (second (first mine)) "other") mine)');
    expect(session.vaultContents()[0]).toEqual({ type: "message", input: "Revised task" });
    expect(await refusal("(vault-contents 7)")).toMatchObject({ text: expect.stringContaining("2 entries") });
    expect(await refusal("(setf (vault-contents) '(:bogus))")).toMatchObject({ type: "HOST-ERROR" });
    await value("(setf (vault-contents) nil)");
    expect(session.vaultContents()).toEqual([]);
  });
});
