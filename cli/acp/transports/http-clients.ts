/** The clients of Streamable HTTP. They have no connection that would end: one that has no request open for a while is taken to be gone. */
import type { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import type { ReplayOrder } from "./replay-order.ts";
import { httpClientLimit, httpGoneMs } from "./network-limits.ts";

/** The header that names a client. */
export const connectionHeader = "acp-connection-id";

type Client = { open: number; timer: NodeJS.Timeout | undefined; readonly order: ReplayOrder };

export class HttpClients {
  readonly #server: Pick<AcpServer, "handleRequest">;
  readonly #goneMs: number;
  readonly #clients = new Map<string, Client>();

  /** `goneMs`: time without an open request after which a client is gone, in milliseconds. */
  constructor(server: Pick<AcpServer, "handleRequest">, goneMs = httpGoneMs) {
    this.#server = server;
    this.#goneMs = goneMs;
  }

  /** True when no further client is taken. */
  get full(): boolean {
    return this.#clients.size >= httpClientLimit;
  }

  /** A client came: `id` is what the server named it, `order` that of its connection. */
  add(id: string, order: ReplayOrder): void {
    this.#clients.set(id, { open: 0, timer: undefined, order });
    this.#watch(id);
  }

  /** The order of a client's connection. */
  orderOf(id: string): ReplayOrder | undefined {
    return this.#clients.get(id)?.order;
  }

  /** A request of the client began; call what is answered at its end. */
  began(id: string): () => void {
    const client = this.#clients.get(id);
    if (client === undefined) return () => undefined;
    client.open += 1;
    clearTimeout(client.timer);
    return () => {
      client.open -= 1;
      this.#watch(id);
    };
  }

  /** The client said goodbye. */
  remove(id: string): void {
    clearTimeout(this.#clients.get(id)?.timer);
    this.#clients.delete(id);
  }

  /** Forgets all of them. */
  clear(): void {
    for (const id of [...this.#clients.keys()]) this.remove(id);
  }

  #watch(id: string): void {
    const client = this.#clients.get(id);
    if (client === undefined || client.open > 0) return;
    clearTimeout(client.timer);
    client.timer = setTimeout(() => {
      this.remove(id);
      const goodbye = new Request("http://endpoint/", {
        method: "DELETE",
        headers: { [connectionHeader]: id },
      });
      // Answered with not-found when it had ended by itself.
      void this.#server.handleRequest(goodbye);
    }, this.#goneMs).unref();
  }
}
