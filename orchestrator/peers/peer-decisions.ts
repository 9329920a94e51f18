/** What an operation on a session's mail comes to: pure functions of the state that answer the records to write, or throw. */
import { type Endpoint, endpointId, peerIdLimit, sameEndpoint } from "./endpoint.ts";
import { PeerMessageError } from "./peer-error.ts";
import { type PeerRecord, type PeerScope, peerTextLimit } from "./peer-records.ts";
import { type Grant, type Message, type PeerState, isSettled } from "./peer-state.ts";

/** Active grants of one session. */
export const grantLimit = 128;
/** Grants of one session that are remembered, revoked ones included. */
export const rememberedGrantLimit = 1_024;
/** Messages for one receiver that are not settled. */
export const mailboxLimit = 64;
/** Messages of one session that are remembered. */
export const messageLimit = 1_024;

/** Whether an endpoint of this session can be written to: the primary always, a child while it is queued or runs. */
export type Lifecycle = (endpoint: Endpoint) => boolean;

type Draft = PeerRecord extends infer Record_
  ? Record_ extends PeerRecord
    ? Omit<Record_, "at">
    : never
  : never;
export type PeerDraft = Draft;

const none: readonly PeerDraft[] = [];

export type GrantRequest = {
  readonly id: string;
  readonly sender: Endpoint;
  readonly receiver: Endpoint;
  readonly context: boolean;
  readonly scope: PeerScope;
};

/** A grant; the same one again changes nothing, one that was revoked stays so. */
export function grantRecords(
  state: PeerState,
  request: GrantRequest,
  isOpen: Lifecycle,
): readonly PeerDraft[] {
  checkId(request.id, "grant");
  const existing = state.grant(request.id);
  if (existing !== undefined) {
    if (!existing.active)
      throw new PeerMessageError(
        "grant-conflict",
        `The grant ${JSON.stringify(request.id)} was revoked for good; use another id.`,
      );
    if (sameGrant(existing, request)) return none;
    throw new PeerMessageError(
      "grant-conflict",
      `The grant ${JSON.stringify(request.id)} exists with another content; grants do not change. Choose a new id.`,
    );
  }
  if (sameEndpoint(request.sender, request.receiver))
    throw new PeerMessageError("identity", "Sender and receiver of a grant are the same.");
  const own = [
    ...(request.scope === "incoming" ? [] : [request.sender]),
    ...(request.scope === "outgoing" ? [] : [request.receiver]),
  ];
  for (const endpoint of own) requireOpen(endpoint, isOpen);
  const { grants } = state;
  const active = grants.filter((grant) => grant.active).length;
  if (active >= grantLimit || grants.length >= rememberedGrantLimit)
    throw new PeerMessageError(
      "grant-capacity",
      `This session has ${active} active grants and remembers ${grants.length}; at most ${grantLimit} may be active and ${rememberedGrantLimit} remembered.`,
    );
  return [{ kind: "granted", ...request }];
}

export function revokeRecords(state: PeerState, id: string): readonly PeerDraft[] {
  const grant = state.grant(id);
  if (grant === undefined)
    throw new PeerMessageError("not-found", `This session has no grant ${JSON.stringify(id.slice(0, 80))}.`);
  return grant.active ? [{ kind: "revoked", id }] : none;
}

export type SendRequest = {
  readonly id: string;
  readonly sender: Endpoint;
  readonly receiver: Endpoint;
  readonly text: string;
  readonly now: number;
};

/** A message of this session's; the same one again changes nothing, and goes out again when the other session refused it. */
export function sendRecords(state: PeerState, request: SendRequest, isOpen: Lifecycle): readonly PeerDraft[] {
  checkId(request.id, "message");
  const { sender, receiver } = request;
  const isLocal = sender.session === receiver.session;
  const payload = checkText(request.text);
  const existing = state.message(request.id);
  if (existing !== undefined) {
    requireSame(existing, { sender, receiver, payload });
    if (!isRefused(existing)) return none;
  }
  if (state.grantFor(sender, receiver) === undefined)
    throw new PeerMessageError(
      "grant",
      `No current grant lets ${endpointId(sender)} write to ${endpointId(receiver)}. The primary makes grants with peer.grant.`,
    );
  if (isLocal) requireOpen(receiver, isOpen);
  if (existing !== undefined) return [{ kind: "requeued", id: request.id }];
  requireRoom(state, receiver);
  const scope = isLocal ? "local" : "outgoing";
  return [{ kind: "posted", id: request.id, sender, receiver, payload, scope, createdAt: request.now }];
}

