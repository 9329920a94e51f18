import type {
  ModelEndpoint,
  ModelItem,
  ModelRequest,
  ToolSchema,
  WireItem,
} from "../../orchestrator/contract/model.ts";
import type { WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { serverEffort, takesParallelCalls } from "./model-families.ts";
import { dataUrl, objectIn, textOf, type WireObject } from "./wire-values.ts";

/**
 * The body of `POST /responses` but for `tools` and `input`. Nothing is stored by the server, so the whole conversation goes along with
 * each request.
 */
export function responsesHead(endpoint: ModelEndpoint, request: ModelRequest): WireObject {
  const { tools } = request;
  return {
    model: request.model,
    ...(request.instructions === "" ? {} : { instructions: request.instructions }),
    stream: true,
    store: false,
    ...(tools.length > 0 && takesParallelCalls(request.model) ? { parallel_tool_calls: true } : {}),
    ...(endpoint.reasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(endpoint.reasoning && request.reasoningEffort !== undefined
      ? { reasoning: { effort: serverEffort(request.reasoningEffort) } }
      : {}),
    ...(request.maxOutputTokens === undefined ? {} : { max_output_tokens: request.maxOutputTokens }),
    ...(request.promptCacheKey === undefined ? {} : { prompt_cache_key: request.promptCacheKey }),
  };
}

/** The tools as the body offers them. */
export function responsesTools(tools: readonly ToolSchema[], names: WireNames): readonly WireObject[] {
  return tools.map((tool) => ({
    type: "function",
    name: names.toWire(tool.name),
    description: tool.description,
    parameters: tool.parameters,
    strict: false,
  }));
}

/** An item as `input` holds it; nothing where the server has no use for it. */
export function inputItems(item: ModelItem, endpoint: ModelEndpoint, names: WireNames): WireObject[] {
  switch (item.type) {
    case "user-message":
      return [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: item.text },
            ...(item.images ?? []).map((image) => ({ type: "input_image", image_url: dataUrl(image) })),
          ],
        },
      ];
    case "assistant-message":
      return [verbatim(item.source, endpoint) ?? { type: "message", role: "assistant", content: item.text }];
    case "reasoning":
      return reasoningItems(verbatim(item.source, endpoint));
    case "tool-call":
      return [
        verbatim(item.source, endpoint) ?? {
          type: "function_call",
          call_id: item.callId,
          name: names.toWire(item.tool),
          arguments: item.arguments,
        },
      ];
    case "tool-result":
      break;
  }
  return [{ type: "function_call_output", call_id: item.callId, output: item.output }];
}

/** The item as its provider sent it, when this is that provider and wire form and the record of it can be read. */
function verbatim(source: WireItem | undefined, endpoint: ModelEndpoint): WireObject | undefined {
  if (source === undefined || source.wire !== "responses" || source.provider !== endpoint.provider)
    return undefined;
  return objectIn(source.json);
}

/** Without its encrypted content a reasoning item is only a reference to something the server did not store. */
function reasoningItems(item: WireObject | undefined): WireObject[] {
  if (item === undefined) return [];
  return item["type"] !== "reasoning" || textOf(item["encrypted_content"]) !== undefined ? [item] : [];
}
