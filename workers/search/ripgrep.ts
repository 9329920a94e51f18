import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import type { CommandEnd } from "../spawner/command-end.ts";
import type { Spawner } from "../spawner/spawner.ts";
import { LineSink } from "./line-sink.ts";

/**
 * `search-unavailable`: no ripgrep program. `search-pattern`: the pattern is not understood; the message is ripgrep's.
 * `search-failed`: it could not search; the message is ripgrep's.
 */
export class SearchError extends AutolithError {
  constructor(
    code: "search-unavailable" | "search-pattern" | "search-failed",
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
  }
}

/** The packaged program, else one in PATH. Throws {@link SearchError} `search-unavailable`. */
export async function findRipgrep(searchPath: string | undefined): Promise<string> {
  const candidates = (searchPath ?? "").split(":").filter((directory) => directory.startsWith("/"));
  const packaged = await packagedRipgrep();
  const programs = [
    ...(packaged === undefined ? [] : [packaged]),
    ...candidates.map((path) => join(path, "rg")),
  ];
  const program = programs.find(isExecutable);
  if (program !== undefined) return program;
  throw new SearchError(
    "search-unavailable",
    "Searching needs ripgrep: its package for this platform is not installed and there is no rg in PATH.",
  );
}

async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    // The package throws when it has no program for this platform; PATH is looked at next.
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface RipgrepRun {
  readonly program: string;
  readonly spawner: Spawner;
  readonly directory: string;
  readonly parameters: readonly string[];
  /** Time the search may take, in ms; what was found until then counts. */
  readonly timeBudgetMs: number;
  readonly signal: AbortSignal;
  /** Takes one line of output; `stop` ends the search early. */
  readonly onLine: (line: string, stop: () => void) => void;
}

export interface RipgrepEnd {
  /** `complete`: all was searched. `stopped`: enough was found. `time`: the budget was used up. */
  readonly ended: "complete" | "stopped" | "time";
  /** Lines of output that were too long to take. */
  readonly droppedLines: number;
}

/** Longest line of ripgrep's output that is taken. */
export const outputLineBytes = 4 * 1024 * 1024;
const errorTextLimit = 2_000;

/** What every search has: no configuration file, hidden files but not git's, no following of links, stable order. */
const commonParameters = [
  ...["--no-config", "--hidden", "--no-messages", "--no-require-git", "--sort", "path"],
  ...["--glob", "!.git", "--color", "never"],
];

/** Runs ripgrep in a directory. Throws {@link SearchError}, and the caller's abort reason. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  const enough = new AbortController();
  const sink = new LineSink((line) => {
    if (!enough.signal.aborted) {
      run.onLine(line, () => {
        enough.abort();
      });
    }
  }, outputLineBytes);
  let errors = "";
  const end = await run.spawner.run({
    argv: [run.program, ...commonParameters, ...run.parameters],
    directory: run.directory,
    environment: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
    stdout: sink,
    stderr: {
      write: (chunk) => {
        if (errors.length < errorTextLimit) errors += chunk.toString("utf8");
      },
    },
    timeoutMs: run.timeBudgetMs,
    signal: AbortSignal.any([enough.signal, run.signal]),
    graceMs: 0,
  });
  run.signal.throwIfAborted();
  sink.end();
  const { droppedLines } = sink;
  if (enough.signal.aborted) return { ended: "stopped", droppedLines };
  if (end.cause === "timeout") return { ended: "time", droppedLines };
  refuseFailure(end, errors.trim().slice(0, errorTextLimit));
  return { ended: "complete", droppedLines };
}

/** Exit 0: something found; 1: nothing; 2: a wrong pattern or a file that could not be searched. */
function refuseFailure({ exit }: CommandEnd, errors: string): void {
  if (exit.kind === "exited" && (exit.code === 0 || exit.code === 1)) return;
  // Unreadable files also give 2, without a message since messages are off: what was found stands.
  if (exit.kind === "exited" && exit.code === 2 && errors === "") return;
  if (exit.kind === "not-started")
    throw new SearchError("search-unavailable", `ripgrep did not start: ${exit.message}`);
  const isPattern = /regex parse error|error parsing glob|PCRE2|literal .* not allowed/.test(errors);
  throw new SearchError(
    isPattern ? "search-pattern" : "search-failed",
    errors === "" ? "ripgrep ended without saying why." : errors,
  );
}
