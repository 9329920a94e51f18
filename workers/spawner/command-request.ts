/** What a spawner is asked to run, and what it hands back at once. */
import type { CommandEnd } from "./command-end.ts";
import type { OutputSink } from "./output-pipe.ts";

/** A command to run: argument vector, never a string. */
export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  /** Absolute path of the working directory. */
  readonly directory: string;
  /** The whole environment; nothing is inherited (see `commandEnvironment`). */
  readonly environment: Readonly<Record<string, string>>;
  readonly stdout: OutputSink;
  /** Absent: standard error goes into the same pipe as standard output, in the order written. */
  readonly stderr?: OutputSink;
  /** Limit from the start, in ms; absent: none. */
  readonly timeoutMs?: number;
  /** Cancels: the command's tree is ended. */
  readonly signal?: AbortSignal;
  /** Time between TERM and KILL at a deadline or cancel, in ms. Default 2000, and 1000 for a cancel. */
  readonly graceMs?: number;
  /**
   * True when nothing outlives the started process (the argv sets up a PID namespace that ends with it, or is a program that leaves
   * nothing in the background): then survivors are not looked for, which means reading the whole process table.
   */
  readonly contained?: boolean;
  /** Files the command gets opened, by descriptor number (3 and up). */
  readonly opened?: Readonly<Record<number, OpenedPath>>;
}

/** A file to open for a command: for reading, or for writing from its beginning. */
export interface OpenedPath {
  readonly path: string;
  readonly mode: "r" | "w";
}

/** A command that was started (or failed to start: `ended` says so). */
export interface RunningCommand {
  /** Undefined when nothing was started. */
  readonly pid: number | undefined;
  /**
   * Resolves when the started process has exited, its survivors are ended and its output is complete. Never rejects.
   *
   * The rule for survivors: a command is over when the process that was started exits. What it left in the background
   * gets a moment to end by itself, then TERM, then KILL. Work that shall go on is run as a detached job whose process
   * stays in the foreground.
   */
  readonly ended: Promise<CommandEnd>;
}
