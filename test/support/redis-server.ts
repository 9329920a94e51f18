import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { RedisEndpoint } from "../../redis/endpoint.ts";

/** A redis-server of one test, on a Unix socket in a directory of its own, which the test may kill, stop and start. */
export class TestRedis {
  readonly directory: string;
  readonly endpoint: RedisEndpoint;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(directory: string, settings: readonly string[]) {
    this.directory = directory;
    this.#settings = settings;
    this.endpoint = { kind: "unix", path: join(directory, "s"), database: 0 };
  }

  /** Starts a server that ends with the test. `settings` are further arguments, such as `--maxmemory`, `20mb`. */
  static async start(...settings: string[]): Promise<TestRedis> {
    const server = new TestRedis(await mkdtemp(join(tmpdir(), "alr-")), settings);
    onTestFinished(async () => {
      await server.kill();
      await rm(server.directory, { recursive: true, force: true });
    });
    await server.start();
    return server;
  }

  get processId(): number {
    return this.#process?.pid ?? 0;
  }

  /** Starts it (again) with the data it had; resolves when it accepts connections. */
  async start(): Promise<void> {
    const socket = join(this.directory, "s");
    const base = ["--port", "0", "--unixsocket", socket, "--dir", this.directory, "--save", ""];
    const lasting = ["--appendonly", "yes", "--appendfsync", "everysec"];
    this.#process = spawn("redis-server", [...base, ...lasting, ...this.#settings], { stdio: "ignore" });
    while (!(await accepts(socket))) await delay(2);
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /** Makes it hang with its connections open, or go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process?.kill(signal);
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
