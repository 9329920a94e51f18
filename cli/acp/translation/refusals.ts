/** Errors of the session service as ACP has them: JSON-RPC errors of standard methods, outcomes of extension methods. */
import { RequestError } from "@agentclientprotocol/sdk";
import {
  type Refusal,
  type RefusalOutcome,
  reportLimit,
} from "../../../orchestrator/contract/acp/envelope.ts";
import { type Failure, boundedMessage, failureOf } from "../../../orchestrator/contract/failure.ts";

const outcomes: Readonly<Record<string, RefusalOutcome>> = {
  busy: "busy",
  unsupported: "unsupported",
  cancelled: "cancelled",
};

/** How an extension method says that it failed. */
export function refusalOf(error: unknown): Refusal {
  const { code, message } = failureOf(error);
  return { outcome: outcomes[code] ?? "condition", code, report: boundedMessage(message, reportLimit) };
}

/** The JSON-RPC error of a standard method. `data.code` is ours and stable. */
export function requestErrorOf(error: unknown): RequestError {
  return error instanceof RequestError ? error : failureError(failureOf(error));
}

/** The JSON-RPC error of a failure. */
export function failureError({ code, message, retry, details }: Failure): RequestError {
  const data = { code, retry, ...(details === undefined ? {} : { details }) };
  switch (code) {
    case "unknown-session":
    case "not-found":
      return new RequestError(-32_002, message, data);
    case "invalid-argument":
    case "input-limit":
    case "incomplete-form":
    case "invalid-form":
    case "unknown-model":
    case "unknown-operation":
      return new RequestError(-32_602, message, data);
    case "busy":
    case "read-only":
    case "unsupported":
    case "session-closed":
      return new RequestError(-32_600, message, data);
    case "cancelled":
      return new RequestError(-32_800, message, data);
    default:
      return new RequestError(-32_603, message, data);
  }
}
