import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { makeSandpit, type Sandpit } from "../support/cli/launch.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { openScene, say, text } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

/** Writes the user's init.lisp; answers its path. */
function userInit(pit: Sandpit, source: string): string {
  return written(join(pit.home, ".config/autolith/init.lisp"), source);
}

function written(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** Evaluates a form as a person types it; what is shown of it. */
async function form(
  session: Session,
  source: string,
): Promise<{ values: readonly string[]; output: string; status: string }> {
  const submitted = await session.prompt(text(source));
  if (submitted.kind !== "form") throw new Error(`a form was expected, not ${JSON.stringify(submitted)}`);
  const { values, output, status, condition } = await submitted.finished;
  return { values: values.map((value) => value.text), output: output + (condition?.text ?? ""), status };
}

const myVersion = `
(define-application-command my-version-command
    (:name "/my-version"
     :argument "[LABEL]"
     :description "show a labeled local integration version"
     :tip "shows the version supplied by init.lisp."
     :busy-behavior :inspect
     :terminal-behavior :shared
     :callable t)
    (application &optional (label "integration"))
  (application-present application (format nil "~A 3" label))
  :continue)`;

describe("initialization", () => {
  it("loads site, trusted directories from outermost to nearest, and the user's file in the same image", async () => {
    using pit = makeSandpit();
    const site = join(pit.home, "site");
    const note = (name: string) => `(push ${JSON.stringify(name)} *order*)`;
    written(join(site, "init.lisp"), `(defvar *order* '())\n${note("site")}`);
    written(join(pit.workspace, ".autolith/init.lisp"), note("outer"));
    written(join(pit.workspace, "inner/.autolith/init.lisp"), note("inner"));
    const workspace = realpathSync(pit.workspace);
    written(
      join(pit.home, ".config/autolith/directory-scopes.sexp"),
      `(:version 1 :directories (${JSON.stringify(`${workspace}/inner`)} ${JSON.stringify(workspace)}))`,
    );
    userInit(pit, `${note("user")}\n(setf (config :turn-timestamps-p) t)`);
    await using scene = await openScene([], { pit, siteConfigRoot: site });
    const session = await scene.service.create({ workingDirectory: join(pit.workspace, "inner") });
    expect((await form(session, "(reverse *order*)")).values).toEqual(['("site" "outer" "inner" "user")']);
    expect(session.settings().find(({ name }) => name === "turn-timestamps-p")?.value).toBe(true);
  });

  it("fails the start with the exact pathname, and --pristine goes without", async () => {
    using pit = makeSandpit();
    const path = userInit(pit, "(defvar *one* 1)\n\n(let ((x *one*))\n  (car x))");
    {
      await using scene = await openScene([], { pit });
      await expect(scene.service.create({ workingDirectory: pit.workspace })).rejects.toMatchObject({
        code: "initialization",
        message: expect.stringContaining(
          `${path} could not be loaded: the form at ${path}:3 signalled TYPE-ERROR`,
        ) as string,
      });
    }
    await using scene = await openScene(() => answer("hello"), { pit, pristine: true });
    const session = await scene.service.create({ workingDirectory: pit.workspace });
    expect((await say(session, "hello")).outcome).toBe("end-turn");
  });

  it("stops a file that takes too long, says which and after what time, and opens the session", async () => {
    await using scene = await openScene([], { initFileMs: 500 });
    const path = userInit(scene.pit, "(defun before () :yes)\n(loop)\n(defun after () :no)");
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const { live } = await session.attach({ name: "test", answersPermissions: true, tail: 0 });
    expect(live).toMatchObject([
      {
        type: "notice",
        code: "initialization-stopped",
        text: expect.stringContaining(`${path} was not loaded within 500 ms and was stopped`) as string,
      },
    ]);
    expect((await form(session, "(list (before) (fboundp 'after))")).values).toEqual(["(:YES NIL)"]);
  });

  it("does not keep its host from shutting down", async () => {
    await using scene = await openScene([]);
    const path = userInit(scene.pit, "(loop)");
    const opening = scene.service.create({ workingDirectory: scene.pit.workspace });
    const refused = expect(opening).rejects.toMatchObject({
      code: "initialization",
      message: expect.stringContaining(`${path} could not be loaded: the host shuts down.`) as string,
    });
    await expect.poll(() => scene.service.loadingFiles(), { timeout: 60_000 }).toEqual([path]);
    await scene.service.shutdown();
    await refused;
  });

  it("a file that goes on when it is stopped fails the start with its path", async () => {
    await using scene = await openScene([], { initFileMs: 500 });
    const path = userInit(scene.pit, "(unwind-protect (loop) (loop))");
    await expect(scene.service.create({ workingDirectory: scene.pit.workspace })).rejects.toMatchObject({
      code: "initialization",
      message: expect.stringContaining(
        `${path} could not be loaded: the cleanup of what was cancelled did not end within 5000 ms`,
      ) as string,
    });
  });

  it("bounds what is kept of the output of commands; what is no bound fails the start", async () => {
    using pit = makeSandpit();
    const path = userInit(
      pit,
      "(setf *shell-log-capture-byte-limit* 1000 autolith:*shell-log-retention-age* 3600)",
    );
    {
      await using scene = await openScene([], { pit });
      const session = await scene.service.create({ workingDirectory: pit.workspace });
      const { text: ran } = await session.invoke("shell.run", { command: "printf '%05000d' 7" });
      expect(ran).toContain("5000 bytes, of which 1000 are retained");
      expect((await form(session, "(list *shell-log-retention-age*)")).values).toEqual(["(3600)"]);
    }
    userInit(pit, "(setf *shell-log-retention-count-limit* :many)");
    await using scene = await openScene([], { pit });
    await expect(scene.service.create({ workingDirectory: pit.workspace })).rejects.toMatchObject({
      code: "initialization",
      message: expect.stringContaining(
        `${path} could not be loaded: *shell-log-retention-count-limit* is a positive integer or NIL, not :MANY.`,
      ) as string,
    });
  });

  it("a file that cannot be read to its end fails likewise, and a session that is loaded again can start once it is corrected", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await scene.service.closeSession(session.id);
    const path = userInit(scene.pit, "(defun unfinished (");
    await expect(scene.service.load(session.id)).rejects.toMatchObject({
      code: "initialization",
      message: expect.stringContaining(path) as string,
    });
    userInit(scene.pit, "(defun finished () :yes)");
    const again = await scene.service.load(session.id);
    expect((await form(again, "(finished)")).values).toEqual([":YES"]);
  });
});

