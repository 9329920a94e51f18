/** Messages as they travel between sessions, and what their receipts say. Pure. */
import { endpointId } from "./endpoint.ts";
import { refusalPrefix } from "./peer-decisions.ts";
import { PeerMessageError } from "./peer-error.ts";
import type { Message } from "./peer-state.ts";
import type { MessageLetter, ReceiptLetter } from "./peer-transport.ts";

export function letterOf({ id, sender, receiver, payload, createdAt }: Message): MessageLetter {
  return { kind: "message", version: 1, id, sender, receiver, payload, createdAt };
}

/** What the receiving session says of a message; `receiverIsOpen`: the receiver can still take it. */
export function receiptOf(
  { id, sender, receiver, state, result }: Message,
  receiverIsOpen: boolean,
): ReceiptLetter {
  const settled = state === "acknowledged" || state === "cancelled";
  return {
    ...{ kind: "receipt", version: 1, id, sender, receiver },
    state: settled ? state : "queued",
    ...(settled || receiverIsOpen ? {} : { receiverEnded: true }),
    ...(result === undefined ? {} : { result }),
  };
}

/** The refusal of a message that the other session would not have. */
export function refusalOf({ id, receiver, result = "" }: Message): PeerMessageError {
  const reason = result.slice(refusalPrefix.length);
  const known = ["grant", "capacity", "endpoint-lifecycle", "identity-conflict", "payload-limit"] as const;
  return new PeerMessageError(
    known.find((each) => each === reason) ?? "grant",
    `The session of ${endpointId(receiver)} refused the message ${JSON.stringify(id)} (${reason}). Once the cause is gone, the same message may be sent again.`,
  );
}
