/** What a server says instead of an answer: by a status, or by an event inside a stream. */
import type { ProviderRefusal } from "./failure-classification.ts";
import type { ResponseHeaders } from "./http-exchange.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { ServerEvent } from "./server-events.ts";
import { objectOf, textOf, type WireObject } from "./wire-values.ts";

/** The server refused the request, or gave up on it in its stream. */
export class ServerRefusalError extends Error {
  override readonly name = "ServerRefusalError";
  readonly code = "server-refusal";
  readonly refusal: ProviderRefusal;

  constructor(refusal: ProviderRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * The JSON in an event.
 *
 * @throws ServerRefusalError for an event that reports an error, SyntaxError for data that is no JSON.
 */
export function eventData({ name, data }: ServerEvent, headers: ResponseHeaders): unknown {
  const value: unknown = JSON.parse(data);
  const fields = objectOf(value);
  // A failed response says so in its own field, below `response`.
  const error = fields?.["error"];
  if (name !== "error" && !error) return value;
  throw new ServerRefusalError(refusal(error ?? value, headers, undefined));
}

/** What an error object says, with what the head of its response adds. */
export function refusal(
  error: unknown,
  headers: ResponseHeaders,
  status: number | undefined,
): ProviderRefusal {
  const body = objectOf(error) ?? {};
  const code = textOf(body["code"]);
  const type = textOf(body["type"]);
  const requestId = headers.get("x-request-id");
  const wait = retryAfterMs(headers, Date.now());
  return {
    message: refusalMessage(body, status),
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(requestId === null ? {} : { requestId }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/** The server's own words where it sent an error object; an HTML page is not repeated. */
function refusalMessage(body: WireObject, status: number | undefined): string {
  const said = textOf(body["message"]);
  const code = status === undefined ? "" : `Status ${String(status)}`;
  if (said !== undefined && said !== "") return code === "" ? said : `${code}: ${said}`;
  return code === ""
    ? "The provider reported a failure without a message."
    : `${code} without an error object.`;
}
