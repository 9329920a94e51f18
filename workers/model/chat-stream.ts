import type { AssistantItem, ModelResponse, ModelUsage } from "../../orchestrator/contract/model.ts";
import type { WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { bounded } from "./failure-classification.ts";
import { addCallPiece, type GrowingCall } from "./chat-calls.ts";
import {
  failureOfFinish,
  streamFailure,
  usageOf,
  withUniqueCallIds,
  type OutputDelta,
  type StreamAssembler,
} from "./stream-assembly.ts";
import { arrayOf, counterOf, objectOf, textOf, type WireObject } from "./wire-values.ts";

/** Fields in which servers stream the text of their reasoning. */
const reasoningKeys = ["reasoning_content", "reasoning"] as const;

/** Puts a Chat Completions stream together. Only the first choice is read; one is all we ask for. */
export class ChatStreamAssembler implements StreamAssembler {
  readonly #provider: string;
  readonly #names: WireNames;
  readonly #usedCallIds: ReadonlySet<string>;
  readonly #calls: GrowingCall[] = [];
  #events = 0;
  #choices = 0;
  #text = "";
  #refusal = "";
  #reasoning = "";
  #reasoningKey: (typeof reasoningKeys)[number] = "reasoning_content";
  #finishReason: string | undefined;
  #usage: ModelUsage = {};
  #responseId: string | undefined;

  constructor(provider: string, names: WireNames, usedCallIds: ReadonlySet<string>) {
    this.#provider = provider;
    this.#names = names;
    this.#usedCallIds = usedCallIds;
  }

  get outputReceived(): boolean {
    return this.#text + this.#refusal + this.#reasoning !== "" || this.#calls.length > 0;
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  push(event: unknown): readonly OutputDelta[] {
    this.#events += 1;
    const chunk = objectOf(event);
    if (chunk === undefined) return [];
    this.#responseId ??= textOf(chunk["id"]);
    const usage = objectOf(chunk["usage"]);
    if (usage !== undefined) this.#usage = usageOf(usage, "prompt", "completion");
    const choice = arrayOf(chunk["choices"])
      .map(objectOf)
      .find((candidate) => candidate !== undefined && (candidate["index"] ?? 0) === 0);
    if (choice === undefined) return [];
    this.#choices += 1;
    const deltas = this.#takeDelta(objectOf(choice["delta"]) ?? {});
    const finishReason = textOf(choice["finish_reason"]);
    if (finishReason !== undefined && finishReason !== "") this.#finishReason = finishReason;
    return deltas;
  }

  finish(): ModelResponse {
    this.#checkEnd();
    return {
      items: withUniqueCallIds(this.#items(), this.#usedCallIds),
      usage: this.#usage,
      ...(this.#responseId === undefined ? {} : { responseId: this.#responseId }),
    };
  }

  #takeDelta(delta: WireObject): OutputDelta[] {
    const deltas: OutputDelta[] = [];
    const text = textOf(delta["content"]) ?? "";
    const refusal = textOf(delta["refusal"]) ?? "";
    this.#text += text;
    this.#refusal += refusal;
    for (const key of reasoningKeys) {
      const reasoning = textOf(delta[key]) ?? "";
      if (reasoning === "") continue;
      this.#reasoning += reasoning;
      this.#reasoningKey = key;
      deltas.push({ channel: "reasoning", text: reasoning });
      break;
    }
    if (text + refusal !== "") deltas.push({ channel: "text", text: text + refusal });
    for (const piece of arrayOf(delta["tool_calls"])) {
      const part = this.#takeCallPiece(objectOf(piece) ?? {});
      if (part !== "") deltas.push({ channel: "arguments", text: part });
    }
    return deltas;
  }

  #takeCallPiece(piece: WireObject): string {
    const called = objectOf(piece["function"]) ?? {};
    const argumentText = argumentPiece(called["arguments"]);
    addCallPiece(this.#calls, {
      index: counterOf(piece["index"]),
      id: textOf(piece["id"]) ?? "",
      name: textOf(called["name"]) ?? "",
      arguments: argumentText,
    });
    return argumentText;
  }

  #checkEnd(): void {
    const received = this.outputReceived;
    if (this.#choices === 0) {
      if (this.#events === 0)
        throw streamFailure("cut-stream", "The stream ended before its first event.", false);
      throw streamFailure("malformed", `The stream held ${this.#events} events and no choice.`, false);
    }
    const reason = this.#finishReason;
    if (reason === undefined) {
      throw streamFailure(
        "cut-stream",
        "The stream ended without a finish reason: the answer was cut.",
        received,
      );
    }
    const failure = failureOfFinish(reason);
    if (failure !== undefined) {
      throw streamFailure(
        failure,
        `The answer was stopped before its end (finish reason ${bounded(reason, 80)}).`,
        received,
      );
    }
    if (this.#calls.some((call) => call.name === "")) {
      throw streamFailure("malformed", "The answer holds a tool call without a function name.", received);
    }
  }

  #items(): AssistantItem[] {
    const items: AssistantItem[] = [];
    if (this.#reasoning !== "") {
      const json = JSON.stringify({ [this.#reasoningKey]: this.#reasoning });
      items.push({
        type: "reasoning",
        text: this.#reasoning,
        source: { provider: this.#provider, wire: "chat", json },
      });
    }
    if (this.#text !== "") items.push({ type: "assistant-message", text: this.#text });
    if (this.#refusal !== "") items.push({ type: "assistant-message", text: this.#refusal, refusal: true });
    for (const call of this.#calls) {
      items.push({
        type: "tool-call",
        callId: call.id,
        tool: this.#names.fromWire(call.name).slice(0, 256),
        arguments: call.arguments.trim() === "" ? "{}" : call.arguments,
      });
    }
    return items;
  }
}

/** Some servers send whole arguments as an object instead of text. */
function argumentPiece(value: unknown): string {
  return textOf(value) ?? (objectOf(value) === undefined ? "" : JSON.stringify(value));
}
