/** `autolith lisp`: the Common Lisp of this checkout as a command of its own. */
import { isatty } from "node:tty";
import { LispArgumentError } from "../../lisp/repl/arguments.ts";
import { runLispCommand } from "../../lisp/repl/command.ts";
import { UsageError } from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";

const usage = `Usage: autolith lisp [--image FILE] [FILE... | --eval FORM | --print FORM | --load FILE | -]...
Without arguments a listener on a terminal, or the forms of standard input. Actions run in the order given, in one image.

  --image FILE        start from an image that (save-image "FILE") wrote
  FILE, --load FILE   load a file
  --eval FORM         evaluate a form
  --print FORM        evaluate a form and print its values
  -                   evaluate the forms of standard input

Output goes to standard output. An unhandled condition is reported on standard error and ends the command with status 1; (quit N) and
(sb-ext:exit :code N) end it with N.
`;

/** Runs the command and resolves to its exit status. */
export async function lispCommand(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  try {
    return await runLispCommand(argv, {
      interactive: isatty(0),
      writeError: (text) => process.stderr.write(text),
    });
  } catch (error) {
    if (error instanceof LispArgumentError) throw new UsageError(error.message);
    throw error;
  }
}
