/** Named REPLs through a real session host: real supervisor, real Redis, real image threads. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { answer } from "../support/model-server/script.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";

let scene: SessionScene;
let session: Session;

beforeAll(async () => {
  scene = await openScene(() => answer("unused"), {
    environment: { AUTOLITH_SECRET_TOKEN: "hunter2-hunter2" },
  });
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await lisp("start");
});
afterAll(() => scene[Symbol.asyncDispose]());

/** What the tool answered; failures as `code: text`. */
async function lisp(tool: string, args: object = {}, on = session): Promise<string> {
  try {
    return (await on.invoke(`lisp.${tool}`, args)).text;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

const evaluate = (form: string, args: object = {}): Promise<string> => lisp("eval", { form, ...args });

describe("lisp.eval", () => {
  it("evaluates in a REPL that keeps its definitions, with values, output and conditions", async () => {
    expect(await evaluate("(defun twice (x) (* 2 x))")).toBe("⇒ TWICE");
    expect(await evaluate('(progn (format t "hi~%") (values (twice 21) "x"))')).toBe(
      '⇒ 42\n⇒ "x"\noutput:\nhi',
    );
    expect(await evaluate("(values)")).toBe("No values.");
    const failed = await evaluate('(twice "a")');
    expect(failed).toMatch(/^lisp-condition: TYPE-ERROR: .*\n {2}DATUM: "a"\n {2}EXPECTED-TYPE: NUMBER/);
    expect(await evaluate('(restart-case (error "no") (use-value (x) x))')).toContain(
      "Restarts that were live: USE-VALUE",
    );
    expect(await evaluate("(read-line)")).toMatch(/^lisp-condition: END-OF-FILE/);
    expect(await evaluate("(list 1\n  (car '(2)")).toContain(
      "The form is not complete: what begins at line 2, column 3 has no end.",
    );
  });

  it("evaluates several forms and stops at the first that fails", async () => {
    expect(await lisp("eval", { forms: ["(+ 1 1)", "(list 1\n2)"] })).toBe("[1] ⇒ 2\n[2] ⇒ (1 2)");
    expect(await lisp("eval", { forms: ["1", "(car 1)", "3"] })).toMatch(
      /^lisp-condition: \[1\] ⇒ 1\n\[2\] TYPE-ERROR: [^]*1 more form\(s\) were not evaluated\.$/,
    );
    expect(await lisp("eval", { forms: ["(+ 1"] })).toMatch(/^lisp-condition: /);
    expect(await lisp("eval", {})).toContain("give either forms or form");
  });

  it("isolates REPLs from each other", async () => {
    await evaluate("(defvar *here* 1)", { repl: "a" });
    expect(await evaluate("(boundp '*here*)", { repl: "b" })).toBe("⇒ NIL");
    expect(await evaluate("(boundp '*here*)", { repl: "a" })).toBe("⇒ T");
    expect(await lisp("repls")).toMatch(/:NAME "a" :STATE :IDLE :FILES :FULL .* :EVALUATIONS 2/);
  });

  it("keeps output that is too long to show as an artifact", async () => {
    const text = await evaluate('(dotimes (i 1000) (format t "line ~D~%" i))');
    const uri = /context:[0-9a-f]{64}/.exec(text)?.[0] ?? "";
    expect(text).toContain("line 0\n");
    expect(text).toContain("line 999\n");
    expect(text.length).toBeLessThan(6_000);
    expect((await session.resource({ uri, byteOffset: 4_000 })).text).toContain("line 500\n");
  });

  it("ends at its time limit, and the REPL goes on", async () => {
    expect(await evaluate("(loop)", { "timeout-seconds": 0.2 })).toMatch(
      /^timed-out: Stopped by its time limit after /,
    );
    expect(await evaluate("(twice 2)")).toBe("⇒ 4");
  });

  it("goes on detached when asked to, is listed, waited for, cancelled and ends", async () => {
    const started = await evaluate("(progn (sleep 0.2) :done)", { async: true });
    const name = /exec:\d+/.exec(started)?.[0] ?? "";
    expect(started).toContain(':TOOL "lisp.eval"');
    const waited = (await session.invoke("job.wait", { id: name, "timeout-seconds": 30 })).text;
    expect(waited).toContain(":STATE :COMPLETED");
    expect(waited).toContain("⇒ :DONE");
    const endless = /exec:\d+/.exec(await evaluate("(loop)", { async: true }))?.[0] ?? "";
    const behind = evaluate("(twice 3)");
    await session.invoke("job.cancel", { id: endless });
    expect(await behind).toBe("⇒ 6");
    const row = session.jobs().find((job) => job.name === endless);
    expect(row).toMatchObject({ kind: "lisp", state: "aborted", summary: "(loop)" });
  });

  it("C115: an evaluation that exhausts its heap is told as lost, and the REPL starts anew", async () => {
    const form = "(let ((kept nil)) (loop (push (make-array 100000 :initial-element 1.5d0) kept)))";
    const started = await evaluate(form, { repl: "heavy", async: true, "timeout-seconds": 300 });
    const id = /exec:\d+/.exec(started)?.[0] ?? "";
    const ended = (await session.invoke("job.wait", { id, "timeout-seconds": 300 })).text;
    expect(ended).toMatch(/:STATE :FAILED[^]*(Lost: the image ended under it|STORAGE|heap)/i);
    expect(await evaluate("(+ 1 2)", { repl: "heavy" })).toMatch(/⇒ 3$/);
  });

  it("quits its image when told to, and begins with a new one", async () => {
    await evaluate("(defvar *q* 1)", { repl: "q" });
    expect(await evaluate("(sb-ext:exit :code 3)", { repl: "q" })).toContain("ended its image with code 3");
    expect(await evaluate("(boundp '*q*)", { repl: "q" })).toBe("⇒ NIL");
  });

  it("C035: shows no secret of the host, whatever it reads", async () => {
    expect(await evaluate('(sb-ext:posix-getenv "AUTOLITH_SECRET_TOKEN")')).toBe("⇒ NIL");
    writeFileSync(join(scene.pit.workspace, "leak.txt"), "hunter2-hunter2");
    const read = await evaluate('(with-open-file (i "leak.txt") (let ((l (read-line i))) (print l) l))');
    expect(read).not.toContain("hunter2-hunter2");
  });
});

describe("the other lisp tools", () => {
  it("loads files, looks things up and finds the sources of definitions", async () => {
    mkdirSync(join(scene.pit.workspace, "src"), { recursive: true });
    writeFileSync(
      join(scene.pit.workspace, "src", "area.lisp"),
      '(defun area (w h) "Area of a rectangle." (* w h))\n(print (area 2 3))\n',
    );
    expect(await lisp("scratchpad-run", { path: "src/area.lisp" })).toBe("⇒ T\noutput:\n\n6 ");
    expect(await lisp("scratchpad-run", { path: "missing.lisp" })).toMatch(
      /^lisp-condition: SIMPLE-FILE-ERROR: There is no file /,
    );
    expect(await lisp("describe", { designator: "area" })).toContain("Area of a rectangle.");
    expect(await lisp("describe", { designator: "cl:mapcar" })).toContain("MAPCAR");
    expect(await lisp("describe", { designator: "(((" })).toMatch(/^invalid-arguments: /);
    expect(await lisp("apropos", { query: "rect-or-none" })).toBe("Nothing.");
    expect(await lisp("apropos", { query: "mapcar", package: "cl" })).toContain("MAPCAR");
    expect(await lisp("source", { name: "area" })).toContain("(* w h))");
    expect(await lisp("source", { name: "mapcar" })).toContain("built in");
    expect(await lisp("source", { name: "no-such-thing" })).toMatch(/^unknown-definition: /);
    expect(await lisp("describe", { designator: "car", target: "self" })).toMatch(/^(no-active-image: |CAR)/);
  });

  it("checks parentheses without evaluating", async () => {
    const path = join(scene.pit.workspace, "src", "bad.lisp");
    writeFileSync(path, '(defun a ()\n  (print "(")\n(defun b () #\\) 1)\n');
    expect(await lisp("paren-check", { path: "src/area.lisp" })).toBe(
      "src/area.lisp: the parentheses match; 2 form(s) at the top level.",
    );
    expect(await lisp("paren-check", { path: "src/bad.lisp" })).toContain(
      "src/bad.lisp:1:1 is not closed; the form at the margin of line 3 is inside it",
    );
    expect(readFileSync(path, "utf8")).toContain("defun a");
  });

  it("starts, refuses, resets and stops REPLs within their bounds", async () => {
    expect(await lisp("start", { repl: "s" })).toContain(':NAME "s" :STATE :IDLE');
    expect(await lisp("start", { repl: "s" })).toMatch(/^repl-exists: REPL s runs already/);
    await evaluate("(defvar *s* 1)", { repl: "s" });
    await lisp("reset", { repl: "s" });
    expect(await evaluate("(boundp '*s*)", { repl: "s" })).toBe("⇒ NIL");
    expect(await lisp("stop", { repl: "s" })).toBe("REPL s was ended.");
    expect(await lisp("stop", { repl: "s" })).toMatch(/^unknown-repl: No REPL s runs/);
    const started = await Promise.all(Array.from({ length: 9 }, (_, i) => lisp("start", { repl: `n${i}` })));
    expect(started.filter((text) => text.startsWith("repl-limit: ")).length).toBeGreaterThanOrEqual(1);
    expect(started.find((text) => text.startsWith("repl-limit: "))).toContain("an agent has at most 8");
    await Promise.all(Array.from({ length: 9 }, (_, i) => lisp("stop", { repl: `n${i}` })));
    expect(await lisp("start", { repl: "Bad Name" })).toMatch(/^invalid-arguments: /);
  });

  it("tells a running evaluation that its REPL was stopped under it", async () => {
    const running = evaluate("(loop)", { repl: "t" });
    await expect.poll(() => lisp("repls"), { timeout: 20_000 }).toMatch(/:NAME "t" :STATE :BUSY/);
    await lisp("stop", { repl: "t" });
    expect(await running).toMatch(/^image-lost: Lost: the image ended under it \(it was stopped\)/);
  });

  it("saves images, and starts REPLs from them, in another conversation and after a restart too", async () => {
    await using own = await openScene([]);
    const first = await own.service.create({ workingDirectory: own.pit.workspace });
    await lisp("eval", { forms: ["(defun kept (x) (* 3 x))", "(defvar *data* (list 1 2))"] }, first);
    expect(await lisp("save-image", { image: "base", note: "with KEPT" }, first)).toMatch(
      /^\(:LISP-IMAGE :IMAGE \(:NAME "base" :NOTE "with KEPT" /,
    );
    expect(await lisp("images", {}, first)).toContain(':NAME "base"');
    expect(await lisp("start", { repl: "x", image: "nothing" }, first)).toMatch(
      /^unknown-image: .*There are: base/,
    );
    const service = await own.reopen();
    const second = await service.create({ workingDirectory: own.pit.workspace });
    expect(await lisp("start", { repl: "again", image: "base" }, second)).toContain(':IMAGE "base"');
    expect(await lisp("eval", { form: "(list (kept 4) *data*)", repl: "again" }, second)).toBe(
      "⇒ (12 (1 2))",
    );
    const tools = { "host-tools": ["lisp.repls"], repl: "again" };
    const call = '(getf (autolith:worker-tool-call "lisp.repls" "{}") :success-p)';
    expect(await lisp("eval", { form: call, ...tools }, second)).toBe("⇒ T");
    expect(await lisp("source", { name: "kept", repl: "again" }, second)).toContain("(* 3 x)");
    writeFileSync(join(own.pit.home, ".local/share/autolith/lisp-images/base.image"), "cut");
    expect(await lisp("reset", { repl: "again", image: "base" }, second)).toMatch(/^image-/);
  });

  it("loads ASDF systems and runs their tests", async () => {
    const directory = join(scene.pit.workspace, "demo");
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      join(directory, "demo.asd"),
      `(asdf:defsystem "demo" :components ((:file "demo")) :in-order-to ((asdf:test-op (asdf:test-op "demo/tests"))))
(asdf:defsystem "demo/tests" :depends-on ("demo") :components ((:file "tests"))
  :perform (asdf:test-op (o c) (uiop:symbol-call :demo-tests :run)))`,
    );
    writeFileSync(
      join(directory, "demo.lisp"),
      "(defpackage :demo (:use :cl) (:export #:double))\n(in-package :demo)\n(defun double (x) (* 2 x))\n",
    );
    writeFileSync(
      join(directory, "tests.lisp"),
      `(defpackage :demo-tests (:use :cl))
(in-package :demo-tests)
(defun run () (format t "checked ~A~%" (demo:double 4)) (assert (= 8 (demo:double 4))))`,
    );
    expect(await lisp("load-system", { system: "demo", asd: "demo/demo.asd" })).toMatch(
      /^\[1\] ⇒ [^]*\[2\] ⇒ /,
    );
    expect(await evaluate("(demo:double 21)")).toBe("⇒ 42");
    expect(await lisp("run-tests", { system: "demo" })).toContain("checked 8");
    await evaluate('(defun demo-tests::run () (error "3 checks failed"))');
    expect(await lisp("run-tests", { system: "demo" })).toMatch(
      /^lisp-condition: SIMPLE-ERROR: 3 checks failed/,
    );
    expect(await lisp("load-system", { system: "no-such-system" })).toMatch(/^lisp-condition: /);
  });
});

describe("what REPLs may use of the files", () => {
  it.each(["sandbox", "auto", "ask"] as const)(
    "in permission mode %s it is the workspace",
    async (permissions) => {
      await using own = await openScene([], { permissions });
      const there = await own.service.create({ workingDirectory: own.pit.workspace });
      const write = '(with-open-file (o "made.txt" :direction :output) (write-line "made" o) :written)';
      expect(await lisp("eval", { form: write }, there)).toBe("⇒ :WRITTEN");
      expect(readFileSync(join(own.pit.workspace, "made.txt"), "utf8")).toBe("made\n");
      for (const path of ["/etc/passwd", `${own.pit.home}/.config/autolith/init.lisp`, "/proc/self/environ"])
        expect(await lisp("eval", { form: `(with-open-file (i "${path}") (read-line i))` }, there)).toMatch(
          /^lisp-condition: .*FILE-ERROR: .*outside of /,
        );
      const git = '(with-open-file (o ".autolith/agents/x.sexp" :direction :output) 1)';
      expect(await lisp("eval", { form: git }, there)).toMatch(/^lisp-condition: .*inside \.autolith/);
      expect(await lisp("repls", {}, there)).toContain(":FILES :WORKSPACE");
    },
  );

  it("a REPL that was started with more than is allowed now has to be reset", async () => {
    await using own = await openScene([]);
    const there = await own.service.create({ workingDirectory: own.pit.workspace });
    const read = { form: '(with-open-file (i "/etc/passwd") (and (read-line i) :read))' };
    expect(await lisp("eval", read, there)).toBe("⇒ :READ");
    await there.setMode("sandbox");
    expect(await lisp("eval", read, there)).toMatch(
      /^repl-access: REPL main was started with access to all files/,
    );
    await lisp("reset", {}, there);
    expect(await lisp("eval", read, there)).toMatch(/^lisp-condition: .*outside of /);
    await there.setMode("full");
    expect(await lisp("eval", { form: "(+ 1 2)" }, there)).toBe("⇒ 3");
  });
});
