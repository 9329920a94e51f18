/**
 * One HTTP request as the SDK makes them by `fetch`, over Node's own HTTP client: a turn of an agent costs a fraction of what it does
 * by way of `fetch` and its streams.
 */
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { type BodyWatch, WatchedBody } from "./response-body.ts";

/** Redirections that are followed: the ones that keep method and body. */
const redirections = new Set([307, 308]);
export const redirectionLimit = 5;

/** What the SDK hands to its `fetch`; its bodies are JSON texts. */
export type ExchangeInit = {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0] | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
};

/**
 * Sends the request and resolves with the head of its response. Rejects with the error of the connection, and with an AbortError when
 * the signal aborts first; later it ends the body.
 *
 * @param watch Made once the head is there; it sees the body.
 */
export async function exchange(
  url: string | URL,
  init: ExchangeInit,
  watch: (head: { readonly headers: Headers }) => BodyWatch,
): Promise<Response> {
  let target = new URL(url);
  const headers = Object.fromEntries(new Headers(init.headers).entries());
  for (let hops = 0; ; hops += 1) {
    const incoming = await sent(target, headers, init);
    const location = incoming.headers.location;
    const status = incoming.statusCode ?? 0;
    if (!redirections.has(status) || location === undefined || hops >= redirectionLimit)
      return responseOf(incoming, target, watch);
    incoming.resume();
    const next = new URL(location, target);
    // Credentials are for the server they were given for.
    if (next.origin !== target.origin) delete headers["authorization"];
    target = next;
  }
}

/** A kept connection that its server has closed meanwhile is no failure of the request: it goes out once more, on another one. */
async function sent(target: URL, headers: PlainHeaders, init: ExchangeInit): Promise<IncomingMessage> {
  for (;;) {
    const sending = open(target, requestOptions(headers, init));
    try {
      return await headOf(sending, init.body);
    } catch (error) {
      const closedMeanwhile = sending.reusedSocket && error instanceof Error && "code" in error;
      if (!closedMeanwhile || error.code !== "ECONNRESET" || init.signal?.aborted === true) throw error;
    }
  }
}

type PlainHeaders = Readonly<Record<string, string>>;

function requestOptions(
  headers: PlainHeaders,
  { method = "GET", body, signal }: ExchangeInit,
): RequestOptions {
  const length = typeof body === "string" ? { "content-length": Buffer.byteLength(body) } : {};
  return {
    method,
    headers: { ...headers, ...length },
    ...(signal === null || signal === undefined ? {} : { signal }),
  };
}

function headOf(sending: ClientRequest, body: unknown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once("response", resolve);
    // Stays for the life of the connection: what breaks after the head is told by the body.
    sending.on("error", reject);
    sending.end(typeof body === "string" ? body : undefined);
  });
}

/** Connections are kept for the next turn. A proxy is used where Node is told to (NODE_USE_ENV_PROXY). */
const agentOptions = {
  keepAlive: true,
  ...(process.env["NODE_USE_ENV_PROXY"] === "1" ? { proxyEnv: process.env } : {}),
};

let plain: Agent | undefined;
let secure: Agent | undefined;

function open(target: URL, options: RequestOptions): ClientRequest {
  if (target.protocol === "http:") {
    plain ??= new Agent(agentOptions);
    return request(target, { ...options, agent: plain });
  }
  // Loading it takes longer than a turn; a server of one's own machine does not need it.
  const https = process.getBuiltinModule("node:https");
  secure ??= new https.Agent(agentOptions);
  return https.request(target, { ...options, agent: secure });
}

/** A response as it comes in: its head, and the chunks of its body. */
export type Incoming = Pick<IncomingMessage, "headers" | "statusCode" | "statusMessage"> &
  AsyncIterable<Buffer>;

/** What the SDK reads of a response. */
export function responseOf(
  incoming: Incoming,
  { href }: URL,
  watch: (head: { readonly headers: Headers }) => BodyWatch,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  }
  const status = incoming.statusCode ?? 0;
  const body = new WatchedBody(incoming, watch({ headers }));
  const response = {
    status,
    ok: status >= 200 && status < 300,
    statusText: incoming.statusMessage ?? "",
    url: href,
    headers,
    body,
    text: () => body.text(),
    json: async () => JSON.parse(await body.text()) as unknown,
  };
  return response as unknown as Response;
}
