import OpenAI, { APIError } from "openai";
import type { AgentLimits } from "../../orchestrator/contract/agent-limits.ts";
import type { ModelEndpoint, ModelRequest, ModelResponse } from "../../orchestrator/contract/model.ts";
import { ModelRequestError, type ModelFailure } from "../../orchestrator/contract/model-failure.ts";
import { wireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { ChatStreamAssembler } from "./chat-stream.ts";
import { bounded, classifyRefusal, classifyTransport, systemCodes } from "./failure-classification.ts";
import { wireRequest } from "./request-body.ts";
import { watchedResponse } from "./response-body.ts";
import { ResponsesStreamAssembler } from "./responses-stream.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { OutputDelta, StreamAssembler } from "./stream-assembly.ts";
import { textOf, objectOf } from "./wire-values.ts";

/** One try of a model request. */
export interface Attempt {
  readonly endpoint: ModelEndpoint;
  readonly request: ModelRequest;
  readonly limits: Pick<AgentLimits, "responseHeadTimeoutMs" | "streamIdleTimeoutMs">;
  /** Ends the attempt as cancelled. */
  readonly signal: AbortSignal;
  onOutput(delta: OutputDelta): void;
}

/**
 * Sends one request and reads its stream to the end; no retry.
 *
 * @throws ModelRequestError for everything that can go wrong, cancel included.
 */
export async function attemptRequest(attempt: Attempt): Promise<ModelResponse> {
  const names = wireNames(attempt.request.tools.map((tool) => tool.name));
  const { path, body } = wireRequest(attempt.endpoint, attempt.request, names);
  const assembler = assemblerFor(attempt, names);
  const exchange = new TimedExchange(attempt, assembler);
  try {
    const stream = await exchange.open(path, body);
    for await (const event of stream) {
      for (const delta of assembler.push(event)) attempt.onOutput(delta);
    }
    // The SDK ends its loop silently when a request is aborted.
    exchange.checkEnded();
    return assembler.finish();
  } catch (error) {
    if (assembler.isComplete && !attempt.signal.aborted && !(error instanceof ModelRequestError)) {
      return assembler.finish();
    }
    throw exchange.failureOf(error);
  } finally {
    exchange.close();
  }
}

/**
 * Does what the first request would otherwise wait for: loads the HTTP client of the runtime and runs the SDK's path to
 * it once, without a network.
 */
export async function warmUpRequests(): Promise<void> {
  const client = new OpenAI({
    ...fixedClientOptions,
    apiKey: "none",
    baseURL: "http://warm-up.invalid",
    // A data URL is answered by the HTTP client itself.
    fetch: () => fetch("data:text/event-stream,data: [DONE]"),
  });
  const stream = await client.post<AsyncIterable<unknown>>("/warm-up", { body: {}, stream: true });
  for await (const event of stream) void event;
}

function assemblerFor(attempt: Attempt, names: ReturnType<typeof wireNames>): StreamAssembler {
  const usedCallIds = new Set(
    attempt.request.items.flatMap((item) => (item.type === "tool-call" ? item.callId : [])),
  );
  return attempt.endpoint.wire === "chat"
    ? new ChatStreamAssembler(attempt.endpoint.provider, names, usedCallIds)
    : new ResponsesStreamAssembler(attempt.endpoint.provider, names, usedCallIds);
}

/** A request with its timers: one for the response head, then one for silence inside the stream. */
class TimedExchange {
  readonly #attempt: Attempt;
  readonly #assembler: StreamAssembler;
  readonly #controller = new AbortController();
  readonly #cancel = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #timeout: "head" | "idle" | undefined;
  #contentType: string | undefined;

  constructor(attempt: Attempt, assembler: StreamAssembler) {
    this.#attempt = attempt;
    this.#assembler = assembler;
    attempt.signal.addEventListener("abort", this.#cancel, { once: true });
    if (attempt.signal.aborted) this.#cancel();
  }

  async open(path: string, body: object): Promise<AsyncIterable<unknown>> {
    this.#arm("head", this.#attempt.limits.responseHeadTimeoutMs);
    const client = new OpenAI({
      ...clientOptions(this.#attempt),
      fetch: async (url, init) => this.#watched(await fetch(url, init)),
    });
    return client.post<AsyncIterable<unknown>>(path, {
      body,
      stream: true,
      maxRetries: 0,
      signal: this.#controller.signal,
    });
  }

  /** Throws when the loop ended because of a timer or a cancel. */
  checkEnded(): void {
    if (this.#attempt.signal.aborted) throw this.#failure("cancelled", "The request was cancelled.");
    if (this.#timeout === undefined || this.#assembler.isComplete) return;
    const { responseHeadTimeoutMs, streamIdleTimeoutMs } = this.#attempt.limits;
    const message =
      this.#timeout === "head"
        ? `No response came within ${responseHeadTimeoutMs} ms.`
        : `The stream was silent for ${streamIdleTimeoutMs} ms.`;
    throw this.#failure("timeout", message);
  }

  /** The failure behind anything thrown while the exchange ran. */
  failureOf(error: unknown): ModelRequestError {
    if (error instanceof ModelRequestError) return this.#explained(error);
    try {
      this.checkEnded();
    } catch (ended) {
      if (ended instanceof ModelRequestError) return ended;
      throw ended;
    }
    if (error instanceof APIError && (error.status !== undefined || error.error !== undefined)) {
      return new ModelRequestError(classifyRefusal(refusalOf(error), this.#assembler.outputReceived), {
        cause: error,
      });
    }
    if (error instanceof SyntaxError)
      return this.#failure("malformed", "The stream holds text that is not JSON.", error);
    const codes = systemCodes(error).join(", ");
    const code = classifyTransport(error, this.#contentType !== undefined);
    const what =
      code === "refused-connection" ? "No connection to the model server" : "The connection failed";
    return this.#failure(code, `${what}${codes === "" ? "" : ` (${codes})`}.`, error);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#attempt.signal.removeEventListener("abort", this.#cancel);
  }

  #watched(response: Response): Response {
    this.#contentType = response.headers.get("content-type") ?? "";
    const arm = (): void => this.#arm("idle", this.#attempt.limits.streamIdleTimeoutMs);
    arm();
    return watchedResponse(response, { onBytes: arm, isComplete: () => this.#assembler.isComplete });
  }

  #arm(kind: "head" | "idle", ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timeout = kind;
      this.#controller.abort();
    }, ms);
  }

  /** An empty stream under a content type of its own is a page or a plain answer, not a cut stream. */
  #explained(error: ModelRequestError): ModelRequestError {
    const type = this.#contentType ?? "";
    if (error.code !== "cut-stream" || error.failure.outputReceived || !/html|json/.test(type)) return error;
    return this.#failure(
      "malformed",
      `Expected an event stream, but content of type "${bounded(type, 80)}" came.`,
    );
  }

  #failure(code: ModelFailure["code"], message: string, cause?: unknown): ModelRequestError {
    const failure = { code, message, outputReceived: this.#assembler.outputReceived };
    return new ModelRequestError(failure, cause === undefined ? {} : { cause });
  }
}

/** Explicit nulls keep the SDK from reading its own environment variables; the host has resolved them. */
const fixedClientOptions = {
  adminAPIKey: null,
  organization: null,
  project: null,
  webhookSecret: null,
  maxRetries: 0,
  logLevel: "off",
} as const;

function clientOptions(attempt: Attempt): ConstructorParameters<typeof OpenAI>[0] {
  const { apiKey, baseUrl, headers } = attempt.endpoint;
  return {
    ...fixedClientOptions,
    apiKey: apiKey ?? "none",
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    // Our own timer ends the wait for the head; the SDK's must not come first.
    timeout: attempt.limits.responseHeadTimeoutMs + 60_000,
    defaultHeaders: { ...headers, ...(apiKey === undefined ? { Authorization: null } : {}) },
  };
}

function refusalOf(error: APIError): Parameters<typeof classifyRefusal>[0] {
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
