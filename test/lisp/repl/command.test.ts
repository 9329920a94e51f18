import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { LispArgumentError, parseLispArguments, takeImageOption } from "../../../lisp/repl/arguments.ts";

const program = new URL("../../../script/lisp.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "lisp-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function lisp(argv: readonly string[], input = "") {
  const child = spawn(process.execPath, [program, ...argv]);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout: stdout.trimEnd(), stderr: stderr.trimEnd(), exitCode };
}

describe("autolith lisp", () => {
  it("evaluates forms, and prints values only when asked", async () => {
    expect(await lisp(["--eval", "(+ 1 2)", "--print", "(values 1 2)"])).toEqual({
      stdout: "1\n2",
      stderr: "",
      exitCode: 0,
    });
  });

  it("runs files in order, with output on standard output", async () => {
    const file = join(folder, "a.lisp");
    writeFileSync(file, '(defun greet (x) (format t "hello ~A~%" x))\n');
    expect(await lisp([file, "--eval", '(greet "you")'])).toEqual({
      stdout: "hello you",
      stderr: "",
      exitCode: 0,
    });
  });

  it("reads standard input without a prompt", async () => {
    expect(await lisp(["-"], "(princ (* 6 7))")).toEqual({ stdout: "42", stderr: "", exitCode: 0 });
  });

  it("reports an unhandled condition on standard error with exit 1, after the output before it", async () => {
    const { stdout, stderr, exitCode } = await lisp(["--eval", "(princ 1) (car 5)"]);
    expect({ stdout, exitCode }).toEqual({ stdout: "1", exitCode: 1 });
    expect(stderr).toContain("TYPE-ERROR: The value 5 is not of type LIST.");
  });

  it("names the place of a form from standard input, of an argument and of a form without an end", async () => {
    const file = join(folder, "unfinished.lisp");
    writeFileSync(file, "(+ 1 2)\n(defun f (\n  x");
    const [input, argument, unfinished] = await Promise.all([
      lisp(["-"], "(+ 1 2)\n\n; more\n(print (car 1))\n"),
      lisp(["--eval", "(+ 1"]),
      lisp([file]),
    ]);
    expect(input.stderr).toContain("in the form at <standard input>:4");
    expect(argument.stderr).toContain("in the form at <argument>:1");
    expect(unfinished.stderr).toContain(`in the form at ${file}:2`);
  });

  it("ends quietly with 141 after cleanup forms when nobody reads its output", async () => {
    const left = join(folder, "left");
    const form = `(unwind-protect (loop (print 1)) (with-open-file (out "${left}" :direction :output) (print 1 out)))`;
    const child = spawn(process.execPath, [program, "--eval", form]);
    child.stdout.once("data", () => child.stdout.destroy());
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    expect(await Promise.all([text(child.stderr), ended])).toEqual(["", 141]);
    expect(existsSync(left)).toBe(true);
  });

  it("shows what a form printed when it has ended, and ends after cleanup forms at SIGTERM and SIGHUP", async () => {
    const ends = ["SIGTERM", "SIGHUP"] as const;
    const codes = ends.map(async (signal) => {
      const form = "(unwind-protect (progn (print :sleeping) (sleep 0) (loop)) (print :cleaned))";
      const child = spawn(process.execPath, [program, "--eval", "(princ :first)", "--eval", form]);
      let shown = "";
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        shown += piece;
        // Programs like timeout(1) send it to the process and to its group.
        if (!child.killed && shown.includes("SLEEPING"))
          expect([1, 2].map(() => child.kill(signal))).toEqual([true, true]);
      });
      const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
      return { code, shown };
    });
    const shown = "FIRST\n:SLEEPING \n:CLEANED ";
    expect(await Promise.all(codes)).toEqual([
      { code: 143, shown },
      { code: 129, shown },
    ]);
  });

  it("ends by the signal itself when cleanup forms do not end", async () => {
    const form = "(unwind-protect (progn (print 1) (sleep 0) (loop)) (loop))";
    const child = spawn(process.execPath, [program, "--eval", form]);
    child.stdout.once("data", () => child.kill("SIGTERM"));
    expect(await new Promise((resolve) => child.on("exit", (_code, signal) => resolve(signal)))).toBe(
      "SIGTERM",
    );
  });

  it("reports an error of a cleanup form on the way out, and refuses exit codes that are no integers", async () => {
    const [cleanup, code] = await Promise.all([
      lisp(["--eval", '(unwind-protect (quit 3) (error "in cleanup"))']),
      lisp(["--eval", "(quit :foo)"]),
    ]);
    expect(cleanup.exitCode).toBe(3);
    expect(cleanup.stderr).toContain("SIMPLE-ERROR: in cleanup");
    expect(code.exitCode).toBe(1);
    expect(code.stderr).toContain("TYPE-ERROR: The value :FOO is not of type");
  });

  it("reports an error when the standard streams are none", async () => {
    const { stderr, exitCode } = await lisp([
      "--eval",
      "(setf *error-output* 3 *standard-output* 4)",
      "--eval",
      "(car 3)",
    ]);
    expect({ stderr, exitCode }).toEqual({
      stderr: "Unhandled TYPE-ERROR: The value 3 is not of type LIST.\n  in the form at <argument>:1",
      exitCode: 1,
    });
  });

  it("honours QUIT and EXIT", async () => {
    expect((await lisp(["--eval", "(quit 3)"])).exitCode).toBe(3);
    expect(await lisp(["--eval", "(unwind-protect (sb-ext:exit :code 4) (princ 5))"])).toMatchObject({
      exitCode: 4,
      stdout: "5",
    });
  });

  it("recurses 100,000 frames deep, and reports what is deeper as a storage condition", async () => {
    const file = join(folder, "deep.lisp");
    writeFileSync(
      file,
      `(defun deep (n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
       (defun endless (n) (+ 1 (endless n)))
       (defun build (n) (if (= n 0) nil (cons n (build (- n 1)))))
       (print (list (deep 100000) (length (build 100000))
                    (handler-case (endless 1) (storage-condition () :storage))
                    (catch 'out (labels ((down (n) (if (= n 0) (throw 'out :thrown) (+ 1 (down (- n 1)))))) (down 100000)))))`,
    );
    expect((await lisp([file])).stdout.trim()).toBe("(100000 100000 :STORAGE :THROWN)");
  });

  it("refuses unknown options and missing values", () => {
    expect(() => parseLispArguments(["--nope"], false)).toThrow(LispArgumentError);
    expect(() => parseLispArguments(["--eval"], false)).toThrow(/--eval needs a value/);
    expect(parseLispArguments([], true).actions).toEqual([{ kind: "listen" }]);
    expect(parseLispArguments([], false).actions).toEqual([{ kind: "input" }]);
    expect(parseLispArguments(["--", "-x.lisp", "a"], false)).toEqual({
      actions: [{ kind: "load", file: "-x.lisp" }],
      programArguments: ["a"],
    });
  });
});

