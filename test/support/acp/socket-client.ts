/** A client of the local endpoint by bytes, which reads or does not read as it is told. */
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import type { Answer } from "./raw-lines.ts";

export type SocketClient = {
  readonly socket: Socket;
  request(id: unknown, method: string, params?: unknown): void;
  /** Resolves with the first line that the check accepts, beginning with the first that was not taken yet. Lines are not kept. */
  next(check: (line: Answer) => boolean): Promise<Answer>;
};

/** Connects, authenticates and initializes. */
export async function socketClient(endpoint: { socket: string; token: string }): Promise<SocketClient> {
  const socket = connect(endpoint.socket);
  await once(socket, "connect");
  const lines = linesOf(socket);
  const client: SocketClient = {
    socket,
    request: (id, method, params) =>
      void socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    next: async (check) => {
      for (;;) {
        const { done, value } = await lines.next();
        if (done === true) throw new Error("the connection ended before");
        const line = JSON.parse(value) as Answer;
        if (check(line)) return line;
      }
    },
  };
  client.request("a", "_autolith/authenticate", { token: endpoint.token, client: "raw" });
  client.request("i", "initialize", { protocolVersion: 1 });
  await client.next(({ id }) => id === "i");
  return client;
}

/** Reads only when asked. */
async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let rest = "";
  socket.setEncoding("utf8");
  for await (const text of socket) {
    const parts = (rest + String(text)).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
