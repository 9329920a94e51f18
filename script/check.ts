/**
 * `script/check [--list] [--suite NAME]… [--test NAME]… [--jobs N] [--timeout SECONDS]`: static checks, then the tests.
 *
 * A suite is a test file, named by its path below `test/` without the ending (`architecture/arrows`); a test is one case by its full
 * name (`the arrows between rooms > no import cycle exists`) or its last part. Names are exact but for case; an unknown name fails.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const failuresFile = join(tmpdir(), `autolith-check-failures-${process.pid}.json`);
const usage = `Usage: script/check [--list] [--suite NAME]... [--test NAME]... [--jobs N] [--timeout SECONDS]
  --list      name every suite and case, run nothing
  --suite     run only this suite; may be repeated
  --test      run only this case; may be repeated
  --jobs      test processes at once (default: one for each processor)
  --timeout   seconds that one suite may take (default 600)
Without selectors the static checks run first: format, lint, types, unused code. A case that then fails among the others runs once more,
alone: what passes there is named as unsteady at the end and does not fail the check; what fails again does.`;

/** So many failures are a broken tree and not the luck of a busy machine: they are not tried again. */
const mostTriedAgain = 8;

type Case = { readonly suite: string; readonly name: string; readonly file: string };

function fail(message: string): never {
  console.error(`check: ${message}`);
  process.exit(64);
}

function positiveInteger(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    fail(`${option} takes a whole number from 1, not ${JSON.stringify(text)}.`);
  return value;
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        list: { type: "boolean", default: false },
        suite: { type: "string", multiple: true, default: [] },
        test: { type: "string", multiple: true, default: [] },
        jobs: { type: "string" },
        timeout: { type: "string", default: "600" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

/**
 * The cases of the files whose paths contain one of `paths`, of all files where there are none. The files are loaded and not only parsed: cases
 * that a shared description makes (test/support) are not in the text of their file.
 */
function listCases(paths: readonly string[]): readonly Case[] {
  const listed = spawnSync("vitest", ["list", "--json", "--no-static-parse", ...paths], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (listed.status !== 0) fail(`the tests cannot be listed:\n${listed.stderr}${listed.stdout}`);
  const entries = JSON.parse(listed.stdout.slice(listed.stdout.indexOf("["))) as {
    name: string;
    file: string;
  }[];
  return entries.map(({ name, file }) => ({ name, file, suite: suiteOf(file) }));
}

function suiteOf(file: string): string {
  return relative(resolve(root, "test"), file).replace(/\.test\.tsx?$/, "");
}

const sameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(" > ") + (name.includes(" > ") ? 3 : 0));
}

/** The cases that the selectors name; every selector must name at least one. */
function selected(
  cases: readonly Case[],
  suites: readonly string[],
  tests: readonly string[],
): readonly Case[] {
  const ofSuites = suites.flatMap((name) => {
    const found = cases.filter(({ suite }) => sameName(suite, name));
    return found.length > 0 ? found : fail(`there is no suite ${JSON.stringify(name)}; --list names them.`);
  });
  const ofTests = tests.flatMap((name) => {
    const found = cases.filter((entry) => sameName(entry.name, name) || sameName(lastPart(entry.name), name));
    return found.length > 0 ? found : fail(`there is no test ${JSON.stringify(name)}; --list names them.`);
  });
  return [...ofSuites, ...ofTests];
}

function runStatic(): void {
  const steps: readonly (readonly [string, string, readonly string[]])[] = [
    ["format", "oxfmt", ["--check", "."]],
    ["lint", "oxlint", ["--type-aware", "--quiet", "."]],
    ["types", "tsc", ["--noEmit"]],
    ["unused code", "knip", []],
  ];
  for (const [name, command, args] of steps) {
    const startedAt = Date.now();
    const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
    if (result.status !== 0) {
      console.log(result.stdout + result.stderr);
      console.log(`check: ${name} failed`);
      process.exit(1);
    }
    console.log(`check: ${name} passed (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A pattern that matches the full names of the cases; vitest joins the parts of a name by a blank or by " > ". */
function namePattern(cases: readonly Case[]): string {
  const names = cases.map(({ name }) => name.split(" > ").map(escapePattern).join("(?: > | )"));
  return `(?:${[...new Set(names)].join("|")})$`;
}

/** Runs vitest with our reporter and resolves to its exit status. */
function runTests(
  cases: readonly Case[] | undefined,
  byName: boolean,
  jobs: number | undefined,
  timeoutSeconds: number,
): Promise<number> {
  const args = ["run", "--reporter=./script/check-reporter.ts"];
  if (jobs !== undefined) args.push(`--maxWorkers=${jobs}`);
  if (cases !== undefined) args.push(...new Set(cases.map(({ file }) => relative(root, file))));
  if (cases !== undefined && byName) args.push("-t", namePattern(cases));
  const child = spawn("vitest", args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      AUTOLITH_CHECK_TIMEOUT_SECONDS: String(timeoutSeconds),
      AUTOLITH_CHECK_FAILURES: failuresFile,
    },
  });
  return new Promise((settle) => child.once("exit", (code) => settle(code ?? 1)));
}

type Failures = {
  readonly cases: readonly { readonly file: string; readonly name: string }[];
  readonly files: readonly string[];
  readonly unhandled: number;
};

/** What failed in the last run; undefined where the run ended before it could say. */
function lastFailures(): Failures | undefined {
  return existsSync(failuresFile) ? (JSON.parse(readFileSync(failuresFile, "utf8")) as Failures) : undefined;
}

/** Runs what failed once more with nothing beside it, and answers with the status of the whole check. */
async function tryAgain(failures: Failures | undefined): Promise<number> {
  if (failures === undefined || failures.unhandled > 0 || failures.files.length > 0) return 1;
  if (failures.cases.length === 0 || failures.cases.length > mostTriedAgain) return 1;
  console.log(`\ncheck: ${failures.cases.length} failed among the others; once more, alone.`);
  rmSync(failuresFile, { force: true });
  const cases = failures.cases.map(({ file, name }) => ({
    file: resolve(root, file),
    name,
    suite: suiteOf(file),
  }));
  const status = await runTests(cases, true, 1, timeoutSeconds);
  if (status !== 0) return status;
  console.log("\ncheck: unsteady, failed among the others and passed alone; each is a fault to find:");
  for (const { file, name } of failures.cases) console.log(`  ${file}: ${name}`);
  return 0;
}

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}
const jobs = options.jobs === undefined ? undefined : positiveInteger(options.jobs, "--jobs");
const timeoutSeconds = positiveInteger(options.timeout, "--timeout");
if (options.list) {
  for (const { suite, name } of listCases([])) console.log(`${suite}: ${name}`);
  process.exit(0);
}
const selective = options.suite.length > 0 || options.test.length > 0;
if (!selective) runStatic();
const cases = selective
  ? selected(listCases(options.test.length > 0 ? [] : options.suite), options.suite, options.test)
  : undefined;
const status = await runTests(cases, options.test.length > 0, jobs, timeoutSeconds);
process.exitCode = status === 0 || selective ? status : await tryAgain(lastFailures());
rmSync(failuresFile, { force: true });
