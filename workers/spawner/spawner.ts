import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandCause, CommandEnd, CommandExit } from "./command-end.ts";
import { inheritableDescriptors, OutputReader, PipeSource } from "./output-pipe.ts";
import type { OutputSink } from "./output-pipe.ts";
import {
  type PinnedProcess,
  type ProcessEntry,
  startTicksOf,
} from "../../orchestrator/record/process-identity.ts";
import { ProcessScan, SharedScans, sharedScanMs } from "./process-scan.ts";
import { cookieVariable, endTree, findTree, groupExists, signalProcess } from "./process-tree.ts";
import type { TreeEnd, TreeMark } from "./process-tree.ts";
import { SpawnLedger } from "./spawn-ledger.ts";
import { SpawnerError } from "./spawner-error.ts";

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

export interface SpawnerOptions {
  /** Directory of the ledger; mode 0700. */
  readonly ledgerDirectory: string;
  /** Most commands alive at one time. Default 128. */
  readonly liveLimit?: number;
}

/** Time background processes get to end by themselves once the started process has exited. */
const settleMs = 100;
/** Time between TERM and KILL for background processes. */
const survivorGraceMs = 300;
/** What a cancelled command gets between TERM and KILL: whoever cancels waits for it, a tree of many within two seconds. */
const cancelGraceMs = 1_000;
/** Longest wait for the end of output once every process that could be ended is gone. */
const drainMs = 1000;
/** Longest timer Node can hold; about 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The one place that starts processes, for the life of the host. It must live in the host's main thread: a process
 * started with a parent-death signal dies with the *thread* that started it.
 */
export class Spawner {
  readonly #ledger: SpawnLedger;
  readonly #pipes: PipeSource;
  readonly #liveLimit: number;
  readonly #leaked: readonly number[] = inheritableDescriptors();
  readonly #live = new Set<LiveCommand>();
  readonly #sweeps = new Set<Promise<unknown>>();
  readonly #scans = new SharedScans();
  #closed = false;
  readonly #onExit = (): void => {
    const scan = new ProcessScan();
    for (const command of this.#live) command.killNow(scan);
  };

