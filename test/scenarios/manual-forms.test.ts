/** The forms that the manual shows of the prompt, commands and settings, as it shows them: each does what is said of it there. */
import { writeFileSync } from "node:fs";
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
