/** Carries Streamable HTTP requests, HTTP/1.1 or HTTP/2 alike, to the protocol library's server. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { type HttpClients, connectionHeader } from "./http-clients.ts";
import { ReplayOrder } from "./replay-order.ts";
import { decodeMessage, oversizedAnswer } from "../wire/message.ts";
import { messageByteLimit } from "../wire/message-limits.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export type BridgeParts = {
  readonly server: AcpServer;
  readonly clients: HttpClients;
  /** Told what went wrong here. */
  readonly report: (error: unknown) => void;
};

/** The header that names a session. */
const sessionHeader = "acp-session-id";

/** The order of the connection that is opened by the request at hand. */
export const openingOrder = new AsyncLocalStorage<ReplayOrder>();

/** Answers one request that was let in. Never rejects. */
export async function bridgeRequest(
  { server, clients, report }: BridgeParts,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const gone = new AbortController();
  const id = request.headers[connectionHeader];
  const ended = typeof id === "string" ? clients.began(id) : () => undefined;
  response.once("close", () => {
    ended();
    gone.abort(new Error("the client's request has ended"));
  });
  try {
    if (id === undefined && request.method === "POST" && clients.full) {
      sendJson(response, 503, { error: "as many clients are connected as may be; try again later" });
      request.resume();
      return;
    }
    const body = request.method === "POST" ? await readBody(request) : undefined;
    const fault = body === undefined ? undefined : bodyFault(body);
    if (fault !== undefined) {
      sendJson(response, body === "oversized" ? 413 : 400, fault);
      return;
    }
    const order = new ReplayOrder();
    // The server opens the connection of a new client meanwhile.
    const answer = await openingOrder.run(order, () =>
      server.handleRequest(webRequest(request, body, gone.signal)),
    );
    const added = answer.headers.get(connectionHeader);
    if (added !== null) clients.add(added, order);
    if (request.method === "DELETE" && typeof id === "string") clients.remove(id);
    const session = request.method === "GET" && answer.ok ? request.headers[sessionHeader] : undefined;
    const watched =
      typeof session === "string" && typeof id === "string"
        ? clients.orderOf(id)?.opened(session)
        : undefined;
    await sendResponse(response, answer, watched);
  } catch (error) {
    if (gone.signal.aborted) return;
    report(error);
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { error: "internal error" });
  }
}

/** A refusal, or anything else that is no ACP message. */
export function sendJson(response: HttpResponse, status: number, value: unknown): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

/** The whole body, or that it is longer than a message may be. */
async function readBody(request: HttpRequest): Promise<Uint8Array | "oversized"> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request) {
    const bytes = part as Uint8Array;
    length += bytes.length;
    // Read on to the end all the same, keeping nothing: only then does the client hear the answer.
    if (length <= messageByteLimit) parts.push(bytes);
    else parts.length = 0;
  }
  return length > messageByteLimit ? "oversized" : Buffer.concat(parts);
}

function bodyFault(body: Uint8Array | "oversized"): unknown {
  if (body === "oversized") return oversizedAnswer();
  const decoded = decodeMessage(body);
  return decoded.kind === "fault" ? decoded.answer : undefined;
}

function webRequest(
  request: HttpRequest,
  body: Uint8Array | "oversized" | undefined,
  signal: AbortSignal,
): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has its request line among the headers.
    if (name.startsWith(":") || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each);
  }
  return new Request(new URL(request.url ?? "/", "http://endpoint"), {
    method: request.method ?? "GET",
    headers,
    signal,
    ...(body instanceof Uint8Array ? { body: Uint8Array.from(body) } : {}),
  });
}

async function sendResponse(
  response: HttpResponse,
  answer: Response,
  watched: ReturnType<ReplayOrder["opened"]> | undefined,
): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers)
    // HTTP/2 has no connection headers, and HTTP/1.1 needs none here.
    if (name !== "connection") response.setHeader(name, value);
  if (answer.body === null) {
    response.end();
    return;
  }
  // The stream may have nothing to say for long: the client hears at once that it is there.
  if (response instanceof ServerResponse) response.flushHeaders();
  else response.writeHead(answer.status);
  const body = Readable.fromWeb(answer.body);
  const closed = once(response, "close");
  const written =
    watched === undefined ? pipeline(body, response as Writable) : give(body, response, watched.given);
  await Promise.race([written, closed]).finally(() => {
    body.destroy();
    watched?.closed();
  });
}

/** Writes a session's events one after the other, and tells of each that left for the client. Keep-alives are comments. */
async function give(body: Readable, response: HttpResponse, given: () => void): Promise<void> {
  for await (const part of body) {
    const bytes = part as Uint8Array;
    await new Promise<void>((resolve, reject) => {
      (response as Writable).write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    if (bytes[0] !== commentMark) given();
  }
  response.end();
}

/** The colon that comments of an event stream begin with. */
const commentMark = 0x3a;
