import { expect, it } from "vitest";
import { commandTerminal } from "../../../lisp/repl/command-terminal.ts";
import { interruptKind, interruptWord } from "../../../lisp/repl/interrupts.ts";
import { nodeHostPort } from "../../../lisp/streams/node-host.ts";

it.each(["EPIPE", "EIO"])("takes a failure with %s as an output that nobody reads any more", (code) => {
  const word = interruptWord();
  const failing = (): never => {
    throw Object.assign(new Error("write failed"), { code });
  };
  const terminal = commandTerminal({ ...nodeHostPort().terminal, writeOutput: failing }, word, undefined);
  expect(terminal.outputGone()).toBe(false);
  terminal.writeOutput("text");
  expect(terminal.outputGone()).toBe(true);
  expect(word[0]).toBe(interruptKind.outputGone);
});
