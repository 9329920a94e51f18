import OpenAI, { APIError } from "openai";
import type { ModelEndpoint } from "../../orchestrator/contract/model.ts";
import type { ProviderRefusal } from "./failure-classification.ts";
import type { ExchangeInit } from "./http-exchange.ts";
import { retryAfterMs } from "./retry-after.ts";
import { objectOf, textOf } from "./wire-values.ts";

type Fetch = (url: string | URL, init: ExchangeInit) => Promise<Response>;

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

/** A client for one request: the SDK's retries, logging, timeouts and environment are all off. */
export function openAiClient(endpoint: ModelEndpoint, fetchResponse: Fetch): OpenAI {
  const { apiKey, baseUrl, headers } = endpoint;
  return new OpenAI({
    ...fixedOptions,
    apiKey: apiKey ?? "none",
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    timeout: sdkTimeoutMs,
    // A Request object never comes: the SDK hands over an address and what it has to send.
    fetch: (url, init = {}) => fetchResponse(url instanceof Request ? url.url : url, init),
    defaultHeaders: { ...headers, ...(apiKey === undefined ? { Authorization: null } : {}) },
  });
}

/** What the server said, when the error is one that it reported; undefined for errors of the connection. */
export function refusalIn(error: unknown): ProviderRefusal | undefined {
  if (!(error instanceof APIError) || (error.status === undefined && error.error === undefined))
    return undefined;
  const body = objectOf(error.error) ?? {};
  const code = textOf(body["code"]);
  const type = textOf(body["type"]);
  const wait = error.headers === undefined ? undefined : retryAfterMs(error.headers, Date.now());
  return {
    message: refusalMessage(error, body),
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(typeof error.requestID === "string" ? { requestId: error.requestID } : {}),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/** The server's own words where it sent an error object; an HTML page is not repeated. */
function refusalMessage(error: APIError, body: Readonly<Record<string, unknown>>): string {
  const said = textOf(body["message"]);
  const status = error.status === undefined ? "" : `Status ${String(error.status)}`;
  if (said !== undefined && said !== "") return status === "" ? said : `${status}: ${said}`;
  return status === ""
    ? "The provider reported a failure without a message."
    : `${status} without an error object.`;
}
