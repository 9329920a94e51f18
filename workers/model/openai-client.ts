/** The OpenAI SDK, which makes the requests and reads refusals; their bytes go over our own exchange, and events are cut by it too. */
import OpenAI, { APIError } from "openai";
import type { ModelEndpoint } from "../../orchestrator/contract/model.ts";
import type { ExchangeInit, ModelServerResponse } from "./http-exchange.ts";
import { ServerRefusalError, refusal } from "./server-refusal.ts";

/** Sends what the SDK has made and resolves with the head of the response. */
export type Send = (url: string | URL, init: ExchangeInit) => Promise<ModelServerResponse>;

/** Explicit nulls keep the SDK from reading its own environment variables; the host has resolved them. */
const fixedOptions = {
  adminAPIKey: null,
  organization: null,
  project: null,
  webhookSecret: null,
  maxRetries: 0,
  logLevel: "off",
} as const;

/** Our own timers end every wait; the SDK's must not come first. */
const sdkTimeoutMs = 24 * 3_600_000;

/** What the SDK hands to its `fetch` beside the request: the options of one request are passed on as they are. */
type RequestWay = Pick<RequestInit, "redirect"> & { readonly send?: Send };

type BuiltRequest = Awaited<ReturnType<OpenAI["buildRequest"]>>;

/**
 * The SDK's client, which makes address and headers of a path once: those of our requests differ in nothing, and making them takes longer
 * than sending them.
 */
class EndpointClient extends OpenAI {
  readonly #built = new Map<string, BuiltRequest>();

  override async buildRequest(...request: Parameters<OpenAI["buildRequest"]>): Promise<BuiltRequest> {
    const [{ path, body, signal, fetchOptions }] = request;
    const known = this.#built.get(path);
    if (known === undefined) {
      const built = await super.buildRequest(...request);
      const { method, headers } = built.req;
      this.#built.set(path, { ...built, req: { ...(method === undefined ? {} : { method }), headers } });
      return built;
    }
    const own = {
      ...fetchOptions,
      ...(typeof body === "string" ? { body } : {}),
      ...(signal ? { signal } : {}),
    };
    return { ...known, req: { ...known.req, ...own } };
  }
}

/** The same headers as a plain object; the client makes them once for a path. */
const plainHeaders = new WeakMap<Headers, Record<string, string>>();

function plainHeadersOf(headers: RequestInit["headers"]): Record<string, string> {
  if (!(headers instanceof Headers)) return Object.fromEntries(new Headers(headers).entries());
  const known = plainHeaders.get(headers) ?? Object.fromEntries(headers.entries());
  plainHeaders.set(headers, known);
  return known;
}

/** All turns of a run go to the same endpoint. */
const clients = new WeakMap<ModelEndpoint, OpenAI>();

/** A client of one endpoint: the SDK's retries, logging, timeouts and environment are all off. */
function clientOf(endpoint: ModelEndpoint): OpenAI {
  const known = clients.get(endpoint);
  if (known !== undefined) return known;
  const { apiKey, baseUrl, headers } = endpoint;
  const client = new EndpointClient({
    ...fixedOptions,
    apiKey: apiKey ?? "none",
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    timeout: sdkTimeoutMs,
    // A Request object never comes: the SDK hands over an address and what it has to send.
    fetch: (url, init = {}) => fetched(url instanceof Request ? url.url : url, init),
    defaultHeaders: { ...headers, ...(apiKey === undefined ? { Authorization: null } : {}) },
  });
  clients.set(endpoint, client);
  return client;
}

async function fetched(url: string | URL, init: RequestInit & RequestWay): Promise<Response> {
  const { method, body, signal, send } = init;
  if (send === undefined || typeof body !== "string")
    throw new TypeError("Expected a request of ours, with a text for a body.");
  const response = await send(url, {
    method,
    headers: plainHeadersOf(init.headers),
    body,
    signal: signal ?? undefined,
  });
  // The SDK asks for no more of a response than ours has.
  return response as unknown as Response;
}

export type PostOptions = {
  readonly endpoint: ModelEndpoint;
  /** Below the base URL, such as `/responses`. */
  readonly path: string;
  /** A JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly send: Send;
};

/**
 * Posts a request and resolves with a response of success whose body is still to be read.
 *
 * @throws ServerRefusalError when the server answers otherwise, and errors of the SDK with their causes for those of the connection.
 */
export async function post({
  endpoint,
  path,
  body,
  signal,
  send,
}: PostOptions): Promise<ModelServerResponse> {
  const fetchOptions: RequestWay = { send };
  try {
    const response = await clientOf(endpoint)
      .post(path, {
        body,
        // With a type of its own the SDK passes a text on as it is.
        headers: { "content-type": "application/json" },
        stream: true,
        signal,
        fetchOptions,
      })
      .asResponse();
    return response as unknown as ModelServerResponse;
  } catch (error) {
    throw refusalIn(error) ?? error;
  }
}

/** What the server said, when the error is one that it reported; undefined for errors of the connection. */
function refusalIn(error: unknown): ServerRefusalError | undefined {
  if (!(error instanceof APIError) || error.status === undefined || error.headers === undefined)
    return undefined;
  return new ServerRefusalError(refusal(error.error, error.headers, error.status));
}
