import type {
  AgentSpec,
  ExchangeKey,
  ReplayReply,
  ReplayRequest,
} from "../../orchestrator/contract/agent-thread.ts";
import type { ModelEndpoint, ModelRequest, ModelResponse } from "../../orchestrator/contract/model.ts";
import { ModelRequestError } from "../../orchestrator/contract/model-failure.ts";
import { requestWithRetries } from "../model/request-with-retries.ts";
import type { EventStream } from "./event-stream.ts";

/** Answers the requests of one run. */
export type ModelCalls = (request: ModelRequest, requestNumber: number) => Promise<ModelResponse>;

/** What model calls need beside the specification. */
export interface ModelCallParts {
  readonly events: EventStream;
  readonly signal: AbortSignal;
  /** Resolves when one attempt may be sent. */
  admit(): Promise<void>;
  replay(request: ReplayRequest): Promise<ReplayReply>;
}

/** The model of a run: a live endpoint with retries, or the host's cassette. Each request is reported. */
export function modelCalls(spec: AgentSpec, parts: ModelCallParts): ModelCalls {
  return async (request, requestNumber) => {
    const key = { lineage: spec.lineage, purpose: spec.purpose, ordinal: requestNumber };
    const startedAt = performance.now();
    const { response, attempts } =
      spec.source.kind === "live"
        ? await liveRequest(spec, spec.source.endpoint, parts, { request, requestNumber })
        : await replayedRequest(parts, { key, request, requestNumber });
    if (spec.source.kind === "live" && spec.source.record) {
      parts.events.emit({ event: "exchange", key, request, response });
    }
    parts.events.emit({
      event: "request-completed",
      requestNumber,
      attempts,
      usage: response.usage,
      elapsedMs: performance.now() - startedAt,
      ...(response.responseId === undefined ? {} : { responseId: response.responseId }),
    });
    return response;
  };
}

interface NumberedRequest {
  readonly request: ModelRequest;
  readonly requestNumber: number;
}

async function liveRequest(
  spec: AgentSpec,
  endpoint: ModelEndpoint,
  parts: ModelCallParts,
  { request, requestNumber }: NumberedRequest,
): Promise<{ response: ModelResponse; attempts: number }> {
  const { events, signal } = parts;
  // The SDK is loaded by the first live request, or ahead of it when the pool was told to expect one.
  const { attemptRequest } = await import("../model/openai-attempt.ts");
  return requestWithRetries({
    limits: spec.limits,
    signal,
    admit: () => parts.admit(),
    attempt: () =>
      attemptRequest({
        endpoint,
        request,
        limits: spec.limits,
        signal,
        onOutput: (delta) => events.output(delta),
      }),
    onStart: (attempt) => events.emit({ event: "request-started", requestNumber, attempt }),
    onFailure: (failed) => {
      const discard = events.hasShownOutput;
      events.emit({ event: "attempt-failed", requestNumber, ...failed });
      // Only what is made again is void: the beginning of an answer that was stopped stays on show.
      if (discard && failed.retryInMs !== undefined)
        events.emit({ event: "output-discarded", requestNumber });
    },
  });
}

async function replayedRequest(
  parts: ModelCallParts,
  { key, request, requestNumber }: NumberedRequest & { readonly key: ExchangeKey },
): Promise<{ response: ModelResponse; attempts: number }> {
  const { events } = parts;
  events.emit({ event: "request-started", requestNumber, attempt: 1 });
  const startedAt = performance.now();
  const reply = await parts.replay({ key, request });
  if (reply.outcome === "failure") {
    const { failure } = reply;
    events.emit({
      event: "attempt-failed",
      requestNumber,
      attempt: 1,
      failure,
      elapsedMs: performance.now() - startedAt,
    });
    throw new ModelRequestError(failure);
  }
  for (const item of reply.response.items) {
    if (item.type === "assistant-message") events.output({ channel: "text", text: item.text });
    if (item.type === "reasoning" && item.text !== "")
      events.output({ channel: "reasoning", text: item.text });
  }
  return { response: reply.response, attempts: 1 };
}