describe("define-application-command", () => {
  it("makes a command for slash text, forms, help and completion", async () => {
    await using scene = await openScene([]);
    userInit(scene.pit, myVersion);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await session.prompt(text("/my-version"))).toMatchObject({
      kind: "command",
      invocation: { text: "integration 3" },
    });
    expect((await session.invoke("my-version", { input: '"two words"' })).text).toBe("two words 3");
    expect(await form(session, '(my-version "form")')).toMatchObject({
      output: "form 3\n",
      values: [":CONTINUE"],
    });
    await expect(session.prompt(text("/my-version a b"))).rejects.toMatchObject({ code: "invalid-argument" });
    expect((await session.invoke("help", { input: "my-version" })).text).toContain(
      "show a labeled local integration version",
    );
    const { candidates } = await session.complete("/my-v", 5);
    expect(candidates.map((each) => each.text)).toContain("/my-version");
    expect(session.operations().find(({ name }) => name === "my-version")).toMatchObject({
      kind: "command",
      busy: "inspect",
    });
  });

  it("takes slash parsers, static options, keyword parameters and :quit", async () => {
    await using scene = await openScene([]);
    userInit(
      scene.pit,
      `(defun parse-switch (text) (list (string= text "on")))
       (define-application-command switch-command
           (:name "/switch" :static-options (t nil) :description "switches" :slash-parser parse-switch :callable t)
           (application on &key (loud nil loud-p))
         (application-present application (format nil "~S ~S ~S" on loud loud-p))
         :continue)
       (define-application-command leave-command (:name "/leave" :aliases ("bye") :busy-behavior :cancel) (application) :quit)`,
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect((await session.invoke("switch", { input: "on" })).text).toBe("T NIL NIL");
    expect((await session.invoke("switch", { input: "off" })).text).toBe("NIL NIL NIL");
    expect((await form(session, "(switch nil :loud 1)")).output).toBe("NIL 1 T\n");
    const { candidates } = await session.complete("/switch ", 8);
    expect(candidates.map((each) => each.text)).toEqual(["t", "nil"]);
    expect(await session.invoke("bye", {})).toMatchObject({ clientAction: "quit" });
    expect((await form(session, "(leave)")).status).toBe("condition");
  });

  it("refuses names of ours and says what is wrong", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const define = (options: string) =>
      form(session, `(define-application-command x (${options}) (application) :continue)`);
    expect((await define(':name "/help"')).output).toContain("help is an operator of autolith");
    expect((await define(':name "/x y"')).output).toContain('for :name, not "x y"');
    expect((await define(':name "/x" :busy-behavior :sometimes')).output).toContain(
      'for :busy-behavior, not "sometimes"',
    );
    expect((await define(':name "/fine"')).status).toBe("values");
    expect((await session.invoke("fine", {})).text).toBe("");
  });

  it("waits during a turn as its busy behaviour says, and conditions of its handler are reported", async () => {
    await using scene = await openScene((request) =>
      request.number === 1 ? calls([{ name: "shell__run", arguments: { command: "true" } }]) : answer("done"),
    );
    userInit(
      scene.pit,
      `${myVersion}
       (define-application-command broken-command (:name "/broken" :busy-behavior :inspect) (application) (error "It broke."))`,
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await expect(session.invoke("broken", {})).rejects.toMatchObject({
      code: "lisp-condition",
      message: expect.stringContaining("It broke.") as string,
    });
    const submission = await session.prompt(text("work"));
    expect((await session.invoke("my-version", {})).text).toBe("integration 3");
    if (submission.kind === "turn") await submission.finished;
  });
});

