import { Readable } from "node:stream";
import type { ModelRequest, ModelResponse } from "../../orchestrator/contract/model.ts";
import { ModelRequestError } from "../../orchestrator/contract/model-failure.ts";
import type { WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { type Incoming, responseOf } from "./http-exchange.ts";
import type { BodyWatch } from "./response-body.ts";
import { ChatStreamAssembler } from "./chat-stream.ts";
import { type Send, post } from "./openai-client.ts";
import { requestNames, wireRequest } from "./request-body.ts";
import { serverEvents } from "./server-events.ts";
import { eventData } from "./server-refusal.ts";
import { ResponsesStreamAssembler } from "./responses-stream.ts";
import type { OutputDelta, StreamAssembler } from "./stream-assembly.ts";
import { TimedExchange, type ExchangeBounds } from "./timed-exchange.ts";

/** One try of a model request. */
export interface Attempt extends ExchangeBounds {
  readonly request: ModelRequest;
  onOutput(delta: OutputDelta): void;
}

/**
 * Sends one request and reads its stream to the end; no retry.
 *
 * @throws ModelRequestError for everything that can go wrong, cancel included.
 */
export async function attemptRequest(attempt: Attempt): Promise<ModelResponse> {
  const names = requestNames(attempt.request);
  const { path, body } = wireRequest(attempt.endpoint, attempt.request, names);
  const assembler = assemblerFor(attempt, names);
  const exchange = new TimedExchange(attempt, assembler);
  try {
    for await (const event of exchange.events(path, body)) {
      for (const delta of assembler.push(event)) attempt.onOutput(delta);
    }
    exchange.checkEnded();
    return assembler.finish();
  } catch (error) {
    // A connection that fails behind the end marker has done no harm.
    const isWhole = assembler.isComplete && !attempt.signal.aborted && !(error instanceof ModelRequestError);
    if (isWhole) return assembler.finish();
    throw exchange.failureOf(error);
  } finally {
    exchange.close();
  }
}

/** Does what the first request would otherwise wait for: runs the SDK's and our path once over a stream that comes from no network. */
export async function warmUpRequests(): Promise<void> {
  const endpoint = {
    provider: "none",
    wire: "chat",
    baseUrl: "http://warm-up.invalid",
    reasoning: false,
  } as const;
  const head = { statusCode: 200, headers: { "content-type": "text/event-stream" } };
  const incoming: Incoming = Object.assign(
    Readable.from([Buffer.from("data: {}\n\ndata: [DONE]\n\n")]),
    head,
  );
  const watch: BodyWatch = {
    onBytes: (bytes) => bytes.length,
    refusal: () => new Error("nothing is refused here"),
    isComplete: () => true,
  };
  const { signal } = new AbortController();
  const send: Send = async () => responseOf(incoming, () => watch);
  const { body, headers } = await post({ endpoint, path: "/warm-up", body: "{}", signal, send });
  for await (const event of serverEvents(body)) eventData(event, headers);
}

function assemblerFor({ endpoint, request }: Attempt, names: WireNames): StreamAssembler {
  const usedCallIds = new Set(
    request.items.flatMap((item) => (item.type === "tool-call" ? item.callId : [])),
  );
  return endpoint.wire === "chat"
    ? new ChatStreamAssembler(endpoint.provider, names, usedCallIds)
    : new ResponsesStreamAssembler(endpoint.provider, names, usedCallIds);
}
