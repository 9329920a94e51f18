import type { AssistantItem, ModelResponse, WireItem } from "../../orchestrator/contract/model.ts";
import { ModelRequestError } from "../../orchestrator/contract/model-failure.ts";
import type { WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { bounded, classifyRefusal } from "./failure-classification.ts";
import {
  failureOfFinish,
  streamFailure,
  usageOf,
  withUniqueCallIds,
  type OutputDelta,
  type StreamAssembler,
} from "./stream-assembly.ts";
import { counterOf, objectOf, objectsOf, textOf, type WireObject } from "./wire-values.ts";

const deltaChannels: Readonly<Record<string, OutputDelta["channel"]>> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "text",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning",
  "response.function_call_arguments.delta": "arguments",
};

/** Puts a Responses stream together from its finished output items. */
export class ResponsesStreamAssembler implements StreamAssembler {
  readonly #provider: string;
  readonly #names: WireNames;
  readonly #usedCallIds: ReadonlySet<string>;
  /** Finished items by output index; items without one follow in order of arrival. */
  readonly #done = new Map<number, WireObject>();
  #events = 0;
  #outputReceived = false;
  #response: WireObject | undefined;
  #endType: string | undefined;

  constructor(provider: string, names: WireNames, usedCallIds: ReadonlySet<string>) {
    this.#provider = provider;
    this.#names = names;
    this.#usedCallIds = usedCallIds;
  }

  get outputReceived(): boolean {
    return this.#outputReceived;
  }

  get isComplete(): boolean {
    return this.#endType !== undefined;
  }

  push(event: unknown): readonly OutputDelta[] {
    this.#events += 1;
    const fields = objectOf(event) ?? {};
    const type = textOf(fields["type"]) ?? "";
    const channel = Object.hasOwn(deltaChannels, type) ? deltaChannels[type] : undefined;
    if (channel !== undefined) return this.#takeDelta(channel, textOf(fields["delta"]) ?? "");
    switch (type) {
      case "response.output_item.added":
        this.#outputReceived = true;
        return [];
      case "response.output_item.done":
        this.#takeItem(fields);
        return [];
      case "response.completed":
      case "response.incomplete":
        this.#endType = type;
        this.#response = objectOf(fields["response"]) ?? {};
        return [];
      case "response.failed":
        throw this.#reported(objectOf(objectOf(fields["response"])?.["error"]) ?? {});
      case "error":
        throw this.#reported(objectOf(fields["error"]) ?? fields);
      default:
        return [];
    }
  }

  finish(): ModelResponse {
    const response = this.#response;
    if (response === undefined) {
      const seen =
        this.#events === 0 ? "before its first event" : "without response.completed: the answer was cut";
      throw streamFailure("cut-stream", `The stream ended ${seen}.`, this.#outputReceived);
    }
    if (this.#endType === "response.incomplete") throw this.#incomplete(response);
    const items = this.#outputItems(response);
    const responseId = textOf(response["id"]);
    return {
      items: withUniqueCallIds(
        items.flatMap((item) => this.#itemOf(item)),
        this.#usedCallIds,
      ),
      usage: usageOf(objectOf(response["usage"]) ?? {}, "input", "output"),
      ...(responseId === undefined ? {} : { responseId }),
    };
  }

  #takeDelta(channel: OutputDelta["channel"], text: string): OutputDelta[] {
    if (text === "") return [];
    this.#outputReceived = true;
    return [{ channel, text }];
  }

  #takeItem(fields: WireObject): void {
    const item = objectOf(fields["item"]);
    if (item === undefined) return;
    this.#outputReceived = true;
    this.#done.set(counterOf(fields["output_index"]) ?? this.#done.size, item);
  }

  #reported(error: WireObject): ModelRequestError {
    const code = textOf(error["code"]);
    const type = textOf(error["type"]);
    return new ModelRequestError(
      classifyRefusal(
        {
          message: textOf(error["message"]) ?? "The provider reported a failure inside the stream.",
          ...(code === undefined ? {} : { code }),
          ...(type === undefined || type === "error" ? {} : { type }),
        },
        this.#outputReceived,
      ),
    );
  }

  #incomplete(response: WireObject): ModelRequestError {
    const reason = textOf(objectOf(response["incomplete_details"])?.["reason"]) ?? "not given";
    const code = failureOfFinish(reason) ?? "cut-stream";
    return streamFailure(
      code,
      `The response is incomplete (reason: ${bounded(reason, 80)}).`,
      this.#outputReceived,
    );
  }

  /** Servers that send no item events put everything into the final response. */
  #outputItems(response: WireObject): readonly WireObject[] {
    if (this.#done.size > 0) {
      return [...this.#done.entries()].toSorted(([left], [right]) => left - right).map(([, item]) => item);
    }
    if (!Array.isArray(response["output"])) {
      throw streamFailure("malformed", "The completed response holds no output list.", this.#outputReceived);
    }
    return objectsOf(response["output"]);
  }

  #itemOf(item: WireObject): AssistantItem[] {
    const source: WireItem = { provider: this.#provider, wire: "responses", json: JSON.stringify(item) };
    switch (item["type"]) {
      case "message":
        return messageItems(item, source);
      case "function_call":
        return [this.#callItem(item, source)];
      case "reasoning":
        return [{ type: "reasoning", text: reasoningText(item), source }];
      default:
        return [{ type: "reasoning", text: "", source }];
    }
  }

  #callItem(item: WireObject, source: WireItem): AssistantItem {
    const name = textOf(item["name"]) ?? "";
    if (name === "") throw streamFailure("malformed", "The answer holds a tool call without a name.", true);
    if (item["status"] === "incomplete") {
      throw streamFailure("cut-stream", "The answer holds a tool call that is marked incomplete.", true);
    }
    const text = textOf(item["arguments"]) ?? "";
    return {
      type: "tool-call",
      callId: textOf(item["call_id"]) ?? textOf(item["id"]) ?? "",
      tool: this.#names.fromWire(name).slice(0, 256),
      arguments: text.trim() === "" ? "{}" : text,
      // A call sent back verbatim must hold the arguments we recorded.
      ...(text.trim() === "" || textOf(item["call_id"]) === undefined ? {} : { source }),
    };
  }
}

function messageItems(item: WireObject, source: WireItem): AssistantItem[] {
  const parts = objectsOf(item["content"]);
  const text = parts.map((part) => textOf(part["text"]) ?? "").join("");
  const refusal = parts.map((part) => textOf(part["refusal"]) ?? "").join("");
  if (text !== "") return [{ type: "assistant-message", text: text + refusal, source }];
  return refusal === "" ? [] : [{ type: "assistant-message", text: refusal, refusal: true, source }];
}

function reasoningText(item: WireObject): string {
  const texts = [...objectsOf(item["summary"]), ...objectsOf(item["content"])];
  return texts.flatMap((part) => textOf(part["text"]) ?? []).join("\n\n");
}
