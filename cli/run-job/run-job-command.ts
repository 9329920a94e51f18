/** `autolith run-job`: arguments, signals and streams around {@link runJob}. */
// First: it decides how the schemas of everything below are checked.
import "../schema-checks.ts";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  type ParsedCommand,
  UsageError,
  checkPositionals,
  optionValue,
  parseArguments,
} from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { takeSignalWatch } from "../early-signals.ts";
import { runJob } from "./run-job.ts";

const usage = `Usage: autolith [--permissions ask|auto|sandbox|full] [--model ID] run-job --input FILE --output FILE [OPTIONS]
Runs one job file without a terminal and writes its result atomically to the output file.

  --input FILE      the job, one (:autolith-job :version 1 …) form; - reads standard input
  --output FILE     where the (:autolith-job-result …) form is put
  --events sexp     one event form a line on standard output; everything else goes to standard error
  --record FILE     keep every model exchange in a cassette
  --replay FILE     answer every model request from a cassette

Exit status: 0 succeeded, 1 did not succeed, 64 the request was refused. docs/run-job.md has the formats.
`;

const options = {
  input: { value: true },
  output: { value: true },
  events: { value: true },
  record: { value: true },
  replay: { value: true },
};

/** Resolves to the exit status. Throws UsageError before anything is done for arguments that are refused. */
export async function runJobCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, options);
  if (parsed.help) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  const request = checkedRequest(parsed);
  const signals = takeSignalWatch();
  try {
    const status = await runJob({
      ...request,
      environment: process.env,
      workingDirectory: process.cwd(),
      stdin: process.stdin,
      diagnostics: (line) => process.stderr.write(`${line}\n`),
      eventOutput: process.stdout,
      cancel: signals.cancelled,
    });
    return signals.exitStatus ?? status;
  } finally {
    signals.stop();
  }
}

function required(parsed: ParsedCommand, name: string): string {
  const value = optionValue(parsed, name);
  if (value === undefined || value === "") throw new UsageError(`run-job needs --${name} FILE.`);
  return value;
}

function optionalPath(parsed: ParsedCommand, name: string): string | undefined {
  const value = optionValue(parsed, name);
  if (value === "") throw new UsageError(`--${name} needs a file name.`);
  return value === undefined ? undefined : fileArgument(name, value);
}

function fileArgument(name: string, value: string): string {
  if (value === "-")
    throw new UsageError(
      `--${name} needs the name of a file; only --input takes -. (A file called - is ./-)`,
    );
  return resolve(value);
}

/** Refuses a file that would be written where another argument is read or written, under whatever name. */
function checkDistinct(files: Readonly<Record<string, string | undefined>>): void {
  const named = Object.entries(files).flatMap(([name, path]) => (path === undefined ? [] : [{ name, path }]));
  for (const written of named.filter(({ name }) => name === "output" || name === "record")) {
    const other = named.find((file) => file !== written && isSameFile(file.path, written.path));
    if (other !== undefined)
      throw new UsageError(
        `--${other.name} and --${written.name} name the same file, ${written.path}, which would be overwritten. Name two files.`,
      );
  }
}

function isSameFile(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, two] = [left, right].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return one !== undefined && two !== undefined && one.isFile() && one.dev === two.dev && one.ino === two.ino;
}

function checkedRequest(
  parsed: ParsedCommand,
): Pick<
  Parameters<typeof runJob>[0],
  | "input"
  | "outputPath"
  | "events"
  | "record"
  | "replay"
  | "permissions"
  | "model"
  | "provider"
  | "siteConfigRoot"
> {
  checkPositionals(parsed, 0, "autolith run-job --input FILE --output FILE");
  const input = required(parsed, "input");
  const outputPath = fileArgument("output", required(parsed, "output"));
  const events = optionValue(parsed, "events");
  if (events !== undefined && events !== "sexp")
    throw new UsageError(`--events takes sexp, not ${JSON.stringify(events)}.`);
  const record = optionalPath(parsed, "record");
  const replay = optionalPath(parsed, "replay");
  if (record !== undefined && replay !== undefined)
    throw new UsageError("--record and --replay do not go together.");
  checkDistinct({
    input: input === "-" ? undefined : resolve(input),
    output: outputPath,
    record,
    replay,
  });
  return {
    input: input === "-" ? { kind: "stdin" } : { kind: "file", path: resolve(input) },
    outputPath,
    events: events !== undefined,
    record,
    replay,
    permissions: parsed.session.permissions,
    model: parsed.session.model,
    provider: parsed.session.provider,
    siteConfigRoot: parsed.session.siteConfigRoot,
  };
}
