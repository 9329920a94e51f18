/** The listener on a terminal of its own, made by `script`: what is typed goes through the line discipline of a real terminal. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";

const program = new URL("../../../script/lisp.ts", import.meta.url).pathname;
const interruptKey = "\u0003";
const endKey = "\u0004";

const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.child.kill("SIGHUP");
});

class Terminal {
  readonly child: ChildProcessWithoutNullStreams;
  private shown = "";
  private seen = 0;

  constructor(...argv: readonly string[]) {
    const command = [process.execPath, program, ...argv].map((word) => `'${word}'`).join(" ");
    // `script` runs $SHELL: a shell that stays between may take the interrupt too and report 130 for a command that ended with 0.
    this.child = spawn("script", ["-qefc", `exec ${command}`, "/dev/null"]);
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => (this.shown += text));
    open.push(this);
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** Waits until `text` is shown after what was awaited before; gives what is shown up to its end. */
  async shows(text: string): Promise<string> {
    for (;;) {
      const at = this.shown.indexOf(text, this.seen);
      if (at >= 0) {
        const part = this.shown.slice(this.seen, at + text.length);
        this.seen = at + text.length;
        return part.replaceAll("\r", "");
      }
      // oxlint-disable-next-line no-await-in-loop -- each piece of output is waited for
      await once(this.child.stdout, "data");
    }
  }

  /** What is shown when the keys were typed and the prompt is back. */
  async answer(keys: string, prompt = "CL-USER> "): Promise<string> {
    this.type(keys);
    return await this.shows(prompt);
  }

  async exitCode(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, "exit");
    return this.child.exitCode;
  }
}

