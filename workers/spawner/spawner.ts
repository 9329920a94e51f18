import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { type CommandEnd, type CommandExit, notStarted } from "./command-end.ts";
import type { CommandRequest, RunningCommand } from "./command-request.ts";
import { LiveCommand } from "./live-command.ts";
import { PipeSource, inheritableDescriptors } from "./output-pipe.ts";
import { ProcessScan, SharedScans } from "./process-scan.ts";
import { SpawnLedger } from "./spawn-ledger.ts";
import { SpawnerError } from "./spawner-error.ts";

export interface SpawnerOptions {
  /** Directory of the ledger; mode 0700. */
  readonly ledgerDirectory: string;
  /** Most commands alive at one time. Default 128. */
  readonly liveLimit?: number;
}

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
