/** Development form of `autolith lisp`: `node script/lisp.ts FILE… | --eval FORM | --print FORM | --load FILE | -`. */
import { runLispCommand } from "../lisp/repl/command.ts";

process.exitCode = await runLispCommand(process.argv.slice(2), {
  interactive: process.stdin.isTTY,
  writeError: (text) => process.stderr.write(text),
});
