import {
  modelFailureMessageLimit,
  type ModelFailure,
  type ModelFailureCode,
} from "../../orchestrator/contract/model-failure.ts";

/** What a server said when it refused a request, or inside a stream (then without `status`). */
export interface ProviderRefusal {
  readonly status?: number;
  /** The error object's `code` and `type`, where they are strings. */
  readonly code?: string;
  readonly type?: string;
  readonly message: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
}

/** Codes and types that providers put into their error objects. Only these decide; wording never does. */
const providerCodes: Readonly<Record<string, ModelFailureCode>> = {
  insufficient_quota: "quota",
  quota_exceeded: "quota",
  billing_hard_limit_reached: "quota",
  billing_not_active: "quota",
  credit_balance_exhausted: "quota",
  invalid_api_key: "authentication",
  authentication_error: "authentication",
  permission_error: "authentication",
  account_deactivated: "authentication",
  rate_limit_exceeded: "rate-limited",
  rate_limit_error: "rate-limited",
  too_many_requests: "rate-limited",
  requests: "rate-limited",
  tokens: "rate-limited",
  model_not_found: "unknown-model",
  unknown_model: "unknown-model",
  context_length_exceeded: "context-overflow",
  context_window_exceeded: "context-overflow",
  exceed_context_size_error: "context-overflow",
  server_is_overloaded: "overloaded",
  overloaded_error: "overloaded",
  engine_overloaded: "overloaded",
  engine_overloaded_error: "overloaded",
  slow_down: "overloaded",
  server_error: "server",
  internal_error: "server",
  internal_server_error: "server",
  api_error: "server",
  content_filter: "content-filtered",
  content_policy_violation: "content-filtered",
  invalid_request_error: "invalid-request",
  invalid_prompt: "invalid-request",
};

/** Which codes may refine which status: a code that contradicts its status is not believed. */
const refinements: Readonly<Record<number, readonly ModelFailureCode[]>> = {
  400: ["context-overflow", "unknown-model", "quota", "content-filtered", "authentication"],
  401: ["quota"],
  403: ["quota", "unknown-model", "content-filtered"],
  404: ["unknown-model"],
  413: ["context-overflow"],
  422: ["context-overflow", "unknown-model", "content-filtered"],
  429: ["quota", "overloaded"],
  500: ["overloaded"],
  503: ["rate-limited"],
};

/** The failure behind a refusal. */
export function classifyRefusal(refusal: ProviderRefusal, outputReceived: boolean): ModelFailure {
  const named = namedCode(refusal);
  const code = refusal.status === undefined ? (named ?? "server") : refinedCode(refusal.status, named);
  const providerCode = refusal.code ?? refusal.type;
  return {
    code,
    message: bounded(refusal.message, modelFailureMessageLimit),
    outputReceived,
    ...(refusal.status === undefined ? {} : { status: refusal.status }),
    ...(providerCode === undefined ? {} : { providerCode: bounded(providerCode, 200) }),
    ...(refusal.requestId === undefined ? {} : { requestId: bounded(refusal.requestId, 200) }),
    ...(refusal.retryAfterMs === undefined ? {} : { retryAfterMs: refusal.retryAfterMs }),
  };
}

function namedCode(refusal: ProviderRefusal): ModelFailureCode | undefined {
  for (const name of [refusal.code, refusal.type]) {
    const code = name?.toLowerCase() ?? "";
    // Names that every object has (`constructor`) are no codes of ours.
    const found = Object.hasOwn(providerCodes, code) ? providerCodes[code] : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function refinedCode(status: number, named: ModelFailureCode | undefined): ModelFailureCode {
  if (named !== undefined && (refinements[status] ?? []).includes(named)) return named;
  if (status === 401 || status === 403) return "authentication";
  if (status === 402) return "quota";
  if (status === 408) return "timeout";
  if (status === 429) return "rate-limited";
  if (status === 503 || status === 529) return "overloaded";
  // 409 and 425 are about the moment, not about the request.
  if (status >= 500 || status === 409 || status === 425) return "server";
  if (status >= 400) return "invalid-request";
  return "malformed";
}

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EACCES",
]);
const timedOut = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
const cut = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
const notTheProtocol = /^(HPE_|UND_ERR_RES_|ERR_HTTP)/;

/** The code behind an error of the connection, from the system codes along its causes. */
export function classifyTransport(error: unknown, responseBegan: boolean): ModelFailureCode {
  for (const code of systemCodes(error)) {
    if (unreachable.has(code)) return "refused-connection";
    if (timedOut.has(code)) return "timeout";
    if (cut.has(code)) return "cut-stream";
    if (notTheProtocol.test(code)) return "malformed";
  }
  return responseBegan ? "cut-stream" : "refused-connection";
}

/** System codes along the causes of an error, outermost first; at most eight levels. */
export function systemCodes(error: unknown): string[] {
  const codes: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth += 1) {
    if ("code" in current && typeof current.code === "string") codes.push(current.code);
    if (current instanceof AggregateError) codes.push(...current.errors.flatMap(systemCodes));
    current = "cause" in current ? current.cause : undefined;
  }
  return codes;
}

/** Text cut to `limit` characters, never inside a surrogate pair. */
export function bounded(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = (text.charCodeAt(limit - 2) & 0xfc00) === 0xd800 ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}
