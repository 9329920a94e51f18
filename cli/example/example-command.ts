/** `autolith example NAME [DIRECTORY]`: copies a bundled example into a directory of its own and runs its job there. */
// First: it decides how the schemas of everything below are checked.
import "../schema-checks.ts";
import { cpSync, existsSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createDirectory } from "../../orchestrator/record/roots.ts";
import { UsageError, checkPositionals, parseArguments } from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { installationRoot } from "../installation.ts";
import { runJobCommand } from "../run-job/run-job-command.ts";
import { sandboxProblem } from "../sandbox-availability.ts";

const usage = `Usage: autolith example NAME [DIRECTORY]
Copies the example into DIRECTORY (which must be empty or absent; a fresh temporary directory by default), prints the command it
runs, and runs it there. Events go to standard output, everything else to standard error.
`;

/** Runs the command and resolves to the exit status of the example's job. */
export async function exampleCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, {});
  if (parsed.help) {
    process.stdout.write(`${usage}Examples: ${exampleNames().join(", ")}\n`);
    return exitStatus.ok;
  }
  checkPositionals(parsed, 2, "autolith example NAME [DIRECTORY]");
  const [name, directory] = parsed.positionals;
  const source = exampleSource(name);
  const target = await prepareTarget(name ?? "", directory);
  cpSync(source, target, { recursive: true });
  const permissions = parsed.session.permissions ?? (await permissionsHere());
  const jobArguments = [
    ...["--input", "job.sexp", "--output", "result.sexp", "--events", "sexp", "--replay", "cassette.jsonl"],
    ...(permissions === undefined ? [] : ["--permissions", permissions]),
  ];
  process.stderr.write(`directory: ${target}\nrunning:   autolith run-job ${jobArguments.join(" ")}\n`);
  process.chdir(target);
  const status = await runJobCommand(jobArguments);
  process.stderr.write(`exit status ${status}; the result is in ${join(target, "result.sexp")}\n`);
  return status;
}

function examplesDirectory(): string {
  return join(installationRoot(), "examples");
}

function exampleNames(): readonly string[] {
  return readdirSync(examplesDirectory(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(examplesDirectory(), entry.name, "job.sexp")))
    .map((entry) => entry.name)
    .sort();
}

function exampleSource(name: string | undefined): string {
  const names = exampleNames();
  if (name === undefined || !names.includes(name))
    throw new UsageError(
      `${name === undefined ? "Name an example" : `There is no example ${JSON.stringify(name)}`}. Examples: ${names.join(", ")}.`,
    );
  return join(examplesDirectory(), name);
}

async function prepareTarget(name: string, directory: string | undefined): Promise<string> {
  if (directory === undefined) return realpathSync(mkdtempSync(join(tmpdir(), `autolith-${name}-`)));
  const target = resolve(directory);
  await createDirectory(target);
  if (readdirSync(target).length > 0)
    throw new UsageError(`${target} is not empty. Name an empty directory or one that does not exist.`);
  return realpathSync(target);
}

/** The example's commands run sandboxed; where that is impossible they run with full permissions, and that is said. */
async function permissionsHere(): Promise<"full" | undefined> {
  const problem = await sandboxProblem();
  if (problem === undefined) return undefined;
  process.stderr.write(
    `No sandbox is possible here (${problem}), so the example's commands run with --permissions full.\n`,
  );
  return "full";
}
