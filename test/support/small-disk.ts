import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * A small file system in a mount namespace of its own, so that nobody needs to be root and nothing is left when its holder ends.
 * Processes see it when they are started through {@link SmallDisk.through}; everybody else looks in by {@link SmallDisk.seen}.
 */
export class SmallDisk {
  readonly #holder: ChildProcess;
  readonly #mountPoint: string;

  private constructor(holder: ChildProcess, mountPoint: string) {
    this.#holder = holder;
    this.#mountPoint = mountPoint;
  }

  /** Mounts `bytes` at an existing directory. */
  static async mount(mountPoint: string, bytes: number): Promise<SmallDisk> {
    const script = `mount -t tmpfs -o size=${bytes} tmpfs "$1" && echo mounted && exec sleep 3600`;
    const holder = spawn(
      "unshare",
      ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", mountPoint],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const first = await Promise.race([once(holder.stdout, "data"), once(holder, "exit")]);
    if (!String(first[0]).includes("mounted"))
      throw new Error(`a small disk cannot be mounted at ${mountPoint}`);
    return new SmallDisk(holder, mountPoint);
  }

  /** A command that runs the one behind it in a directory, where the disk is mounted. */
  through(directory: string): readonly string[] {
    return [
      ...["nsenter", `--target=${this.#holder.pid}`, "--user", "--mount", "--preserve-credentials", "--"],
      // Entering a mount namespace leaves the working directory behind.
      ...["sh", "-c", 'cd "$0" && exec "$@"', directory],
    ];
  }

  /** Where an absolute path of theirs is for us. */
  seen(path: string): string {
    return `/proc/${this.#holder.pid}/root${path}`;
  }

  /** Takes all the room there is. */
  fill(): void {
    const ballast = openSync(this.seen(join(this.#mountPoint, "ballast")), "a");
    try {
      for (const size of [65_536, 4_096]) {
        const block = Buffer.alloc(size);
        while (writesWhole(ballast, block));
      }
    } finally {
      closeSync(ballast);
    }
  }

  /** Gives it back. */
  free(): void {
    rmSync(this.seen(join(this.#mountPoint, "ballast")), { force: true });
  }

  /** Forbids writing, or allows it again; nothing may be open for writing. */
  async remount(access: "ro" | "rw"): Promise<void> {
    const [program = "nsenter", ...rest] = this.through("/");
    await run(program, [...rest, "mount", "-o", `remount,${access}`, this.#mountPoint]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#holder, "exit");
    this.#holder.kill("SIGKILL");
    await ended;
  }
}

function writesWhole(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
