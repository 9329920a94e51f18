import type { ModelEndpoint, ModelItem, ModelRequest } from "../../orchestrator/contract/model.ts";
import { parseToolArguments } from "../../orchestrator/model-exchange/tool-arguments.ts";
import type { WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { serverEffort, takesParallelCalls } from "./model-families.ts";
import { dataUrl, objectIn, type WireObject } from "./wire-values.ts";

/** The body of `POST /chat/completions`. */
export function chatBody(endpoint: ModelEndpoint, request: ModelRequest, names: WireNames): WireObject {
  const tools = request.tools.map((tool) => ({
    type: "function",
    function: { name: names.toWire(tool.name), description: tool.description, parameters: tool.parameters },
  }));
  // Compatible servers know the older name of the limit; the official API refuses it for newer models.
  const limitKey = endpoint.baseUrl === undefined ? "max_completion_tokens" : "max_tokens";
  return {
    model: request.model,
    messages: chatMessages(request, endpoint, names),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && takesParallelCalls(request.model) ? { parallel_tool_calls: true } : {}),
    ...(endpoint.reasoning && request.reasoningEffort !== undefined
      ? { reasoning_effort: serverEffort(request.reasoningEffort) }
      : {}),
    ...(request.maxOutputTokens === undefined ? {} : { [limitKey]: request.maxOutputTokens }),
    ...(request.promptCacheKey === undefined || endpoint.baseUrl !== undefined
      ? {}
      : { prompt_cache_key: request.promptCacheKey }),
  };
}

function chatMessages(request: ModelRequest, endpoint: ModelEndpoint, names: WireNames): WireObject[] {
  const messages: WireObject[] =
    request.instructions === "" ? [] : [{ role: "system", content: request.instructions }];
  let turn: ModelItem[] = [];
  const closeTurn = (): void => {
    messages.push(...assistantMessage(turn, endpoint, names));
    turn = [];
  };
  for (const item of request.items) {
    if (item.type === "user-message") {
      closeTurn();
      messages.push({ role: "user", content: userContent(item) });
    } else if (item.type === "tool-result") {
      closeTurn();
      const content = item.output === "" ? "(no output)" : item.output;
      messages.push({ role: "tool", tool_call_id: item.callId, content });
    } else {
      turn.push(item);
    }
  }
  closeTurn();
  return messages;
}

function userContent({ text, images }: Extract<ModelItem, { type: "user-message" }>): unknown {
  if (images === undefined) return text;
  return [
    { type: "text", text },
    ...images.map((image) => ({ type: "image_url", image_url: { url: dataUrl(image) } })),
  ];
}

/** One turn of the model as one message. A turn of reasoning alone has no form here and is left out. */
function assistantMessage(
  turn: readonly ModelItem[],
  endpoint: ModelEndpoint,
  names: WireNames,
): WireObject[] {
  const text = turn.flatMap((item) => (item.type === "assistant-message" ? item.text : [])).join("\n\n");
  const toolCalls = turn.flatMap((item) =>
    item.type === "tool-call"
      ? [
          {
            id: item.callId,
            type: "function",
            function: { name: names.toWire(item.tool), arguments: sendableArguments(item.arguments) },
          },
        ]
      : [],
  );
  if (text === "" && toolCalls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...reasoningFields(turn, endpoint),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
  ];
}

/** Servers parse the arguments of earlier calls; text that is no object would make every later request fail. */
function sendableArguments(text: string): string {
  return parseToolArguments(text).ok ? text : JSON.stringify({ unparsable_arguments: text });
}

/** Reasoning goes back to the server it came from, in the field it came in. */
function reasoningFields(turn: readonly ModelItem[], endpoint: ModelEndpoint): WireObject {
  const sources = turn.flatMap((item) =>
    item.type === "reasoning" && item.source?.wire === "chat" && item.source.provider === endpoint.provider
      ? (objectIn(item.source.json) ?? [])
      : [],
  );
  return Object.assign({}, ...sources) as WireObject;
}