describe("the listener", () => {
  it("stops in the debugger on Ctrl-C: CONTINUE goes on, :ABORT ends with cleanup forms; a half-typed form is dropped", async () => {
    const terminal = new Terminal();
    await terminal.shows("CL-USER> ");
    await terminal.answer("(defvar *kept* 42)\n");
    terminal.type("(unwind-protect (progn (print :looping) (finish-output) (loop)) (print :cleaned))\n");
    await terminal.shows(":LOOPING");
    const stopped = await terminal.answer(interruptKey, "debug[1]> ");
    expect(stopped).toMatch(
      /Interrupted\.\n[^]*0: \[CONTINUE\] Go on with the evaluation\.\n[^]*1: \[ABORT\] Return to the listener\./,
    );
    expect(stopped).toContain(":abort to go back, or :help.");
    expect(await terminal.answer(":help\n", "debug[1]> ")).toMatch(
      /\[ABORT\][^]*:abort, or the end of input \(Ctrl-D\), goes back one level\./,
    );
    expect(await terminal.answer(":abort\n")).toMatch(/:CLEANED/);
    terminal.type(
      "(progn (print :waiting) (finish-output) (loop until (boundp '*done*)) (print :went-on))\n",
    );
    await terminal.shows(":WAITING");
    await terminal.answer(interruptKey, "debug[1]> ");
    await terminal.answer("(defvar *done* t)\n", "debug[1]> ");
    expect(await terminal.answer("0\n")).toMatch(/:WENT-ON/);
    terminal.type("(progn (print :sleeping) (finish-output) (sleep 3600))\n");
    await terminal.shows(":SLEEPING");
    await terminal.answer(interruptKey, "debug[1]> ");
    await terminal.answer(":abort\n");
    terminal.type("(list 1\n2");
    await terminal.shows("(list 1\r\n2");
    expect(await terminal.answer(interruptKey)).toContain("; Interrupted.");
    expect(await terminal.answer("*kept*\n")).toContain("\n42\n");
    terminal.type(endKey);
    expect(await terminal.exitCode()).toBe(0);
  });

  it("numbers the levels of the debugger; :abort and Ctrl-D leave one, and forms typed there count as forms", async () => {
    const terminal = new Terminal();
    await terminal.shows("CL-USER> ");
    await terminal.answer("(+ 1 1)\n");
    expect(await terminal.answer("(car 1)\n", "debug[1]> ")).toContain("[ABORT] Return to the listener.");
    expect(await terminal.answer("(list * + -)\n", "debug[1]> ")).toContain("\n(2 (CAR 1) (LIST * + -))\n");
    expect(await terminal.answer("(car 2)\n", "debug[2]> ")).toContain("[ABORT] Return to debugger level 1.");
    await terminal.answer(":abort\n", "debug[1]> ");
    terminal.type("(progn (print :looping) (finish-output) (loop))\n");
    await terminal.shows(":LOOPING");
    await terminal.answer(interruptKey, "debug[2]> ");
    await terminal.answer(":abort\n", "debug[1]> ");
    await terminal.answer(endKey);
    expect(await terminal.answer("(+ 20 3)\n")).toContain("\n23\n");
    terminal.type(endKey);
    expect(await terminal.exitCode()).toBe(0);
  });

  it("asks for the value of a restart before it waits for the answer", async () => {
    const terminal = new Terminal();
    await terminal.shows("CL-USER> ");
    await terminal.answer("(list *unbound*)\n", "debug[1]> ");
    await terminal.answer("1\n", "Enter a form to be evaluated: ");
    expect(await terminal.answer("(* 6 7)\n")).toContain("\n(42)\n");
    terminal.type(endKey);
    expect(await terminal.exitCode()).toBe(0);
  });

  it("gives the streams and variables that a form has spoilt their standard values again, and says so", async () => {
    const terminal = new Terminal();
    await terminal.shows("CL-USER> ");
    const forms = {
      "(setf *standard-output* 3)": "*STANDARD-OUTPUT*",
      "(setf *error-output* 3 *query-io* 4)": "*ERROR-OUTPUT*, *QUERY-IO*",
      "(setf *terminal-io* 3)": "*TERMINAL-IO*",
      "(close *standard-output*)": "*TERMINAL-IO*",
      "(close *standard-input*)": "*TERMINAL-IO*",
      "(setf *print-pprint-dispatch* 3)": "*PRINT-PPRINT-DISPATCH*",
      "(setf *package* 3)": "*PACKAGE*",
    };
    for (const [form, variables] of Object.entries(forms)) {
      // oxlint-disable-next-line no-await-in-loop -- one form after the other
      const shown = await terminal.answer(`${form}\n`);
      expect(shown).toContain(`; ${variables} had no usable value and ha`);
    }
    expect(await terminal.answer("(list 20 3)\n")).toMatch(/^\(list 20 3\)\n\(20 3\)\nCL-USER> $/);
    terminal.type(endKey);
    expect(await terminal.exitCode()).toBe(0);
  });

  it("offers every restart around the call that exhausted the stack", async () => {
    const terminal = new Terminal();
    await terminal.shows("CL-USER> ");
    await terminal.answer("(defun f (n) (+ 1 (f n)))\n");
    expect(await terminal.answer("(f 1)\n", "debug[1]> ")).toContain("0: [ABORT] Return to the listener.");
    await terminal.answer(":abort\n");
    expect(await terminal.answer('(restart-case (f 1) (my () :report "mine" 77))\n', "debug[1]> ")).toMatch(
      /0: \[MY\] mine\n[^]*1: \[ABORT\] Return to the listener\./,
    );
    expect(await terminal.answer("0\n")).toContain("\n77\n");
    terminal.type(endKey);
    expect(await terminal.exitCode()).toBe(0);
  });

  it("ends with 130 on Ctrl-C when it is not the listener, after cleanup forms", async () => {
    const form = "(unwind-protect (progn (print :looping) (finish-output) (loop)) (print :cleaned))";
    const terminal = new Terminal("--eval", form);
    await terminal.shows(":LOOPING");
    terminal.type(interruptKey);
    await terminal.shows(":CLEANED");
    expect(await terminal.exitCode()).toBe(130);
  });
});
