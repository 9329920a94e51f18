import type { AgentLimits } from "../../orchestrator/contract/agent-limits.ts";
import type { ModelEndpoint } from "../../orchestrator/contract/model.ts";
import {
  modelFailureMessageLimit,
  ModelRequestError,
  type ModelFailure,
} from "../../orchestrator/contract/model-failure.ts";
import { jsonDepthLimit } from "../../orchestrator/contract/json-nesting.ts";
import { secretRemover, type SecretRemover } from "../../orchestrator/secrets/secret-removal.ts";
import { bounded, classifyRefusal, classifyTransport, systemCodes } from "./failure-classification.ts";
import { DeepJsonError, StreamNesting } from "./stream-nesting.ts";
import { type ResponseHeaders, exchange } from "./http-exchange.ts";
import { post } from "./openai-client.ts";
import { serverEvents } from "./server-events.ts";
import { ServerRefusalError, eventData } from "./server-refusal.ts";
import type { BodyWatch } from "./response-body.ts";
import type { StreamAssembler } from "./stream-assembly.ts";

/** What an exchange is bound by. */
export interface ExchangeBounds {
  readonly endpoint: ModelEndpoint;
  readonly limits: Pick<AgentLimits, "responseHeadTimeoutMs" | "streamIdleTimeoutMs" | "maxResponseBytes">;
  /** Ends the exchange as cancelled. */
  readonly signal: AbortSignal;
}

/** Why an exchange was ended from our side, besides a cancel. */
type ForcedEnd = "head-timeout" | "idle-timeout" | "too-large";

/** A request with its bounds: time to the response head, then silence inside the stream, and its size. */
export class TimedExchange {
  readonly #bounds: ExchangeBounds;
  readonly #assembler: StreamAssembler;
  readonly #controller = new AbortController();
  readonly #cancel = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #forcedEnd: ForcedEnd | undefined;
  #contentType: string | undefined;
  #requestId: string | undefined;
  #bytes = 0;
  readonly #withoutSecrets: SecretRemover;

  constructor(bounds: ExchangeBounds, assembler: StreamAssembler) {
    this.#bounds = bounds;
    const { apiKey, headers } = bounds.endpoint;
    this.#withoutSecrets = secretRemover([apiKey ?? "", ...Object.values(headers ?? {})]);
    this.#assembler = assembler;
    bounds.signal.addEventListener("abort", this.#cancel, { once: true });
    if (bounds.signal.aborted) this.#cancel();
  }

  /** Posts a JSON text and reads the events of the answer. */
  async *events(path: string, body: string): AsyncGenerator<unknown, void, undefined> {
    this.#arm("head-timeout", this.#bounds.limits.responseHeadTimeoutMs);
    const { endpoint } = this.#bounds;
    const response = await post({
      endpoint,
      path,
      body,
      signal: this.#controller.signal,
      send: (url, init) => exchange(url, init, (head) => this.#watched(head.headers)),
    });
    for await (const event of serverEvents(response.body)) yield eventData(event, response.headers);
  }

  /** Throws when the loop ended because of a bound or a cancel. */
  checkEnded(): void {
    if (this.#bounds.signal.aborted) throw this.#failure("cancelled", "The request was cancelled.");
    if (this.#forcedEnd === undefined || this.#assembler.isComplete) return;
    const { responseHeadTimeoutMs, streamIdleTimeoutMs, maxResponseBytes } = this.#bounds.limits;
    switch (this.#forcedEnd) {
      case "head-timeout":
        throw this.#failure("timeout", `No response came within ${responseHeadTimeoutMs} ms.`);
      case "idle-timeout":
        throw this.#failure("timeout", `The stream was silent for ${streamIdleTimeoutMs} ms.`);
      case "too-large":
        throw this.#failure("malformed", `The response is larger than ${maxResponseBytes} bytes.`);
    }
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
    if (error instanceof DeepJsonError) return this.#failure("malformed", error.message);
    if (error instanceof ServerRefusalError)
      return this.#reported(classifyRefusal(error.refusal, this.#assembler.outputReceived), error);
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
    this.#bounds.signal.removeEventListener("abort", this.#cancel);
  }

  #watched(headers: ResponseHeaders): BodyWatch {
    this.#contentType = headers.get("content-type") ?? "";
    this.#requestId = headers.get("x-request-id") ?? undefined;
    this.#arm("idle-timeout", this.#bounds.limits.streamIdleTimeoutMs);
    const nesting = new StreamNesting(this.#contentType.includes("text/event-stream"));
    return {
      onBytes: (bytes) => {
        this.#received(bytes.length);
        return nesting.take(bytes);
      },
      refusal: () => new DeepJsonError(`The response holds JSON that nests deeper than ${jsonDepthLimit}.`),
      isComplete: () => this.#assembler.isComplete,
    };
  }

  #received(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.#bounds.limits.maxResponseBytes) this.#end("too-large");
    else this.#timer?.refresh();
  }

  #arm(reason: ForcedEnd, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(reason), ms);
  }

  #end(reason: ForcedEnd): void {
    clearTimeout(this.#timer);
    this.#forcedEnd ??= reason;
    this.#controller.abort();
  }

  /** An empty stream under a content type of its own is a page or a plain answer, not a cut stream. */
  #explained(error: ModelRequestError): ModelRequestError {
    const type = this.#contentType ?? "";
    if (error.code === "cut-stream" && !error.failure.outputReceived && /html|json/.test(type)) {
      return this.#failure(
        "malformed",
        `Expected an event stream, but content of type "${bounded(type, 80)}" came.`,
      );
    }
    return this.#reported(error.failure, error.cause);
  }

  #failure(code: ModelFailure["code"], message: string, cause?: unknown): ModelRequestError {
    return this.#reported({ code, message, outputReceived: this.#assembler.outputReceived }, cause);
  }

  /** The failure as it may be told: with the provider's request id, without our credentials that a server may repeat. */
  #reported(failure: ModelFailure, cause: unknown): ModelRequestError {
    const requestId = failure.requestId ?? (this.#requestId && bounded(this.#requestId, 200));
    const told: ModelFailure = {
      ...failure,
      message: bounded(this.#withoutSecrets(failure.message), modelFailureMessageLimit),
      ...(failure.providerCode === undefined
        ? {}
        : { providerCode: this.#withoutSecrets(failure.providerCode) }),
      ...(requestId === undefined || requestId === "" ? {} : { requestId: this.#withoutSecrets(requestId) }),
    };
    return new ModelRequestError(told, cause === undefined ? {} : { cause });
  }
}
