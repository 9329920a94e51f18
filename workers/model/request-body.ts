import type { ModelEndpoint, ModelRequest } from "../../orchestrator/contract/model.ts";
import type { WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { chatBody } from "./chat-request.ts";
import { cleanJson } from "./clean-text.ts";
import { responsesBody } from "./responses-request.ts";

/** What is posted for a request: path below the base URL, and the JSON body. */
export interface WireRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request in the endpoint's wire form, with all text cleaned. Nothing of earlier failures is in it. */
export function wireRequest(endpoint: ModelEndpoint, request: ModelRequest, names: WireNames): WireRequest {
  const path = endpoint.wire === "chat" ? "/chat/completions" : "/responses";
  const body =
    endpoint.wire === "chat" ? chatBody(endpoint, request, names) : responsesBody(endpoint, request, names);
  return { path, body: cleanJson(body) as Record<string, unknown> };
}
