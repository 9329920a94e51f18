import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { SpawnerError } from "./spawner-error.ts";

/** Takes output in order. A promise holds back further output until it settles; it must not reject. */
export interface OutputSink {
  write(chunk: Buffer): void | Promise<void>;
}

const batchSize = 16;

/**
 * Real pipes for the output of commands. What Node itself gives a child is a socket pair, and opening `/dev/stderr` or
 * `/dev/stdout` on a socket fails, which breaks ordinary scripts (`tee /dev/stderr`). Node cannot make a pipe, so named
 * ones are made in batches and unlinked as soon as both ends are open.
 */
export class PipeSource {
  readonly #directories: readonly [string, ...string[]];
  readonly #ready: string[] = [];

  /** Directories to make pipes in, in order of preference: when one cannot be written the next is used. */
  constructor(directories: readonly [string, ...string[]]) {
    this.#directories = directories;
  }

  /** Opens one pipe. The caller closes `writeEnd` once the child has it. */
  open(): { readonly reader: Socket; readonly writeEnd: number } {
    const path = this.#ready.pop() ?? this.#makeBatch();
    try {
      const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const writeEnd = openSync(path, constants.O_WRONLY);
        return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd };
      } catch (error) {
        closeSync(readEnd);
        throw error;
      }
    } catch (error) {
      throw new SpawnerError("spawner-setup", `Cannot open the output pipe ${path}: ${String(error)}`, {
        cause: error,
      });
    } finally {
      unlinkQuietly(path);
    }
  }

  /** Removes the pipes nobody used. */
  close(): void {
    for (const path of this.#ready.splice(0)) unlinkQuietly(path);
  }

  #makeBatch(): string {
    const failures: string[] = [];
    for (const directory of this.#directories) {
      const stem = randomBytes(8).toString("hex");
      const paths = Array.from({ length: batchSize }, (_, index) => join(directory, `pipe-${stem}-${index}`));
      const made = spawnSync("mkfifo", ["-m", "600", "--", ...paths], {
        stdio: ["ignore", "ignore", "pipe"],
        encoding: "utf8",
      });
      const [first, ...others] = paths;
      if (made.status === 0 && first !== undefined) {
        this.#ready.push(...others);
        return first;
      }
      failures.push(made.error?.message ?? made.stderr.trim());
    }
    throw new SpawnerError("spawner-setup", `Cannot make output pipes: ${failures.join("; ").slice(0, 500)}`);
  }
}

/** A name that stays, on a disk that has become read-only, is of no use to anybody and goes with its directory. */
function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** Reads one pipe into a sink until its last writer is gone. */
export class OutputReader {
  /** Resolves when no writer is left and the sink has everything, or after {@link OutputReader.stop}. */
  readonly ended: Promise<void>;
  #complete = false;
  readonly #reader: Socket;

  constructor(reader: Socket, sink: OutputSink) {
    this.#reader = reader;
    let pending: Promise<void> = Promise.resolve();
    reader.on("data", (chunk: Buffer) => {
      const busy = sink.write(chunk);
      if (busy === undefined) return;
      reader.pause();
      pending = busy.then(() => {
        reader.resume();
      });
    });
    // A read error ends the pipe as its end does; "close" follows and `complete` tells them apart.
    reader.on("error", () => undefined);
    this.ended = new Promise<void>((resolve) => {
      reader.once("end", () => {
        this.#complete = true;
      });
      reader.once("close", () => {
        resolve(pending);
      });
    });
  }

  /** Whether the end of the output was seen. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Gives up on writers that hold the pipe open. */
  stop(): void {
    this.#reader.destroy();
  }
}

/**
 * Descriptors above 2 that a child would inherit from this process by accident: those that whoever started the host
 * left open without close-on-exec. Empty where there is no /proc.
 */
export function inheritableDescriptors(): readonly number[] {
  const closeOnExec = 0o2000000;
  let names: string[];
  try {
    names = readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
  return names.map(Number).filter((descriptor) => {
    if (descriptor <= 2) return false;
    try {
      const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
      const flags = /^flags:\s*([0-7]+)/m.exec(info)?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
    } catch {
      // The descriptor that listed the directory is closed by now.
      return false;
    }
  });
}
