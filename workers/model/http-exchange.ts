/**
 * One HTTP request over Node's own HTTP client: a turn of an agent costs a fraction of what it does by way of `fetch` and its streams.
 */
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { urlToHttpOptions } from "node:url";
import { type BodyWatch, WatchedBody } from "./response-body.ts";

/** Redirections that are followed: the ones that keep method and body. */
const redirections = new Set([307, 308]);
export const redirectionLimit = 5;

/** A request: bodies are JSON texts. */
export type ExchangeInit = {
  readonly method?: string | undefined;
  /** Names in lower case. */
  readonly headers?: PlainHeaders;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** The headers of a response, asked by names in lower case. */
export type ResponseHeaders = {
  get(name: string): string | null;
};

/** All of them, as the SDK's log lines would show them. */
type ListedHeaders = ResponseHeaders & { entries(): Iterable<[string, string]> };

/** A response whose head has come. */
export type ModelServerResponse = {
  readonly status: number;
  /** The status is one of success. */
  readonly ok: boolean;
  readonly headers: ListedHeaders;
  readonly body: WatchedBody;
  /** All of the body. */
  text(): Promise<string>;
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
  watch: (head: { readonly headers: ResponseHeaders }) => BodyWatch,
): Promise<ModelServerResponse> {
  let target = targetOf(String(url));
  const headers: Record<string, string> = { ...init.headers };
  for (let hops = 0; ; hops += 1) {
    const incoming = await sent(target, headers, init);
    const location = incoming.headers.location;
    const status = incoming.statusCode ?? 0;
    if (!redirections.has(status) || location === undefined || hops >= redirectionLimit)
      return responseOf(incoming, watch);
    incoming.resume();
    const next = targetOf(new URL(location, target.url).href);
    // Credentials are for the server they were given for.
    if (next.url.origin !== target.url.origin) delete headers["authorization"];
    target = next;
  }
}

/** Where a request goes, as Node's client wants it. */
type Target = { readonly url: URL; readonly options: RequestOptions };

/** Addresses are few, and each is asked again and again. */
const targets = new Map<string, Target>();
const keptTargets = 16;

function targetOf(href: string): Target {
  const known = targets.get(href);
  if (known !== undefined) return known;
  const url = new URL(href);
  const target = { url, options: urlToHttpOptions(url) };
  targets.set(href, target);
  const [oldest] = targets.keys();
  if (targets.size > keptTargets && oldest !== undefined) targets.delete(oldest);
  return target;
}

/** A kept connection that its server has closed meanwhile is no failure of the request: it goes out once more, on another one. */
async function sent(target: Target, headers: PlainHeaders, init: ExchangeInit): Promise<IncomingMessage> {
  for (;;) {
    const sending = open(target, requestOptions(headers, init));
    endOnAbort(sending, init.signal);
    try {
      return await headOf(sending, init.body);
    } catch (error) {
      const closedMeanwhile = sending.reusedSocket && error instanceof Error && "code" in error;
      if (!closedMeanwhile || error.code !== "ECONNRESET" || init.signal?.aborted === true) throw error;
    }
  }
}

type PlainHeaders = Readonly<Record<string, string>>;

function requestOptions(headers: PlainHeaders, { method = "GET", body }: ExchangeInit): RequestOptions {
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  return { method, headers: { ...headers, ...length } };
}

/** Node's own way of it follows the ends of both streams, which takes as long as making the request does. */
function endOnAbort(sending: ClientRequest, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const end = (): void => {
    sending.destroy(new DOMException("The request was aborted.", "AbortError"));
  };
  signal.addEventListener("abort", end, { once: true });
  sending.once("close", () => signal.removeEventListener("abort", end));
  if (signal.aborted) end();
}

function headOf(sending: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once("response", resolve);
    // Stays for the life of the connection: what breaks after the head is told by the body.
    sending.on("error", reject);
    sending.end(body);
  });
}

/** Connections are kept for the next turn. A proxy is used where Node is told to (NODE_USE_ENV_PROXY). */
const agentOptions = {
  keepAlive: true,
  ...(process.env["NODE_USE_ENV_PROXY"] === "1" ? { proxyEnv: process.env } : {}),
};

let plain: Agent | undefined;
let secure: Agent | undefined;

function open({ url, options: place }: Target, options: RequestOptions): ClientRequest {
  if (url.protocol === "http:") {
    plain ??= new Agent(agentOptions);
    return request({ ...place, ...options, agent: plain });
  }
  // Loading it takes longer than a turn; a server of one's own machine does not need it.
  const https = process.getBuiltinModule("node:https");
  secure ??= new https.Agent(agentOptions);
  return https.request({ ...place, ...options, agent: secure });
}

/** A response as it comes in: its head, and the chunks of its body. */
export type Incoming = Pick<IncomingMessage, "headers" | "statusCode"> & AsyncIterable<Buffer>;

/** A response and its body, watched. */
export function responseOf(
  incoming: Incoming,
  watch: (head: { readonly headers: ResponseHeaders }) => BodyWatch,
): ModelServerResponse {
  const get = (name: string): string | null => {
    const value = incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  };
  const entries = (): [string, string][] =>
    Object.keys(incoming.headers).map((name) => [name, get(name) ?? ""]);
  const headers = { get, entries };
  const status = incoming.statusCode ?? 0;
  const body = new WatchedBody(incoming, watch({ headers }));
  return {
    status,
    ok: status >= 200 && status < 300,
    headers,
    body,
    text: () => body.text(),
  };
}