describe("autolith lisp with a script", () => {
  it("gives it the arguments after --, whatever its name is, and skips a first line for the system", async () => {
    const [first, second] = [join(folder, "odd [x]*?.lisp"), join(folder, "second.lisp")];
    writeFileSync(first, "#!/usr/bin/env autolith\n(prin1 (rest sb-ext:*posix-argv*))\n");
    writeFileSync(second, "(prin1 (uiop:command-line-arguments))");
    expect(await lisp([first, second, "--", "a", "--print"])).toEqual({
      stdout: '("a" "--print")("a" "--print")',
      stderr: "",
      exitCode: 0,
    });
  });

  it("loads what a pipe on /dev/stdin gives", async () => {
    const command = `echo '(princ (* 6 7))' | "$0" "$1" --load /dev/stdin`;
    const child = spawn("/bin/sh", ["-c", command, process.execPath, program]);
    expect(await text(child.stdout)).toBe("42");
  });

  const faults: readonly (readonly [source: string, message: string, line: number])[] = [
    ["(print 1)\n#+sbcl (print 2)\n#| a\n #| b |# |# (car 4)", "is not of type LIST", 4],
    ["(print 1)\n(defun f (x)\n  (print\n    (nowhere::x)))", 'no package named "NOWHERE"', 4],
    [
      "(defun f (x)\n  (when x\n    (print x)\n\n(defun g () 1)\n",
      "the form that begins at line 1, column 1 is never closed; what begins at line 2, column 3 is not closed; the form at the margin of line 5 is inside it",
      1,
    ],
    ['\n "abc', "the string that begins at line 2, column 2 is never closed", 2],
    ["\n#| abc", "the comment that begins at line 2, column 1 is never closed", 2],
    ["\n#+(or sbcl", "the form that begins at line 2, column 1 is never closed", 2],
  ];
  it.each(faults)("tells the place of what is wrong in %j", async (source, message, line) => {
    const file = join(folder, `fault-${line}-${source.length}.lisp`);
    writeFileSync(file, source);
    const { stderr, exitCode } = await lisp([file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`in the form at ${file}:${line}`);
  });

  it("refuses a source that is not UTF-8, with the place, and takes a replacement character that is written", async () => {
    const file = join(folder, "bytes.lisp");
    writeFileSync(file, Buffer.from([...Buffer.from('(print "\ufffd")\n;'), 0xe4]));
    expect((await lisp([file])).stderr).toContain("the byte #xE4 at line 2, column 2 begins no character");
    writeFileSync(file, '(princ "\ufffd")');
    expect((await lisp([file])).stdout).toBe("\ufffd");
  });
});

describe("autolith lisp --image", () => {
  const image = join(folder, "saved.image");

  it("goes on from what another process saved, in its package", async () => {
    const saving = await lisp([
      "--eval",
      "(defpackage :shop (:use :cl :sb-ext)) (in-package :shop) (defvar *stock* (list 1 2))",
      "--eval",
      `(defun stock (x) (list x *stock*)) (save-image "${image}") (princ (stock 0))`,
    ]);
    expect(saving).toEqual({ stdout: "(0 (1 2))", stderr: "", exitCode: 0 });
    expect(await lisp(["--image", image, "--print", "(stock 3)", "--print", "*package*"])).toEqual({
      stdout: '(3 (1 2))\n#<PACKAGE "SHOP">',
      stderr: "",
      exitCode: 0,
    });
  });

  it("says why a file is no image, with status 1", async () => {
    const other = join(folder, "other.image");
    writeFileSync(other, "(defun f (x) x)");
    const { stderr, exitCode, stdout } = await lisp(["--image", other, "--print", "1"]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toBe(
      `cannot start from ${other}: the file is no image of this Lisp; expected one that SAVE-IMAGE wrote`,
    );
    expect((await lisp(["--image", join(folder, "none.image")])).stderr).toContain("ENOENT");
  });

  it("wants one file", () => {
    expect(() => takeImageOption(["--image"])).toThrow(/--image needs a value/);
    expect(() => takeImageOption(["--image", "a", "--image", "b"])).toThrow(/once/);
    expect(takeImageOption(["x", "--image", "a", "--print", "1"])).toEqual({
      image: "a",
      rest: ["x", "--print", "1"],
    });
    expect(takeImageOption(["--", "--image", "a"])).toEqual({ image: null, rest: ["--", "--image", "a"] });
  });
});
