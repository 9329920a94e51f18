import { AutolithError } from "../contract/failure.ts";

/**
 * Why a peer operation was refused.
 *
 * - `identity`: an id or endpoint that is none, or a message or grant between an endpoint and itself.
 * - `identity-conflict`, `grant-conflict`: the id is taken by something else.
 * - `receiver`, `message-scope`: the message is somebody else's to handle.
 * - `grant`: there is no current grant. `grant-capacity`, `capacity`, `payload-limit`, `storage-limit`: bounds; the message has the number.
 * - `endpoint-lifecycle`: the child has ended, or is none. `closed`: this session's mailbox is closed.
 * - `session`, `direction`: the remote side is named wrongly.
 * - `not-found`, `not-queued`, `stale-token`, `outcome-conflict`, `resolution`: the message's state does not allow it.
 * - `transport-unavailable`: whether the message arrived is unknown; repeat with the same id.
 */
export type PeerReason =
  | "identity"
  | "identity-conflict"
  | "grant-conflict"
  | "receiver"
  | "message-scope"
  | "grant"
  | "grant-capacity"
  | "capacity"
  | "payload-limit"
  | "storage-limit"
  | "endpoint-lifecycle"
  | "closed"
  | "session"
  | "direction"
  | "not-found"
  | "not-queued"
  | "stale-token"
  | "outcome-conflict"
  | "resolution"
  | "transport-unavailable";

/** Code `peer-message-error`; the reason is in `details.reason` and at the beginning of the message. */
export class PeerMessageError extends AutolithError {
  readonly reason: PeerReason;

  constructor(reason: PeerReason, message: string, options: { readonly cause?: unknown } = {}) {
    super("peer-message-error", `${reason}: ${message}`, {
      ...options,
      details: { reason },
      retry: reason === "transport-unavailable" || reason === "capacity" ? "retryable" : "terminal",
    });
    this.reason = reason;
  }
}
