/** The forms that the manual shows of the prompt, commands and settings, as it shows them: each does what is said of it there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FormResult, Session } from "../../orchestrator/contract/session.ts";
import { formResultText } from "../../orchestrator/prompt/form-text.ts";
import { cast, submit } from "../support/model-server/cast.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { type SessionScene, openScene, watch } from "../support/sessions/composed-sessions.ts";
import { evaluated, values } from "../support/sessions/form-scene.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene((request) => answer(`answer ${request.number}`));
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  for (const file of ["review-notes.org", "request.org"])
    writeFileSync(join(scene.pit.workspace, file), `Text of ${file}.`);
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Forms and what their result holds. */
const shown: Readonly<Record<string, string>> = {
  "(help)": "Topics:",
  "(help :conversations)": "Starts a new conversation in this directory.",
  "(help :workspace)": "search.glob",
  "(help 'resume)": "Goes on with an earlier conversation.",
  '(help "lisp.eval")': "forms array",
  "(help :lisp)": "lisp.repls",
  "(help :commands)": "papercut-close",
  "(help :all)": "POSIX shell text",
  '(resource.read :uri "workspace:.")': "review-notes.org",
  "(eval-now (setf *print-pretty* nil))": "NIL",
  "(settings :transcript-style :repl)": "transcript-style = repl",
  "(settings :transcript-style :labels)": "transcript-style = labels",
  "(settings :activity-line-p nil)": "activity-line-p = nil",
  "(trace t)": "reasoning-traces-p = t",
  "(trace nil)": "reasoning-traces-p = nil",
  "(permissions :ask)": "permission mode ask",
  "(permissions :list)": "Nothing is approved.",
  "(settings :relax-p t)": "relax-p = t",
  "(relax nil)": "relax-p = nil",
  "(relax)": "relax-p = nil",
  "(config :model)": '"openai-api/gpt-5.6"',
  "(setf (config :reasoning-traces-p) t)": "T",
  "(let ((configuration (configuration-copy))) (config :model configuration))": '"openai-api/gpt-5.6"',
  "(settings :prompt-cache-retention-seconds 1800)": "prompt-cache-retention-seconds = 1800",
  "(cache-misses t)": "cache-miss-notices-p = t",
  "(fast t)": "codex-fast-mode-p = t",
  "(fast nil)": "codex-fast-mode-p = nil",
  "(titles t)": "session-title-generation-p = t",
  "(titles nil)": "session-title-generation-p = nil",
  '(models :provider "neuralwatt")': "There are no such models.",
  "(vault-store)": "The vault is empty.",
  '(setf (vault-contents) \'((:message "First task") (:lisp "(+ 1 2)")))': '(:MESSAGE "First task")',
  '(setf (vault-contents 0) \'(:message "Revised task"))': "Revised task",
  "(vault-contents)": '((:MESSAGE "Revised task") (:LISP "(+ 1 2)"))',
  "(vault)": "2 entries are in the vault.",
  "(setf (vault-contents) nil)": "NIL",
  '(fix-skipped-definitions "Drop all of these. They were temporary development experiments.")':
    "No definition of the image was skipped.",
  "(relax t)": "relax-p = t",
  "(list (task.agents))": '("(:TASK-AGENTS',
  "(task.agents)": "(:TASK-AGENTS",
  "(tasks)": "There are no tasks.",
  "(tasks :list :offset 32 :limit 32)": "There are no tasks",
  "(values (+ 20 22) *package*)": '⇒ 42\n⇒ #<PACKAGE "AUTOLITH">',
  "(papercuts)": "There are no active papercuts",
  "(context)": "272000 tokens",
  '(model "neuralwatt/glm-5.3-flash")': "model = neuralwatt/glm-5.3-flash",
  '(model "gpt-5.6" :provider "openai-api")': "model = openai-api/gpt-5.6",
  '(plan.update :steps (vector (dict "step" "one" :|status| "doing")))': "1 step",
};

/** Forms that are refused here: their condition says why. */
const refused: Readonly<Record<string, string>> = {
  "(setf (config :no-such-setting) t)": "There is no setting",
  "(setf (config :terminal-theme) :almighty)": "cannot be set in this version: the terminal has one theme",
  "(settings :boot-screen-seconds 2)": "in this version: there is no boot screen",
  "(settings :boot-screen-seconds)": "in this version: there is no boot screen",
  '(setf (config :openrouter-provider-routing) "{\\"deepseek/deepseek-v4.1-flash\\":{\\"order\\":[\\"baseten\\",\\"together\\"],\\"allow_fallbacks\\":true}}")':
    "in this version: there is no OpenRouter provider",
  '(refine :assess "PROPOSAL-ID" :revision 3 :verdict :passed :evidence "Evidence from a separate task")':
    "refine is not here",
  '(redact "Alice Smith lives in Amsterdam.")': "redact is not here",
  // Optional systems of the manual, of which there are none here.
  '(asdf:load-system "autolith/structural")': 'There is no system "autolith/structural"',
  '(asdf:load-system "autolith/debug")': 'There is no system "autolith/debug"',
  '(asdf:test-system "autolith/debug/tests")': 'There is no system "autolith/debug/tests"',
  '(setf autolith:*structural-program* "/path/to/ast-grep")': "*STRUCTURAL-PROGRAM*",
  '(setf autolith:*debug-adapter-program* "/path/to/debug-adapter" autolith:*debug-adapter-arguments* nil)':
    "*DEBUG-ADAPTER-PROGRAM*",
  // Workers have it: lisp.eval with host-tools, as the page on evaluation shows it.
  '(autolith:worker-tool-call "resource.read" "{\\"uri\\":\\"workspace:src/main.lisp\\"}")':
    "WORKER-TOOL-CALL",
  "(settings :onboarding-p nil)": "in this version: there is no onboarding tour",
  '(tasks :get "JOB-ID")': 'There is no task "JOB-ID"',
  '(tasks :transcript "JOB-ID" :offset 0 :limit 4000)': 'There is no task "JOB-ID"',
  '(tasks :send "JOB-ID" :message "Inspect the failing check before continuing.")':
    'There is no task "JOB-ID"',
  '(tasks :cancel "JOB-ID")': 'There is no task "JOB-ID"',
  '(tasks :revive "JOB-ID" :authorize t)': 'There is no task "JOB-ID"',
  '(prompt :to \'test-review "Run focused tests and report failures.")': "test-review takes no message",
  '(prompt :images "/tmp/no-such-diagram.png" "Review this diagram")': "cannot be read",
};

