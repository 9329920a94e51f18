/** Bounds of what clients may send and hold: ACP over every transport, and the private endpoint of the session host. */
import { envelopeByteLimit } from "../../orchestrator/contract/acp/envelope.ts";
import { pageLimit } from "../../orchestrator/contract/acp/session-methods.ts";
import { topicLimits } from "../../orchestrator/settings/limits/limit.ts";
import { authenticationMs } from "../host/endpoint-handshake.ts";
import { hostLogLimit } from "../host/host-log.ts";
import { localClientLimit } from "../host/local-endpoint.ts";
import { pageByteLimit } from "./extension/response-bounds.ts";
import { clientMcpServerLimit } from "./session/client-sessions.ts";
import { permissionAnswerMs } from "./session/permission-relay.ts";
import { mergedChunkLimit } from "./translation/acp-updates.ts";
import {
  http2StreamLimit,
  httpBufferLimit,
  httpClientLimit,
  httpGoneMs,
  httpStallMs,
  httpUnopenedStreamLimit,
  networkConnectionLimit,
} from "./transports/network-limits.ts";
import {
  idLimit,
  messageByteLimit,
  messageCharacterLimit,
  methodNameLimit,
  outstandingRequestLimit,
} from "./wire/message-limits.ts";

export const acpLimits = topicLimits("clients", [
  ["one message", messageCharacterLimit, "characters"],
  ["bytes of one message", messageByteLimit, "bytes"],
  ["name of a method", methodNameLimit, "characters"],
  ["id of a request", idLimit, "characters"],
  ["unanswered requests of one connection", outstandingRequestLimit, "items"],
  ["chunks of one message sent as one", mergedChunkLimit, "characters"],
  ["one typed response", envelopeByteLimit, "bytes"],
  ["jobs or conversations of one page", pageLimit, "items"],
  ["updates of one page of history", pageByteLimit, "bytes"],
  ["MCP servers that a client brings to one session", clientMcpServerLimit, "items"],
  ["wait for an answer to a permission request", permissionAnswerMs, "milliseconds"],
  ["connections of the network port", networkConnectionLimit, "items"],
  ["HTTP clients", httpClientLimit, "items"],
  ["open requests of one HTTP/2 connection", http2StreamLimit, "items"],
  ["time without a request after which an HTTP client is gone", httpGoneMs, "milliseconds"],
  ["text held for an HTTP client that does not read", httpBufferLimit, "characters"],
  ["time of an HTTP client that does not read", httpStallMs, "milliseconds"],
  ["streams that an HTTP client has not opened", httpUnopenedStreamLimit, "items"],
  ["clients of the session host", localClientLimit, "items"],
  ["wait for the token of a client of the session host", authenticationMs, "milliseconds"],
  ["log of the session host", hostLogLimit, "bytes"],
]);
