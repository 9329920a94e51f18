import { randomUUID } from "node:crypto";
import type { AssistantItem, ModelResponse, ModelUsage } from "../../orchestrator/contract/model.ts";
import { ModelRequestError, type ModelFailureCode } from "../../orchestrator/contract/model-failure.ts";
import { counterOf, objectOf, type WireObject } from "./wire-values.ts";

/** A piece of streamed output. */
export interface OutputDelta {
  readonly channel: "text" | "reasoning" | "arguments";
  readonly text: string;
}

/**
 * Puts the events of one stream together: events in, deltas out, a response at the end. Nothing it holds may be acted
 * on before `finish` has returned, because only the end marker says that the last call is whole.
 */
export interface StreamAssembler {
  /** Takes the next event as parsed JSON. Throws a ModelRequestError when the event reports a failure. */
  push(event: unknown): readonly OutputDelta[];
  /** True once reasoning, text or a part of a call has arrived. */
  readonly outputReceived: boolean;
  /** True once the end marker has arrived: what is cut after it does no harm. */
  readonly isComplete: boolean;
  /** The response; throws a ModelRequestError when the stream did not end well. */
  finish(): ModelResponse;
}

/** A failure of the stream itself. */
export function streamFailure(
  code: ModelFailureCode,
  message: string,
  outputReceived: boolean,
): ModelRequestError {
  return new ModelRequestError({ code, message, outputReceived });
}

/**
 * Gives every call an id of its own: one that is missing, too long or already used in the conversation is replaced.
 * A verbatim source holds the old id, so it is dropped with it.
 */
export function withUniqueCallIds(
  items: readonly AssistantItem[],
  usedCallIds: ReadonlySet<string>,
): AssistantItem[] {
  const used = new Set(usedCallIds);
  return items.map((item) => {
    if (item.type !== "tool-call") return item;
    if (item.callId !== "" && item.callId.length <= 256 && !used.has(item.callId)) {
      used.add(item.callId);
      return item;
    }
    const callId = `call_${randomUUID().replaceAll("-", "")}`;
    used.add(callId);
    const { source: _source, ...rest } = item;
    return { ...rest, callId };
  });
}

/** The counters of a usage report, in which `input` and `output` are called so. What is not reported stays unknown. */
export function usageOf(usage: WireObject, input: string, output: string): ModelUsage {
  const detail = (of: string, name: string): number | undefined =>
    counterOf(objectOf(usage[`${of}_tokens_details`])?.[name]);
  const counters = {
    inputTokens: counterOf(usage[`${input}_tokens`]),
    cachedInputTokens: detail(input, "cached_tokens"),
    outputTokens: counterOf(usage[`${output}_tokens`]),
    reasoningTokens: detail(output, "reasoning_tokens"),
    totalTokens: counterOf(usage["total_tokens"]),
  };
  return Object.fromEntries(Object.entries(counters).filter(([, count]) => count !== undefined));
}

/** What a finish reason says went wrong; undefined for one that ends a whole answer. */
export function failureOfFinish(reason: string): ModelFailureCode | undefined {
  return Object.hasOwn(badFinishes, reason) ? badFinishes[reason] : undefined;
}

/** Reasons of OpenAI and of compatible servers that stop an answer before its end. */
const badFinishes: Readonly<Record<string, ModelFailureCode>> = {
  length: "token-exhausted",
  max_output_tokens: "token-exhausted",
  max_tokens: "token-exhausted",
  content_filter: "content-filtered",
  sensitive: "content-filtered",
  error: "server",
  network_error: "server",
  insufficient_system_resource: "overloaded",
  abort: "cut-stream",
  cancelled: "cut-stream",
};
