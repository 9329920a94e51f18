/** One JSON-RPC message of a client: decoded and looked at before the protocol library sees it. */
import { type AnyMessage, type JsonRpcId, RequestError } from "@agentclientprotocol/sdk";
import { checkJsonNesting, jsonDepthLimit } from "../../../orchestrator/contract/json-nesting.ts";
import { idLimit, messageCharacterLimit, methodNameLimit } from "./message-limits.ts";

/** A message, or how what came in its place is answered. */
export type Decoded =
  | { readonly kind: "message"; readonly message: AnyMessage }
  | { readonly kind: "fault"; readonly answer: AnyMessage };

/** An error response. `id` is null where the request's own cannot be told. */
export function faultAnswer(error: RequestError, id: JsonRpcId = null): AnyMessage {
  return { jsonrpc: "2.0", id, error: error.toErrorResponse() };
}

/** The answer to a message that is longer than the bound. */
export function oversizedAnswer(): AnyMessage {
  return faultAnswer(
    RequestError.invalidRequest(
      { limit: messageCharacterLimit },
      `a message may have ${messageCharacterLimit} characters; this one was longer and was skipped`,
    ),
  );
}

/** Decodes the bytes of one message. Never repeats what came: it may hold credentials. */
export function decodeMessage(bytes: Uint8Array): Decoded {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return fault(RequestError.parseError(undefined, "the message is not UTF-8"));
  }
  if (text.length > messageCharacterLimit) return { kind: "fault", answer: oversizedAnswer() };
  try {
    checkJsonNesting(text);
  } catch {
    return fault(
      RequestError.invalidRequest(
        { limit: jsonDepthLimit },
        `a message may nest ${jsonDepthLimit} deep; this one nests deeper`,
      ),
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault(RequestError.parseError(undefined, "the message is no JSON"));
  }
  return checkMessage(value);
}

/** Looks at the envelope of a parsed message. */
export function checkMessage(value: unknown): Decoded {
  if (Array.isArray(value)) return invalid("JSON-RPC batches are not supported; send one message at a time");
  if (typeof value !== "object" || value === null) return invalid("a message is a JSON object");
  const { jsonrpc, id, method } = value as { jsonrpc?: unknown; id?: unknown; method?: unknown };
  // A request is answered by its id; the id of something else may be one of ours.
  const requestId = typeof method === "string" && isId(id) ? id : null;
  if (jsonrpc !== "2.0") return invalid('a message has "jsonrpc": "2.0"', requestId);
  if ("id" in value && !isId(id))
    return invalid(`an id is a number, null or a string of at most ${idLimit} characters`);
  if (!("method" in value)) {
    const isResponse = "id" in value && "result" in value !== "error" in value;
    return isResponse
      ? { kind: "message", message: value as AnyMessage }
      : invalid("a message has a method, or an id and either a result or an error");
  }
  if (typeof method !== "string" || method.length > methodNameLimit)
    return invalid(`a method is a string of at most ${methodNameLimit} characters`, isId(id) ? id : null);
  return { kind: "message", message: value as AnyMessage };
}

function isId(value: unknown): value is JsonRpcId {
  if (typeof value === "string") return value.length <= idLimit;
  return value === null || (typeof value === "number" && Number.isFinite(value));
}

function invalid(rule: string, id: JsonRpcId = null): Decoded {
  return { kind: "fault", answer: faultAnswer(RequestError.invalidRequest(undefined, rule), id) };
}

function fault(error: RequestError): Decoded {
  return { kind: "fault", answer: faultAnswer(error) };
}