describe("conditions of a defined command", () => {
  it("wait with their restarts for whoever called it: arguments, other values, the command again, or its end", async () => {
    await using scene = await openScene([]);
    userInit(
      scene.pit,
      `(defvar *tries* 0)
       (define-application-command greet-command (:name "/greet" :argument "NAME") (application name)
         (application-present application (format nil "Hello, ~A." name)) :continue)
       (define-application-command broken-command (:name "/broken") (application)
         (when (< (incf *tries*) 2) (error "It broke."))
         (application-present application "done") :continue)`,
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await session.attach({
      name: "test",
      answersPermissions: true,
      answersRestarts: true,
      tail: 0,
    });
    const asked = async (invocation: Promise<unknown>) => {
      invocation.catch(() => undefined);
      await eventsUntil(client, ({ kind }) => kind === "restarts-requested");
      return session.restarts()[0]!;
    };
    const greeting = session.invoke("greet", {});
    const missing = await asked(greeting);
    expect(missing).toMatchObject({
      source: "/greet",
      condition: { text: "greet takes 1 argument, and 0 came." },
    });
    const supply = missing.restarts.find(({ name }) => name === "SUPPLY-ARGUMENTS");
    await session.chooseRestart(missing.requestId, {
      kind: "restart",
      index: supply!.index,
      argument: '"Ada"',
    });
    expect((await greeting).text).toBe("Hello, Ada.");
    const replaced = session.invoke("greet", {});
    const { requestId } = await asked(replaced);
    await session.chooseRestart(requestId, { kind: "values", source: "(values 1 :two)" });
    expect((await replaced).text).toBe("⇒ 1\n⇒ :TWO");
    const retried = session.invoke("broken", {});
    const broken = await asked(retried);
    expect(broken).toMatchObject({
      source: "/broken",
      condition: { type: "SIMPLE-ERROR", text: "It broke." },
    });
    await session.chooseRestart(broken.requestId, { kind: "retry" });
    expect((await retried).text).toBe("done");
    const ended = session.invoke("greet", {});
    await session.chooseRestart((await asked(ended)).requestId, { kind: "abort" });
    await expect(ended).rejects.toMatchObject({ code: "lisp-condition" });
  });
});

describe("context contributors and rules", () => {
  it("give notes to the requests in which they have something to say", async () => {
    await using scene = await openScene(() => answer("done"));
    userInit(
      scene.pit,
      `(define-context-contributor release-advice (request)
         "Add advice for release requests."
         (when (search "release" (or (request-context-latest-user-text request) "") :test #'char-equal)
           (make-context-contribution
             :identifier "release-check"
             :instruction "Verify release artifacts before publishing."
             :lifetime ':turn
             :priority 40)))
       (register-context-rule
         '(:id "always" :instruction "Be exact." :priority 30 :lifetime :while-relevant))`,
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "Prepare the Release.");
    await say(session, "And now lunch.");
    const [first, second] = scene.server.requests.map(({ text: body }) => body);
    expect(first).toContain("- release-check: Verify release artifacts before publishing.");
    expect(first).toContain("- always: Be exact.");
    expect(second).not.toContain("release-check: Verify");
    expect((await form(session, "(context-status)")).values[0]).toContain(
      "Contributors: corrections, release-advice",
    );
    expect((await form(session, '(unregister-context-rule "always")')).values).toEqual(["T"]);
    expect((await form(session, '(unregister-context-rule "always")')).values).toEqual(["NIL"]);
    await say(session, "release again");
    expect(scene.server.requests[2]?.text).not.toContain("- always: Be exact.");
  });

  it("that fail or never end cost their note, not the turn", async () => {
    await using scene = await openScene(() => answer("done"));
    userInit(
      scene.pit,
      `(define-context-contributor failing (request) (error "No."))
       (define-context-contributor endless (request) (loop))
       (define-context-contributor fine (request) (make-context-contribution :identifier "fine" :instruction "Fine."))`,
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect((await say(session, "hello")).outcome).toBe("end-turn");
    expect(scene.server.requests[0]?.text).toContain("- fine: Fine.");
    expect((await form(session, "(+ 1 2)")).values).toEqual(["3"]);
  });
});

describe("register-openai-compatible-provider", () => {
  it("makes its models known, and a conversation that uses one is reached there after it is loaded again", async () => {
    await using provider = await startModelServer(() => answer("from my provider"));
    await using scene = await openScene(() => answer("from the other"));
    userInit(
      scene.pit,
      `(register-openai-compatible-provider
         :name "my-provider"
         :description "My OpenAI-compatible provider"
         :endpoint "${provider.baseUrl}/chat/completions"
         :headers '(("X-Team" . "blue"))
         :models '((:name "small" :context-window 32000) "large"))`,
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(session.models().map(({ id }) => id)).toEqual(
      expect.arrayContaining(["my-provider/small", "my-provider/large"]),
    );
    await session.invoke("model", { input: "my-provider/small" });
    await say(session, "hello");
    expect(provider.requests[0]?.body).toMatchObject({ model: "small" });
    expect(provider.requests[0]?.headers["x-team"]).toBe("blue");
    expect(session.state().contextWindow).toBe(32_000);
    const service = await scene.reopen();
    const again = await service.load(session.id);
    await say(again, "again");
    expect(provider.requests.at(-1)?.text).toContain("again");
    expect(scene.server.requests).toHaveLength(0);
  });

  it("refuses what it cannot use", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const register = (options: string) => form(session, `(register-openai-compatible-provider ${options})`);
    expect(
      (await register(':name "My Provider" :endpoint "http://localhost/v1/chat/completions"')).output,
    ).toContain(":name");
    expect((await register(':name "x" :endpoint "http://localhost/v1"')).output).toContain(
      "/chat/completions",
    );
    expect(
      (await register(':name "x" :endpoint "http://u:p@localhost/v1/chat/completions"')).output,
    ).toContain("password");
    expect(
      (await register(':name "openai-api" :endpoint "http://localhost/v1/chat/completions"')).output,
    ).toContain("choose another");
  });
});
