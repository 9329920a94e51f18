/** `autolith acp --http` and `--websocket`: one port for Streamable HTTP over HTTP/1.1 and cleartext HTTP/2, and for WebSocket. */
import { once } from "node:events";
import { STATUS_CODES, type Server as HttpServer, createServer as createHttpServer } from "node:http";
import { type Http2Server, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import type { Duplex } from "node:stream";
import type { Stream } from "@agentclientprotocol/sdk";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { failureOf } from "../../../orchestrator/contract/failure.ts";
import { AcpConnection } from "../acp-connection.ts";
import type { AcpHost } from "../acp-host.ts";
import { frameStream } from "../wire/frame-stream.ts";
import { idLimit } from "../wire/message-limits.ts";
import { accessRefusal } from "./access.ts";
import { HttpClients } from "./http-clients.ts";
import { type HttpRequest, type HttpResponse, bridgeRequest, openingOrder, sendJson } from "./http-bridge.ts";
import type { ListenAddress } from "./listen-address.ts";
import {
  http2StreamLimit,
  httpBufferLimit,
  httpStallMs,
  httpUnopenedStreamLimit,
  networkConnectionLimit,
} from "./network-limits.ts";
import { acceptWebSocket, handshakeProblem } from "./websocket-channel.ts";

/** Time that a connection gets to say which protocol it speaks, in milliseconds. */
const firstBytesMs = 30_000;

/** The beginning of every cleartext HTTP/2 connection. */
const http2Preface = "PRI * HTTP/2.0";

export type NetworkServerOptions = {
  readonly host: AcpHost;
  readonly address: ListenAddress;
  /** WebSocket alone, or Streamable HTTP beside it. */
  readonly kind: "http" | "websocket";
  readonly token: string | undefined;
  /** Time without an open request after which an HTTP client is gone, in milliseconds. */
  readonly goneMs?: number;
};

const connectionOptions = { reach: "own", name: "acp" } as const;

export class NetworkServer {
  readonly #options: NetworkServerOptions;
  readonly #server: Server;
  readonly #acp: AcpServer;
  readonly #http: HttpServer;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<AcpConnection>();
  readonly #clients: HttpClients;

  private constructor(options: NetworkServerOptions) {
    this.#options = options;
    this.#acp = new AcpServer({
      agent: { connect: (stream) => this.#open(openingOrder.getStore()?.ordered(stream) ?? stream) },
      maxBufferedBytes: httpBufferLimit,
      maxOutputStallMs: httpStallMs,
      maxBufferedSessionStreams: httpUnopenedStreamLimit,
      maxIdLength: idLimit,
    });
    this.#clients = new HttpClients(this.#acp, options.goneMs);
    this.#http = createHttpServer((request, response) => this.#request(request, response));
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    const settings = { settings: { maxConcurrentStreams: http2StreamLimit } };
    this.#http2 = createHttp2Server(settings, (request, response) => this.#request(request, response));
    this.#http2.on("sessionError", (error) => options.host.report(`acp: http2: ${failureOf(error).message}`));
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = networkConnectionLimit;
  }

  /** Listens. Rejects with the system's failure, such as `EADDRINUSE`. */
  static async open(options: NetworkServerOptions): Promise<NetworkServer> {
    const server = new NetworkServer(options);
    const { host, port } = options.address;
    server.#server.listen(port, host);
    await once(server.#server, "listening");
    return server;
  }

  /** Where it listens; the port is the real one. */
  get address(): ListenAddress {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  /** Ends every connection and gives back every client's sessions. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#clients.clear();
    const connections = [...this.#connections];
    for (const connection of connections) connection.close();
    await Promise.all(connections.map((connection) => connection.closed));
    await this.#acp.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Gives a connection to the server of the protocol that it begins with. */
  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    // A client that vanished without a word is found out.
    socket.setKeepAlive(true, 60_000);
    socket.setTimeout(firstBytesMs, () => socket.destroy());
    let first = Buffer.alloc(0);
    const look = (part: Buffer): void => {
      first = Buffer.concat([first, part]);
      const beginning = first.subarray(0, http2Preface.length).toString("latin1");
      const isHttp2 = http2Preface.startsWith(beginning);
      if (isHttp2 && beginning.length < http2Preface.length) return;
      socket.off("data", look).setTimeout(0);
      socket.pause();
      socket.unshift(first);
      // The HTTP/2 server takes the socket over, with what was read of it; the other one reads on.
      (isHttp2 ? this.#http2 : this.#http).emit("connection", socket);
      if (!isHttp2) socket.resume();
    };
    socket.on("data", look);
  }

  #request(request: HttpRequest, response: HttpResponse): void {
    const { host, token, kind } = this.#options;
    const refusal = accessRefusal({ url: request.url ?? "/", headers: request.headers }, token);
    if (refusal !== undefined || kind === "websocket") {
      if (refusal?.status === 401) response.setHeader("www-authenticate", "Bearer");
      const only = { status: 426, message: "This endpoint serves WebSocket only." };
      const { status, message } = refusal ?? only;
      sendJson(response, status, { error: message });
      // What is left of the body is of no interest.
      request.resume();
      return;
    }
    const report = (error: unknown): void => host.report(`acp: http: ${failureOf(error).message}`);
    void bridgeRequest({ server: this.#acp, clients: this.#clients, report }, request, response);
  }

  #upgrade(request: Parameters<typeof acceptWebSocket>[0], socket: Duplex, head: Uint8Array): void {
    const { token } = this.#options;
    socket.on("error", () => undefined);
    const refusal = accessRefusal({ url: request.url ?? "/", headers: request.headers }, token);
    const problem = handshakeProblem(request);
    if (refusal !== undefined || problem !== undefined) {
      refuseUpgrade(socket, refusal ?? { status: 400, message: problem ?? "" });
      return;
    }
    const channel = acceptWebSocket(request, socket, head);
    const connection = this.#open(frameStream(channel));
    socket.once("close", () => connection.close());
    void connection.closed.then(() => channel.close());
  }

  #open(stream: Stream): AcpConnection {
    const connection = new AcpConnection(this.#options.host, stream, connectionOptions);
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    return connection;
  }
}

function refuseUpgrade(
  socket: Duplex,
  { status, message }: { readonly status: number; readonly message: string },
): void {
  const body = JSON.stringify({ error: message });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(status === 401 ? ["WWW-Authenticate: Bearer"] : []),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
