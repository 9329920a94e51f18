import { type Server, type Socket, connect, createServer } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** A Unix socket in front of a Redis that delays what passes, or loses a reply together with its connection. */
export class RedisProxy {
  readonly path: string;
  readonly #target: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Added to the way to the server and back, in milliseconds each. */
  delayMs = 0;
  /** Given the text of a request: true loses its reply, once. */
  loseReplyTo: ((request: string) => boolean) | undefined;

  private constructor(path: string, target: string) {
    this.path = path;
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  /** Opens one for the socket at `target`; it ends with the test. */
  static async open(target: string): Promise<RedisProxy> {
    const directory = await mkdtemp(join(tmpdir(), "alp-"));
    const proxy = new RedisProxy(join(directory, "s"), target);
    onTestFinished(async () => {
      for (const socket of proxy.#sockets) socket.destroy();
      await new Promise<void>((resolve) => void proxy.#server.close(() => resolve()));
      await rm(directory, { recursive: true, force: true });
    });
    await new Promise<void>((resolve) => void proxy.#server.listen(proxy.path, resolve));
    return proxy;
  }

  #accept(client: Socket): void {
    const upstream = connect(this.#target);
    let losing = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on("data", (data) => {
      if (this.loseReplyTo?.(data.toString("latin1")) === true) {
        this.loseReplyTo = undefined;
        losing = true;
      }
      void this.#pass(data, upstream);
    });
    upstream.on("data", (data) => {
      if (losing) end();
      else void this.#pass(data, client);
    });
  }

  async #pass(data: Buffer | string, to: Socket): Promise<void> {
    // Equal delays keep the order.
    if (this.delayMs > 0) await delay(this.delayMs);
    to.write(data);
  }
}
