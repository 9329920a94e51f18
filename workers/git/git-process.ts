import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { WorktreeError } from "../../orchestrator/worktrees/worktree-error.ts";
import type { CommandEnd } from "../spawner/command-end.ts";
import { commandEnvironment } from "../spawner/command-environment.ts";
import type { Spawner } from "../spawner/spawner.ts";
import { BoundedOutput } from "./bounded-output.ts";

/** Longest run of one git command, in ms. */
export const gitCommandTimeoutMs = 120_000;
/** Longest output of a git command that prints no patch and no list of paths, in bytes. */
export const gitOutputLimitBytes = 64 * 1024;
/** Words of git kept for an error, in bytes. */
export const gitErrorLimitBytes = 4_000;

export interface GitProcessParts {
  readonly spawner: Spawner;
  /** The host's environment; git gets its allowed part. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface GitCommand {
  readonly directory: string;
  readonly parameters: readonly string[];
  /** Set over the allowed part of the environment. */
  readonly set: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Default {@link gitOutputLimitBytes}. */
  readonly outputLimitBytes?: number;
  /** What to do with output over the limit: default refuse; `cut` keeps the beginning. */
  readonly overLimit?: "refuse" | "cut";
}

export interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
  /** The output is only the beginning. */
  readonly isCut: boolean;
  /** The end of standard error, bounded. */
  readonly errors: string;
}

/** Keeps git from asking, reaching out and running what a configuration names, whatever the repository says. */
const fixedVariables: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_SSH_COMMAND: "false",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
};

/** Runs one git command and answers however it ended by itself. Throws {@link WorktreeError}, and the abort's reason. */
export async function runGit(command: GitCommand, parts: GitProcessParts): Promise<GitAnswer> {
  const { directory, parameters, signal, outputLimitBytes = gitOutputLimitBytes } = command;
  const environment = commandEnvironment(parts.environment, { set: { ...fixedVariables, ...command.set } });
  const enough = new AbortController();
  const output = new BoundedOutput(outputLimitBytes, () => enough.abort());
  const errors = new BoundedOutput(gitErrorLimitBytes);
  signal.throwIfAborted();
  const end = await parts.spawner.run({
    argv: [findGit(environment["PATH"]), "--no-pager", ...parameters],
    directory,
    environment,
    stdout: output,
    stderr: errors,
    timeoutMs: gitCommandTimeoutMs,
    signal: AbortSignal.any([signal, enough.signal]),
    // Under these settings git starts no daemon, no maintenance and nothing else that stays.
    contained: true,
  });
  signal.throwIfAborted();
  const text = errors.bytes.toString("utf8").toWellFormed().trim();
  if (output.isOver && command.overLimit !== "cut")
    throw new WorktreeError(
      "worktree-limit",
      `git ${parameters[0] ?? ""} printed more than ${outputLimitBytes} bytes, which is the limit.`,
    );
  return {
    code: output.isOver ? 0 : exitCode(end, parameters),
    output: output.bytes,
    isCut: output.isOver,
    errors: text,
  };
}

function exitCode({ exit, cause }: CommandEnd, parameters: readonly string[]): number {
  const what = `git ${parameters[0] ?? ""}`;
  if (cause === "timeout")
    throw new WorktreeError(
      "worktree-limit",
      `${what} took longer than ${gitCommandTimeoutMs / 1_000} s, which is the limit.`,
    );
  if (exit.kind === "not-started")
    throw new WorktreeError("worktree-git-failed", `${what} could not be started: ${exit.message}`);
  if (exit.kind === "signalled")
    throw new WorktreeError("worktree-git-failed", `${what} was ended by ${exit.signal}.`);
  return exit.code;
}

/** The git program in PATH. Throws {@link WorktreeError} `worktree-git-failed` when there is none. */
export function findGit(searchPath: string | undefined): string {
  for (const directory of (searchPath ?? "").split(":")) {
    if (!directory.startsWith("/")) continue;
    const program = join(directory, "git");
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // Not in this directory.
    }
  }
  throw new WorktreeError("worktree-git-failed", "There is no git program in PATH; install git.");
}