  /** Throws {@link SpawnerError} `spawner-setup` when the ledger cannot be written. */
  constructor(options: SpawnerOptions) {
    try {
      this.#ledger = SpawnLedger.open(options.ledgerDirectory);
    } catch (error) {
      throw new SpawnerError(
        "spawner-setup",
        `Cannot record processes in ${options.ledgerDirectory}: ${String(error)}`,
        { cause: error },
      );
    }
    this.#pipes = new PipeSource([this.#ledger.directory, tmpdir()]);
    this.#liveLimit = options.liveLimit ?? 128;
    process.on("exit", this.#onExit);
  }

  /** Number of commands that have not ended. */
  get liveCount(): number {
    return this.#live.size;
  }

  /** Starts a command. Throws {@link SpawnerError} when closed or busy; a failure to start is a {@link CommandEnd}. */
  start(request: CommandRequest): RunningCommand {
    if (this.#closed)
      throw new SpawnerError("spawner-closed", "No command can start: the host is shutting down.");
    if (this.#live.size >= this.#liveLimit) {
      throw new SpawnerError(
        "spawner-busy",
        `No command can start: ${this.#live.size} are running and the limit is ${this.#liveLimit}.`,
      );
    }
    const refused = refusal(request);
    if (refused !== undefined) return { pid: undefined, ended: Promise.resolve(notStarted(refused)) };
    const command = new LiveCommand(request, {
      ledger: this.#ledger,
      pipes: this.#pipes,
      leaked: this.#leaked,
      sweeps: this.#sweeps,
      scans: this.#scans,
    });
    this.#live.add(command);
    const ended = command.ended.finally(() => this.#live.delete(command));
    return { pid: command.pid, ended };
  }

  /** Starts a command and waits for its end. */
  async run(request: CommandRequest): Promise<CommandEnd> {
    return await this.start(request).ended;
  }

  /** Ends every live command and waits until all of them are gone. Idempotent. */
  async close(graceMs = 1000): Promise<void> {
    this.#closed = true;
    const waiting = [...this.#live].map((command) => {
      command.cancel(graceMs);
      return command.ended;
    });
    await Promise.all(waiting);
    await Promise.all(this.#sweeps);
    process.off("exit", this.#onExit);
    this.#pipes.close();
    this.#ledger.close();
  }
}

/** Why a request cannot be started at all, found before anything is opened. */
function refusal(request: CommandRequest): CommandExit | undefined {
  if (request.signal?.aborted === true) {
    return {
      kind: "not-started",
      code: "cancelled",
      message: "The command was cancelled before it started.",
    };
  }
  if (request.argv.some((part) => part.includes("\0"))) {
    return { kind: "not-started", code: "EINVAL", message: "The command holds a NUL character." };
  }
  try {
    if (statSync(request.directory).isDirectory()) return undefined;
    return { kind: "not-started", code: "ENOTDIR", message: `Not a directory: ${request.directory}` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "EIO";
    return { kind: "not-started", code, message: `Cannot use the directory ${request.directory} (${code}).` };
  }
}

function notStarted(exit: CommandExit): CommandEnd {
  const cancelled = exit.kind === "not-started" && exit.code === "cancelled";
  return {
    exit,
    cause: cancelled ? "cancelled" : "exit",
    durationMs: 0,
    survivorsEnded: 0,
    survivorsLeft: 0,
    outputComplete: true,
  };
}

/** What the commands of one spawner have in common. */
interface CommandParts {
  readonly ledger: SpawnLedger;
  readonly pipes: PipeSource;
  readonly leaked: readonly number[];
  /** Looks for survivors that nobody waits for. */
  readonly sweeps: Set<Promise<unknown>>;
  readonly scans: SharedScans;
}

/** One command from its start to the end of its last process. */
class LiveCommand {
  readonly pid: number | undefined;
  readonly ended: Promise<CommandEnd>;
  readonly #request: CommandRequest;
  readonly #startedAt = performance.now();
  readonly #readers: readonly OutputReader[];
  readonly #mark: TreeMark | undefined;
  readonly #sweeps: Set<Promise<unknown>>;
  readonly #scans: SharedScans;
  /** When it was started, or its leader's exit was told: a look at the processes must not be older. */
  #changedAt = 0;
  #cause: CommandCause = "exit";
  /** Settles when the processes have been asked to end and are gone. */
  #ending: Promise<unknown> | undefined;

  constructor(request: CommandRequest, { ledger, pipes, leaked, sweeps, scans }: CommandParts) {
    this.#request = request;
    this.#sweeps = sweeps;
    this.#scans = scans;
    const cookie = `${ledger.hostCookie}.${randomBytes(6).toString("hex")}`;
    const { child, readers } = launch(request, cookie, pipes, leaked);
    this.#changedAt = performance.now();
    this.#readers = readers;
    const exited = child instanceof Error ? Promise.resolve(startFailure(child)) : exitOf(child);
    if (child instanceof Error || child.pid === undefined) {
      this.pid = undefined;
      this.ended = this.#endUnstarted(exited);
      return;
    }
    this.pid = child.pid;
    const leader: PinnedProcess = { pid: child.pid, startTicks: startTicksOf(child.pid) };
    this.#mark = { leader, cookie };
    ledger.record(leader);
    this.ended = this.#live(exited).finally(() => {
      ledger.forget(leader);
    });
  }

  /** Asks the whole tree to end; the first cause stands. */
  cancel(graceMs?: number): void {
    this.#stop("cancelled", graceMs);
  }

  /** Last resort while the host's process is exiting: nothing can be waited for any more. */
  killNow(scan: ProcessScan): void {
    if (this.#mark === undefined) return;
    for (const entry of findTree(this.#mark, scan)) signalProcess(entry, "SIGKILL");
  }

  #find(mark: TreeMark): readonly ProcessEntry[] {
    return findTree(mark, this.#scans.since(this.#changedAt));
  }

  async #endUnstarted(exited: Promise<CommandExit>): Promise<CommandEnd> {
    const exit = await exited;
    for (const reader of this.#readers) reader.stop();
    return notStarted(exit);
  }

  #stop(cause: CommandCause, graceMs = this.#request.graceMs ?? 2000): void {
    const mark = this.#mark;
    if (this.#ending !== undefined || mark === undefined) return;
    this.#cause = cause;
    const wrapper = this.#request.contained === true ? "bwrap" : undefined;
    this.#ending = endTree(() => this.#find(mark), { graceMs, ask: (entry) => entry.name !== wrapper });
  }

  async #live(exited: Promise<CommandExit>): Promise<CommandEnd> {
    const { timeoutMs, signal } = this.#request;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => {
              this.#stop("timeout");
            },
            Math.min(timeoutMs, longestTimerMs),
          );
    const onAbort = (): void => {
      this.#stop("cancelled", this.#request.graceMs ?? cancelGraceMs);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const exit = await exited;
    this.#changedAt = performance.now();
    const durationMs = this.#changedAt - this.#startedAt;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await this.#ending;
    const survivors = await this.#endSurvivors();
    const outputComplete = await this.#drain();
    return {
      exit,
      cause: this.#cause,
      durationMs,
      survivorsEnded: survivors.ended,
      survivorsLeft: survivors.left,
      outputComplete,
    };
  }

  /** Ends what the exited process left behind, by the rule stated at {@link RunningCommand.ended}. */
  async #endSurvivors(): Promise<{ readonly ended: number; readonly left: number }> {
    const mark = this.#mark;
    if (mark === undefined || this.#request.contained === true) return { ended: 0, left: 0 };
    if (await this.#settles(mark)) {
      // Nothing holds the output and the group is empty: what is left can only be a daemon that cut all ties. It is
      // looked for without keeping the caller waiting.
      const sweep = this.#sweep(mark);
      this.#sweeps.add(sweep);
      void sweep.finally(() => this.#sweeps.delete(sweep));
      return { ended: 0, left: 0 };
    }
    const end = await endTree(() => this.#find(mark), { graceMs: survivorGraceMs });
    return { ended: end.found - end.left, left: end.left };
  }

  async #sweep(mark: TreeMark): Promise<TreeEnd> {
    // Commands that end in the same moment share one look at the processes.
    await delay(sharedScanMs);
    return await endTree(() => this.#find(mark), { graceMs: survivorGraceMs });
  }

  /** Whether output and group come to their end by themselves within the settling time. */
  async #settles(mark: TreeMark): Promise<boolean> {
    const endsAt = performance.now() + settleMs;
    const ended = Promise.all(this.#readers.map((reader) => reader.ended)).then(() => true);
    if (!(await Promise.race([ended, after(settleMs).then(() => false)]))) return false;
    // A member that has closed its output may need another moment to be gone.
    for (let pauseMs = 1; groupExists(mark.leader.pid) && this.#find(mark).length > 0; pauseMs *= 2) {
      if (performance.now() >= endsAt) return false;
      await after(pauseMs);
    }
    return true;
  }

  async #drain(): Promise<boolean> {
    const settled = Promise.all(this.#readers.map((reader) => reader.ended));
    await Promise.race([settled, after(drainMs)]);
    const complete = this.#readers.every((reader) => reader.complete);
    for (const reader of this.#readers) reader.stop();
    await settled;
    return complete;
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function launch(
  request: CommandRequest,
  cookie: string,
  pipes: PipeSource,
  leaked: readonly number[],
): { readonly child: ChildProcess | Error; readonly readers: readonly OutputReader[] } {
  const opened = Object.entries(request.opened ?? {}).map(
    ([descriptor, { path, mode }]) => [Number(descriptor), openSync(path, mode)] as const,
  );
  const output = pipes.open();
  const errors = request.stderr === undefined ? undefined : pipes.open();
  const readers = [new OutputReader(output.reader, request.stdout)];
  if (request.stderr !== undefined && errors !== undefined) {
    readers.push(new OutputReader(errors.reader, request.stderr));
  }
  const nothing = openSync("/dev/null", "r");
  const stdio: (number | "ignore")[] = [nothing, output.writeEnd, errors?.writeEnd ?? output.writeEnd];
  // A descriptor the host inherited by accident is replaced, so that no command can write to a stranger's pipe.
  for (const descriptor of leaked) stdio[descriptor] = nothing;
  for (const [descriptor, file] of opened) stdio[descriptor] = file;
  const [program, ...parameters] = request.argv;
  try {
    const child = spawn(program, parameters, {
      cwd: request.directory,
      env: { ...request.environment, [cookieVariable]: cookie },
      stdio: Array.from(stdio, (entry) => entry ?? "ignore"),
      detached: true,
    });
    return { child, readers };
  } catch (error) {
    // Some failures to start (too long an argument, no memory) are thrown, others are emitted; all are one to callers.
    return { child: error instanceof Error ? error : new Error(String(error)), readers };
  } finally {
    for (const descriptor of [
      nothing,
      output.writeEnd,
      errors?.writeEnd,
      ...opened.map(([, file]) => file),
    ]) {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
}

function startFailure(error: NodeJS.ErrnoException): CommandExit {
  return { kind: "not-started", code: error.code ?? "EIO", message: error.message };
}

function exitOf(child: ChildProcess): Promise<CommandExit> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      // Also emitted when a signal could not be sent to a process that runs; then "exit" still follows.
      if (child.pid !== undefined) return;
      resolve(startFailure(error));
    });
    child.once("exit", (code, signal) => {
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal });
    });
  });
}
