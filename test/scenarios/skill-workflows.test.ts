/** The code of skills: admitted by its contract, run in an image of its own, told with the identity of what ran. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { cast, lastOutput, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { type SessionScene, openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { values } from "../support/sessions/form-scene.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";
import { type SkillFiles, writeSkill } from "../support/skills/write-skill.ts";

/** What a call of a tool comes to, as text; a failure with its code before it. */
async function call(
  session: Session,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  try {
    return (await session.invoke(name, name === "skills" ? args : { name: "my-workflow", ...args })).text;
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
}

async function opened(scene: SessionScene): Promise<Session> {
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  return session;
}

/** What `skill.invoke` answers for a skill of these files. */
async function invoked(
  scene: SessionScene,
  session: Session,
  files: SkillFiles,
  args: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  writeSkill(scene.pit.workspace, files);
  return call(session, "skill.invoke", args);
}

describe("skill.invoke", () => {
  it("runs the manual's example and tells what ran", async () => {
    await using scene = await openScene([]);
    writeSkill(scene.pit.workspace);
    const session = await opened(scene);
    const told = await call(session, "skill.invoke", {
      input: { list: [1, 2.5, "a", null, true, {}] },
      asd: ".autolith/skills/my-workflow/my-workflow.asd",
    });
    expect(told).toMatch(
      /^\(:SKILL-EXECUTION :NAME "my-workflow" :OPERATION :INVOKE :SKILL-VERSION "1.0.0" :SYSTEM "my-workflow" :SYSTEM-VERSION "1.0.0" :IDENTITY "[0-9a-f]{64}"/,
    );
    expect(told).toContain(
      ':OUTPUT (:OBJECT ("given" (:OBJECT ("list" (:ARRAY 1 2.5 "a" :NULL T (:OBJECT))))))',
    );
    // As a form, like every tool.
    const shown = await values(session, '(skill.invoke :name "my-workflow" :input (dict "a" 1))');
    expect(shown[0]).toContain(':OUTPUT (:OBJECT ("given" (:OBJECT ("a" 1))))');
  });

  it("gives its code the declared tools and a context, each call a fresh image", async () => {
    await using scene = await openScene([]);
    writeFileSync(join(scene.pit.workspace, "note.txt"), "read by a tool\n");
    const session = await opened(scene);
    const source = `
(defvar *calls* 0)
(defun run (input &key context)
  (declare (ignore input))
  (flet ((tool (name text) (autolith:worker-tool-call name text)))
    (let ((read (tool "resource.read" "{\\"uri\\":\\"workspace:note.txt\\"}")))
      (list :object
            (list "calls" (incf *calls*))
            (list "content" (getf read :content))
            (list "shell" (getf (tool "shell.run" "{\\"command\\":\\"true\\"}") :code))
            (list "skill" (getf context :skill))
            (list "capabilities" (cons :array (getf context :capabilities)))
            (list "tools" (cons :array (getf context :tools)))))))`;
    for (const told of [
      await invoked(scene, session, { source }),
      await invoked(scene, session, { source }),
    ]) {
      expect(told).toContain('("calls" 1)');
      expect(told).toContain("read by a tool");
      expect(told).toContain('("shell" "host-tool-not-declared")');
      expect(told).toContain('("skill" "my-workflow")');
      expect(told).toContain('("capabilities" (:ARRAY "workspace-read"))');
      expect(told).toContain('("tools" (:ARRAY "resource.read"))');
    }
    expect(await invoked(scene, session, { source, manifest: { tools: '("no.such-tool")' } })).toMatch(
      /^host-tool-unknown: The skill my-workflow declares the tools no\.such-tool/,
    );
  });

  it("holds input and output against the contracts, and runs nothing for input that breaks one", async () => {
    await using scene = await openScene([]);
    const session = await opened(scene);
    const input = '(:type :object :properties (("n" (:type :integer))) :required ("n"))';
    const ran = join(scene.pit.workspace, "ran");
    const source = `
(defun run (input &key context) (declare (ignore context))
  (with-open-file (s "${ran}" :direction :output :if-exists :supersede) (write-line "ran" s))
  (list :array (second (second input))))`;
    const files = { source, manifest: { input, output: "(:type :array :items (:type :integer))" } };
    expect(await invoked(scene, session, files, { input: { n: "x" } })).toMatch(
      /^skill-input-contract: .*nothing was run[^]*\$\.n: must be an integer/,
    );
    expect(await call(session, "skill.invoke")).toMatch(/^skill-input-contract: [^]*\$\.n: is required/);
    expect(existsSync(ran)).toBe(false);
    expect(await call(session, "skill.invoke", { input: { n: 7 } })).toContain(":OUTPUT (:ARRAY 7)");
    expect(existsSync(ran)).toBe(true);
    const broken = { ...files, manifest: { ...files.manifest, output: "(:type :object)" } };
    expect(await invoked(scene, session, broken, { input: { n: 7 } })).toMatch(
      /^skill-output-contract: [^]*must be an object/,
    );
  });

  it("keeps a long result whole and shows where", async () => {
    await using scene = await openScene([]);
    const session = await opened(scene);
    const source =
      '(defun run (input &key context) (declare (ignore input context)) (princ "said") (list :object (list "x" (make-string 20000 :initial-element #\\x))))';
    const told = await invoked(scene, session, { source });
    const uri = /:OUTPUT-URI "(context:[0-9a-f]{64})"/.exec(told)?.[1] ?? "";
    expect(told).toContain("output:\nsaid");
    expect((await session.resource({ uri })).text).toContain(`(:OBJECT ("x" "${"x".repeat(100)}`);
  });

  it("names what there is when a skill has no code or there is none of the name", async () => {
    await using scene = await openScene([]);
    const directory = writeSkill(scene.pit.workspace);
    const session = await opened(scene);
    expect(await call(session, "skill.invoke", { name: "other" })).toMatch(/^unknown-skill: .*my-workflow/);
    const { rmSync } = await import("node:fs");
    rmSync(join(directory, "EXECUTABLE.sexp"));
    expect(await call(session, "skill.invoke")).toMatch(/^skill-not-executable: .*skill\.load/);
  });

  it("runs as a job when asked, and its cancel ends its image", async () => {
    await using scene = await openScene([]);
    const session = await opened(scene);
    const source = `
(defun run (input &key context) (declare (ignore context))
  (if (equal input '(:object ("wait" t))) (loop) '(:object ("done" t))))`;
    const started = await invoked(scene, session, { source }, { async: true });
    const id = /exec:\d+/.exec(started)?.[0] ?? "";
    const wait = (job: string): Promise<string> =>
      session.invoke("job.wait", { id: job, "timeout-seconds": 60 }).then((answered) => answered.text);
    const done = await wait(id);
    expect(done).toContain(":STATE :COMPLETED");
    expect(done).toContain("done");
    const looping =
      /exec:\d+/.exec(await call(session, "skill.invoke", { input: { wait: true }, async: true }))?.[0] ?? "";
    await expect
      .poll(() => session.jobs().find(({ name }) => name === looping)?.state, { timeout: 60_000 })
      .toBe("running");
    await session.invoke("job.cancel", { id: looping });
    expect(await wait(looping)).toContain(":STATE :ABORTED");
  });
});

describe("code that cannot be run, and results that are none", () => {
  let scene: SessionScene;
  let session: Session;
  beforeAll(async () => {
    scene = await openScene([]);
    session = await opened(scene);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  it.each([
    ["a symbol", "'car", /^skill-result-invalid: .*no portable form/],
    ["a function", "#'car", /^skill-result-invalid: /],
    [
      "a text over the bound",
      "(make-string 1048577 :initial-element #\\x)",
      /^skill-result-too-large: .*1048576/,
    ],
    ["an endless list", "(let ((l (list 1))) (setf (cdr l) l) l)", /^skill-result-(?:too-large|invalid): /],
    ["an end of its image", "(uiop:quit 3)", /^skill-quit: /],
    ["a condition", '(error "no ~A" :luck)', /^lisp-condition: SIMPLE-ERROR: no LUCK/],
    [
      "all of its heap",
      "(let ((l '())) (loop (push (make-array 1000000) l)))",
      /^(?:image-lost|lisp-condition): /,
    ],
  ])("tells what is no result: %s", async (_name, form, expected) => {
    const source = `(defun run (input &key context) (declare (ignore input context)) ${form})`;
    expect(await invoked(scene, session, { source })).toMatch(expected);
  });

  it.each([
    [
      "its system has another version",
      { version: "2.0.0" },
      /^skill-system-version: .*1\.0\.0.*version 2\.0\.0 is there/,
    ],
    [
      "it has no such function",
      { manifest: { entrypoint: '("MY-WORKFLOW" "NONE")' } },
      /^skill-entrypoint: .*NONE/,
    ],
    [
      "a dependency is missing",
      { manifest: { dependencies: '(("other" "1.0"))' } },
      /^skill-dependency: .*other/,
    ],
    ["its code does not load", { source: '(error "broken file")' }, /^skill-load-failed: .*broken file/],
    ["its system is nowhere", { manifest: { system: '"else"' } }, /^skill-system-missing: .*else\.asd/],
    [
      "its manifest is none",
      { manifest: { input: "" } },
      /^invalid-skill-executable: .*EXECUTABLE\.sexp.*:input/,
    ],
    ["its manifest has more", { manifest: { extra: "1" } }, /^invalid-skill-executable: .*extra/],
    [
      "its contract is none",
      { manifest: { output: "(:type :thing)" } },
      /^invalid-skill-executable: .*line \d+/,
    ],
    [
      "it declares a tool twice",
      { manifest: { tools: '("a.b" "a.b")' } },
      /^invalid-skill-executable: .*:tools/,
    ],
  ])("refuses when %s", async (_name, files, expected) => {
    expect(await invoked(scene, session, files)).toMatch(expected);
  });
});

describe("the authority of a skill's code", () => {
  it("in mode ask it needs a person, who is shown what is declared", async () => {
    const outputs: string[] = [];
    const script = cast({
      RUN: [
        () => tool("skill__invoke", { name: "my-workflow", input: { n: 1 } }),
        (request) => {
          outputs.push(lastOutput(request));
          return answer("done");
        },
      ],
    });
    await using scene = await openScene(script, { permissions: "ask" });
    writeSkill(scene.pit.workspace);
    const session = await opened(scene);
    const client = await watch(session);
    await session.prompt(text("RUN it"));
    await eventsUntil(client, (event) => event.kind === "permission-requested");
    const [request] = session.state().permissionRequests;
    expect(request).toMatchObject({
      kind: "tool",
      tool: "skill.invoke",
      arguments: {
        skill: "my-workflow",
        "skill-version": "1.0.0",
        capabilities: ["workspace-read"],
        tools: ["resource.read"],
        identity: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    });
    session.answerPermission(request?.requestId ?? "", "allow-once");
    await eventsUntil(client, isTurnEnd);
    expect(outputs[0]).toContain(':OUTPUT (:OBJECT ("given" (:OBJECT ("n" 1))))');
  });

  it("an approval for the session holds for code in the skill's own directory, and for other code once", async () => {
    const outputs: string[] = [];
    const invoke = (args: object) => () => tool("skill__invoke", { name: "my-workflow", ...args });
    const script = cast({
      RUN: [
        ...[{}, {}, { asd: "my-workflow.asd" }, { asd: "my-workflow.asd" }].map(
          (args, index) => (request: Parameters<typeof lastOutput>[0]) => {
            if (index > 0) outputs.push(lastOutput(request));
            return invoke(args)();
          },
        ),
        (request) => {
          outputs.push(lastOutput(request));
          return answer("done");
        },
      ],
    });
    await using scene = await openScene(script, { permissions: "ask" });
    const directory = writeSkill(scene.pit.workspace);
    for (const name of ["my-workflow.asd", "code.lisp"])
      writeFileSync(join(scene.pit.workspace, name), readFileSync(join(directory, name)));
    const session = await opened(scene);
    const client = await watch(session);
    await session.prompt(text("RUN it"));
    let asked = 0;
    for (;;) {
      const events = await eventsUntil(
        client,
        (event) => event.kind === "permission-requested" || isTurnEnd(event),
      );
      if (events.some(isTurnEnd)) break;
      asked += 1;
      session.answerPermission(session.state().permissionRequests[0]?.requestId ?? "", "allow-session");
    }
    expect(outputs.filter((each) => each.includes(":SKILL-EXECUTION"))).toHaveLength(4);
    expect(asked).toBe(3);
  });

  it("in mode sandbox it is refused, with what it needs", async () => {
    const outputs: string[] = [];
    const script = cast({
      RUN: [
        () => tool("skill__invoke", { name: "my-workflow" }),
        (request) => {
          outputs.push(lastOutput(request));
          return answer("done");
        },
      ],
    });
    await using scene = await openScene(script, { permissions: "sandbox" });
    writeSkill(scene.pit.workspace);
    await say(await opened(scene), "RUN it");
    expect(outputs[0]).toContain("The code of the skill was not run");
    expect(outputs[0]).toContain("permission mode full or an approval");
  });

  it("what changed after the approval is not loaded", async () => {
    const outputs: string[] = [];
    const script = cast({
      RUN: [
        () => tool("skill__invoke", { name: "my-workflow" }),
        (request) => {
          outputs.push(lastOutput(request));
          return answer("done");
        },
      ],
    });
    await using scene = await openScene(script, { permissions: "ask" });
    const directory = writeSkill(scene.pit.workspace);
    const session = await opened(scene);
    const client = await watch(session);
    await session.prompt(text("RUN it"));
    await eventsUntil(client, (event) => event.kind === "permission-requested");
    const path = join(directory, "my-workflow.asd");
    writeFileSync(path, `${readFileSync(path, "utf8")};; changed\n`);
    session.answerPermission(session.state().permissionRequests[0]?.requestId ?? "", "allow-once");
    await eventsUntil(client, isTurnEnd);
    expect(outputs[0]).toContain("changed after its code was approved");
  });
});

describe("skill.verify", () => {
  it("runs the function asked for; /skills shows what is executable and what has passed", async () => {
    await using scene = await openScene([]);
    const directory = writeSkill(scene.pit.workspace);
    const session = await opened(scene);
    expect(await call(session, "skills")).toContain("my-workflow (project, executable 1.0.0, not verified)");
    expect(await call(session, "skill.verify")).toMatch(/:OPERATION :SELF-TEST .*:PASSED-P T/);
    expect(await call(session, "skill.verify", { entrypoint: "verify" })).toMatch(
      /^skill-verification-failed: .*answered NIL/,
    );
    const listed = await call(session, "skills");
    expect(listed).toMatch(/executable 1\.0\.0, self-test passed \d{4}-.*, verify failed \d{4}-/);
    writeFileSync(
      join(directory, "code.lisp"),
      `${readFileSync(join(directory, "code.lisp"), "utf8")};; new\n`,
    );
    expect(await call(session, "skills")).toMatch(
      /changed since its self-test of .*changed since its verify of/,
    );
    // Another session of the same data root sees it, after a restart too.
    await call(session, "skill.verify");
    const again = await (await scene.reopen()).create({ workingDirectory: scene.pit.workspace });
    expect(await call(again, "skills")).toContain("self-test passed");
    writeSkill(scene.pit.workspace, { manifest: { "self-test": "" } });
    expect(await call(again, "skill.verify")).toMatch(/^skill-entrypoint: .*:self-test/);
    writeSkill(scene.pit.workspace, { manifest: { output: "3" } });
    expect(await call(again, "skills")).toMatch(/its code cannot be used\)[^]*! .*EXECUTABLE\.sexp/);
  });
});

describe("a skill whose host dies", () => {
  it("is told as of unknown outcome and never run again", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer((request) => answer(`answer ${request.number}`));
    const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
    const ran = join(pit.workspace, "ran");
    writeSkill(pit.workspace, {
      source: `
(defun run (input &key context) (declare (ignore input context))
  (with-open-file (s "${ran}" :direction :output :if-exists :append :if-does-not-exist :create) (write-line "ran" s))
  (loop))`,
    });
    const first = await startHostProcess(pit, environment);
    first.send('prompt (skill.invoke :name "my-workflow" :async t)');
    const written = (): string => (existsSync(ran) ? readFileSync(ran, "utf8") : "");
    await expect.poll(written, { timeout: 60_000 }).toBe("ran\n");
    await first.kill();
    const second = await startHostProcess(pit, environment, first.opened.id);
    second.send("prompt hello");
    await second.seen((line) => line.kind === "turn" && line["state"] === "idle");
    await second.close();
    const told = server.requests[0]?.text ?? "";
    expect(told).toMatch(/:JOB-ID \\"exec:1\\"[^)]*:OUTCOME :UNKNOWN :STATE :INTERRUPTED/);
    expect(told).toContain("my-workflow (with code, see skill.invoke): Works.");
    expect(written()).toBe("ran\n");
  });
});
