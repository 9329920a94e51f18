/**
 * Why a model request failed, as data. The code is decided from status numbers, error codes and the state of the
 * stream, never from the wording of a message. Nothing here needs zod, so that agent threads can load it cheaply.
 */

/** How a failed attempt may be continued. */
export type ModelRetryClass =
  /** Another attempt cannot help: stop and report. */
  | "terminal"
  /** Counts against the limit for requests that failed before the model generated anything. */
  | "retryable"
  /** Counts against the smaller limit for generations that began, whatever had arrived. */
  | "retryable-generation";

/**
 * Every failure code with its retry class. A code of class `retryable` is held to the smaller limit of
 * `retryable-generation` once reasoning, text or a tool call has arrived (see {@link retryClassOf}).
 */
export const modelFailureClasses = {
  /** No credential or no usable endpoint: nothing was sent. */
  configuration: "terminal",
  /** 401 or 403: the credential was refused. */
  authentication: "terminal",
  /** The account has no credit left (402, or 429 with a quota code): waiting does not help. */
  quota: "terminal",
  /** 404 with a model code, or the model id is not one this provider has. */
  "unknown-model": "terminal",
  /** 400, 404, 405, 413, 422 and the like: the request itself was refused. */
  "invalid-request": "terminal",
  /** The conversation no longer fits the model's context window; compaction, not repetition, helps. */
  "context-overflow": "terminal",
  /** The provider's content filter stopped the answer. */
  "content-filtered": "terminal",
  /** Our own cancel or deadline ended the request. */
  cancelled: "terminal",
  /** The recorded exchange differs from what was asked (replay only). */
  "replay-divergence": "terminal",
  /** 429 that is not a quota: `retryAfterMs` is set when the server said how long. */
  "rate-limited": "retryable",
  /** 503 or 529, or an overload code inside the stream. */
  overloaded: "retryable",
  /** 500, 502, 504 and other 5xx, or a server error code inside the stream. */
  server: "retryable",
  /** No connection: refused, unreachable, name not resolved, or TLS failed. */
  "refused-connection": "retryable",
  /** 408, no response head in time, or no byte for the idle limit. */
  timeout: "retryable",
  /** The stream was reset or ended without its end marker. */
  "cut-stream": "retryable",
  /** Something that is not the protocol: broken JSON, no choices, an HTML page with status 200. */
  malformed: "retryable",
  /** length, max_output_tokens or max_tokens: the answer was cut by its token limit. */
  "token-exhausted": "retryable-generation",
} as const satisfies Record<string, ModelRetryClass>;

/** A stable failure code of a model request. */
export type ModelFailureCode = keyof typeof modelFailureClasses;

/** All codes, for schemas and tests. */
export const modelFailureCodes = Object.keys(modelFailureClasses) as [
  ModelFailureCode,
  ...ModelFailureCode[],
];

/** The wire form of a model failure: plain data that survives a thread, a queue and a file. */
export interface ModelFailure {
  readonly code: ModelFailureCode;
  /** For people, at most {@link modelFailureMessageLimit} characters, without secrets. Never matched on. */
  readonly message: string;
  /** HTTP status, when there was a response. */
  readonly status?: number;
  /** The provider's own code or type, for example `insufficient_quota`; at most 200 characters. */
  readonly providerCode?: string;
  /** The provider's request id, for support; at most 200 characters. */
  readonly requestId?: string;
  /** How long the server asked us to wait, in ms, unbounded as sent; the retry policy caps it. */
  readonly retryAfterMs?: number;
  /** True when reasoning, text or tool-call data had arrived before the failure. */
  readonly outputReceived: boolean;
}

/** Longest `message` of a {@link ModelFailure}, in characters. */
export const modelFailureMessageLimit = 2000;

/** The class that applies to this failure, given what had already arrived. */
export function retryClassOf(failure: Pick<ModelFailure, "code" | "outputReceived">): ModelRetryClass {
  const declared: ModelRetryClass = modelFailureClasses[failure.code];
  return declared === "retryable" && failure.outputReceived ? "retryable-generation" : declared;
}

/** The thrown form of a {@link ModelFailure}; crosses threads as its `failure`. */
export class ModelRequestError extends Error {
  override readonly name = "ModelRequestError";
  readonly code: ModelFailureCode;
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, options?: ErrorOptions) {
    super(failure.message, options);
    this.code = failure.code;
    this.failure = failure;
  }
}
