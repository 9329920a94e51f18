/** `autolith limits`: every bound with its value, where that comes from and how to change it. */
import { checkPositionals, parseArguments } from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { limitTable } from "./limit-table.ts";
import { limitSexp, limitText } from "./limit-text.ts";

const usage = `Usage: autolith limits [--sexp]
Lists every bound: what it is, its value here, where the value comes from (default, or the environment variable
that set it) and how it is changed.

  --sexp   one (:autolith-limits …) form instead of a table
`;

/** Resolves to the exit status. Throws UsageError for arguments that are refused. */
export function limitsCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, { sexp: { value: false } });
  checkPositionals(parsed, 0, "autolith limits [--sexp]");
  const limits = (): string => {
    const table = limitTable(process.env);
    return parsed.options.has("sexp") ? limitSexp(table) : limitText(table);
  };
  process.stdout.write(parsed.help ? usage : limits());
  return Promise.resolve(exitStatus.ok);
}