/** A message that another session brought. Throws the reason of the refusal. */
export function arrivalRecords(
  state: PeerState,
  letter: Pick<Message, "id" | "sender" | "receiver" | "payload" | "createdAt">,
  isOpen: Lifecycle,
): readonly PeerDraft[] {
  const { id, sender, receiver, payload, createdAt } = letter;
  const existing = state.message(id);
  if (existing !== undefined) {
    requireSame(existing, letter);
    return none;
  }
  const grant = state.grantFor(sender, receiver);
  if (grant?.scope !== "incoming")
    throw new PeerMessageError(
      "grant",
      `The receiving session has no incoming grant from ${endpointId(sender)} to ${endpointId(receiver)}.`,
    );
  requireOpen(receiver, isOpen);
  requireRoom(state, receiver);
  return [{ kind: "posted", id, sender, receiver, payload, scope: "incoming", createdAt }];
}

/** The claim of the oldest message that waits for a receiver, or of a named one; none when nothing waits. */
export function receiveRecords(
  state: PeerState,
  receiver: Endpoint,
  id: string | undefined,
): readonly PeerDraft[] {
  const message =
    id === undefined
      ? state.addressedTo(receiver).find((each) => each.state === "queued" && each.scope !== "outgoing")
      : receivedMessage(state, receiver, id);
  if (message === undefined) return none;
  if (message.state !== "queued")
    throw new PeerMessageError(
      "not-queued",
      `The message ${JSON.stringify(message.id)} is ${message.state}, not queued.`,
    );
  return [{ kind: "claimed", id: message.id, token: state.nextToken }];
}

/** An acknowledgment by the receiver under its token; the same one again changes nothing. */
export function acknowledgeRecords(
  state: PeerState,
  receiver: Endpoint,
  id: string,
  token: number,
): readonly PeerDraft[] {
  const message = receivedMessage(state, receiver, id);
  requireToken(message, token);
  switch (message.state) {
    case "delivered":
      return [{ kind: "acknowledged", id }];
    case "acknowledged":
      return none;
    case "cancelled":
      throw new PeerMessageError("outcome-conflict", `The message ${JSON.stringify(id)} was cancelled.`);
    case "unknown":
    case "queued":
      throw new PeerMessageError(
        "stale-token",
        `The message ${JSON.stringify(id)} is ${message.state}: its delivery was interrupted, and only the primary can resolve it.`,
      );
  }
}

export type Resolution = "acknowledge" | "retry" | "cancel";

/** The primary's decision about an interrupted or open delivery; the same one again changes nothing. */
export function resolveRecords(
  state: PeerState,
  id: string,
  token: number | undefined,
  action: Resolution,
  isOpen: Lifecycle,
): readonly PeerDraft[] {
  const message = state.message(id);
  if (message === undefined) throw noMessage(id);
  if (message.scope === "outgoing")
    throw new PeerMessageError(
      "message-scope",
      `The message ${JSON.stringify(id)} is in the mailbox of another session; the primary there resolves it.`,
    );
  requireToken(message, token);
  if (isSettled(message)) {
    const wanted = action === "acknowledge" ? "acknowledged" : "cancelled";
    if (action !== "retry" && message.state === wanted) return none;
    throw new PeerMessageError(
      "outcome-conflict",
      `The message ${JSON.stringify(id)} is ${message.state} already.`,
    );
  }
  if (action === "acknowledge") return [{ kind: "acknowledged", id }];
  // A message that waits, for instance for a child that has ended, is withdrawn with no token.
  if (action === "retry" && message.state === "queued") return none;
  if (action === "cancel") return [{ kind: "cancelled", id, result: "resolved: cancel" }];
  if (state.grantFor(message.sender, message.receiver) === undefined)
    throw new PeerMessageError(
      "grant",
      `Retrying ${JSON.stringify(id)} needs a current grant from its sender to its receiver, and there is none.`,
    );
  // Queued for somebody who has ended it could be neither claimed nor, without a claim's token, resolved.
  if (!isOpen(message.receiver))
    throw new PeerMessageError(
      "endpoint-lifecycle",
      `${endpointId(message.receiver)} has ended and reads no mail, so ${JSON.stringify(id)} cannot be tried again. Use acknowledge or cancel, and send a new message to the child that works now.`,
    );
  return [{ kind: "requeued", id }];
}

/** Claims that nobody holds any more: those of an ended endpoint, or all after a restart. */
export function uncertainRecords(state: PeerState, receiver: Endpoint | undefined): readonly PeerDraft[] {
  return state.messages
    .filter(
      (message) =>
        message.state === "delivered" && (receiver === undefined || sameEndpoint(message.receiver, receiver)),
    )
    .map(({ id }) => ({ kind: "uncertain", id }));
}