const textOf = (result: FormResult): string => formResultText(result);

describe("forms of the manual", () => {
  it.each(Object.entries(shown))("%s", async (form, expected) => {
    const result = await evaluated(session, form);
    expect(result.status).toBe("values");
    expect(textOf(result)).toContain(expected);
  });

  it.each(Object.entries(refused))("%s says why not", async (form, expected) => {
    const result = await evaluated(session, form);
    expect(result.status).toBe("condition");
    expect(textOf(result)).toContain(expected);
  });

  it("messages: computed texts, the primary by its name in any case, and the vault's restored work", async () => {
    const client = await watch(session);
    const messages = {
      '(prompt (read-file "review-notes.org"))': "Text of review-notes.org.",
      '(prompt (read-file "request.org"))': "Text of request.org.",
      '(prompt :to \'autolith "Review this change")': "Review this change",
      '(prompt "Shut yourself down homie")': "Shut yourself down homie",
    };
    for (const [form, sent] of Object.entries(messages)) {
      await values(session, form);
      await eventsUntil(client, isTurnEnd);
      expect(scene.server.requests.at(-1)?.text).toContain(sent);
    }
    await values(session, '(setf (vault-contents) \'((:message "Revised task") (:lisp "(+ 1 2)")))');
    expect(textOf(await evaluated(session, "(vault-restore)"))).toContain("2 entries were restored.");
    await eventsUntil(
      client,
      (event) =>
        event.kind === "update" && event.update.type === "form-result" && textOf(event.update) === "⇒ 3",
    );
    expect(scene.server.requests.at(-1)?.text).toContain("Revised task");
  });
});

/** Examples that are tested where what they are about is tested, or that a page shows and its test executes. */
const elsewhere: Readonly<Record<string, string>> = {
  "(define-application-command my-version-command": "test/scenarios/session-initialization.test.ts",
  "(define-context-contributor release-advice": "test/scenarios/session-initialization.test.ts",
  "(register-context-rule": "test/scenarios/session-initialization.test.ts",
  '(complain "Your explanations are too long. Give the result first.")': "docs/extending.md",
  '(wtf "Use the existing library instead of reimplementing it.")': "docs/extending.md",
  "(:evaluate :source": "docs/management.md",
  "(:skill-executable :format-version 1": "docs/skills.md",
  "worker-tool-call": "docs/evaluation.md",
  "*package*": "test/scenarios/background-forms.test.ts",
  "(values :finished 42)": "test/scenarios/background-forms.test.ts",
};

describe("examples of the manual elsewhere", () => {
  it.each(Object.entries(elsewhere))("%s in %s", (example, file) => {
    expect(readFileSync(join(import.meta.dirname, "../..", file), "utf8")).toContain(example);
  });
});

describe("a message with an image", () => {
  it("carries the file beside its text", async () => {
    await using own = await openScene((request) => answer(`answer ${request.number}`));
    const picture = join(own.pit.workspace, "diagram.png");
    writeFileSync(
      picture,
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    );
    const told = await own.service.create({ workingDirectory: own.pit.workspace });
    const client = await watch(told);
    // The manual names a file of /tmp.
    await values(told, `(prompt :images "${picture}" "Review this diagram")`);
    await eventsUntil(client, isTurnEnd);
    const request = own.server.requests.at(-1)?.text ?? "";
    expect(request).toContain("Review this diagram");
    expect(request).toContain("data:image/png;base64,iVBORw0KGgo");
  });
});

describe("a message to a running child", () => {
  it("is read by it before its next request", async () => {
    await using family = await openScene(
      cast({
        ROOT: [
          () =>
            calls([
              { name: "task__run", arguments: { task: "Be CHILD.", name: "test-review", blocking: false } },
            ]),
          () => answer("started"),
        ],
        CHILD: [
          () =>
            calls([
              { name: "shell__run", arguments: { command: "while [ ! -e told ]; do sleep 0.05; done" } },
            ]),
          (request) => submit(request.text.includes("Run focused tests") ? "told" : "not told"),
        ],
      }),
    );
    const own = await family.service.create({ workingDirectory: family.pit.workspace });
    const client = await watch(own);
    await own.prompt({ parts: [{ type: "text", text: "ROOT" }] });
    await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name.startsWith("exec:") && event.state === "running",
    );
    const child = own.jobs().find(({ kind }) => kind === "agent")?.name ?? "";
    expect(
      textOf(
        await evaluated(own, `(eval-now (prompt :to "${child}" "Run focused tests and report failures."))`),
      ),
    ).toContain(":DELIVERY :QUEUED");
    writeFileSync(join(family.pit.workspace, "told"), "");
    await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name === child && event.state === "completed",
    );
    expect(textOf(await evaluated(own, `(eval-now (tasks :get "${child}"))`))).toContain("told");
  });
});