/** What the other session says of an outgoing message. */
export function answeredRecords(
  state: PeerState,
  id: string,
  answer: {
    readonly state: "queued" | "acknowledged" | "cancelled";
    readonly result: string | undefined;
    readonly receiverEnded: boolean;
  },
): readonly PeerDraft[] {
  const message = state.message(id);
  if (message?.scope !== "outgoing" || isSettled(message)) return none;
  const accepted: readonly PeerDraft[] = message.accepted ? none : [{ kind: "accepted", id }];
  if (answer.state === "acknowledged") return [...accepted, { kind: "acknowledged", id }];
  if (answer.state === "cancelled") return [{ kind: "cancelled", id, result: answer.result ?? "cancelled" }];
  return answer.receiverEnded && !message.receiverEnded
    ? [...accepted, { kind: "receiver-ended", id }]
    : accepted;
}

/** Cancelled since the other session would not have it. */
export function isRefused(message: Pick<Message, "state" | "scope" | "result">): boolean {
  return (
    message.state === "cancelled" &&
    message.scope === "outgoing" &&
    message.result?.startsWith(refusalPrefix) === true
  );
}

export const refusalPrefix = "refused: ";

function receivedMessage(state: PeerState, receiver: Endpoint, id: string): Message {
  const message = state.message(id);
  if (message === undefined) throw noMessage(id);
  if (sameEndpoint(message.receiver, receiver)) return message;
  throw new PeerMessageError("receiver", `The message ${JSON.stringify(id)} is not addressed to you.`);
}

export function noMessage(id: string): PeerMessageError {
  return new PeerMessageError("not-found", `There is no message ${JSON.stringify(id.slice(0, 80))} here.`);
}

function requireToken(message: Message, token: number | undefined): void {
  if (message.token === token) return;
  const named = `the message ${JSON.stringify(message.id)}`;
  throw new PeerMessageError(
    "stale-token",
    token === undefined
      ? `A token is missing: ${named} was claimed. peer.inspect shows the current one.`
      : `${token} is not the current token of ${named}${message.token === undefined ? ", which nobody has claimed; the primary resolves it without a token" : ""}.`,
  );
}

function requireSame(existing: Message, given: Pick<Message, "sender" | "receiver" | "payload">): void {
  if (
    sameEndpoint(existing.sender, given.sender) &&
    sameEndpoint(existing.receiver, given.receiver) &&
    existing.payload === given.payload
  )
    return;
  throw new PeerMessageError(
    "identity-conflict",
    `The message ${JSON.stringify(existing.id)} exists with another sender, receiver or text. Choose a new id.`,
  );
}

function sameGrant(grant: Grant, request: GrantRequest): boolean {
  return (
    sameEndpoint(grant.sender, request.sender) &&
    sameEndpoint(grant.receiver, request.receiver) &&
    grant.context === request.context &&
    grant.scope === request.scope
  );
}

function requireOpen(endpoint: Endpoint, isOpen: Lifecycle): void {
  if (isOpen(endpoint)) return;
  throw new PeerMessageError(
    "endpoint-lifecycle",
    `${endpointId(endpoint)} is no child that is queued or running; it takes part in no new mail. job.list shows which are; the primary makes a grant for the one that works now.`,
  );
}

function requireRoom(state: PeerState, receiver: Endpoint): void {
  const open = state.addressedTo(receiver).filter((message) => !isSettled(message)).length;
  if (open >= mailboxLimit)
    throw new PeerMessageError(
      "capacity",
      `${open} messages for ${endpointId(receiver)} are not settled; at most ${mailboxLimit} may be. Wait until some are acknowledged.`,
    );
  if (state.messageCount >= messageLimit)
    throw new PeerMessageError(
      "capacity",
      `This session has had ${state.messageCount} messages; it remembers all of them and takes at most ${messageLimit}.`,
    );
}

function checkId(id: string, what: string): void {
  if (id.length > 0 && id.length <= peerIdLimit && !id.includes("\0") && id.isWellFormed()) return;
  throw new PeerMessageError(
    "identity",
    `The id of a ${what} is 1 to ${peerIdLimit} characters, not ${id.length}${id.includes("\0") ? " with a NUL" : ""}.`,
  );
}

/** The text as it is kept: without NUL characters, which no record bears, and well formed. */
function checkText(text: string): string {
  const kept = text.toWellFormed().replaceAll("\0", "");
  if (kept.length >= 1 && kept.length <= peerTextLimit) return kept;
  throw new PeerMessageError(
    "payload-limit",
    `The text has ${kept.length} characters; a message has 1 to ${peerTextLimit}. Put more into a file and name it.`,
  );
}
