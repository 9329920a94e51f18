/** The mail of one session in memory: a fold over its journal. Nothing here decides or writes. */
import { type Endpoint, endpointId, sameEndpoint } from "./endpoint.ts";
import type { GrantedRecord, PeerRecord, PostedRecord } from "./peer-records.ts";

export type Grant = Omit<GrantedRecord, "kind" | "at"> & { readonly active: boolean };

export type MessageState = "queued" | "delivered" | "unknown" | "acknowledged" | "cancelled";

export type Message = Omit<PostedRecord, "kind" | "at"> & {
  readonly state: MessageState;
  /** Of the latest claim; absent while queued. */
  readonly token: number | undefined;
  /** Why it was cancelled. */
  readonly result: string | undefined;
  /** Of an outgoing one: the other session has it. */
  readonly accepted: boolean;
  /** Of an outgoing one: its receiver is a child that has ended. */
  readonly receiverEnded: boolean;
};

/** Acknowledged or cancelled: nothing changes it any more, but for a refused one that is sent again. */
export function isSettled({ state }: Pick<Message, "state">): boolean {
  return state === "acknowledged" || state === "cancelled";
}

export class PeerState {
  readonly #grants = new Map<string, Grant>();
  readonly #messages = new Map<string, Message>();
  #lastToken = 0;

  get nextToken(): number {
    return this.#lastToken + 1;
  }

  /** In the order they were made. */
  get grants(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** In the order they were sent. */
  get messages(): readonly Message[] {
    return [...this.#messages.values()];
  }

  get messageCount(): number {
    return this.#messages.size;
  }

  grant(id: string): Grant | undefined {
    return this.#grants.get(id);
  }

  message(id: string): Message | undefined {
    return this.#messages.get(id);
  }

  /** The active grant for that way, one with context first. */
  grantFor(sender: Endpoint, receiver: Endpoint): Grant | undefined {
    const found = this.grants.filter(
      (grant) => grant.active && sameEndpoint(grant.sender, sender) && sameEndpoint(grant.receiver, receiver),
    );
    return found.find(({ context }) => context) ?? found[0];
  }

  /** Messages for a receiver, oldest first. */
  addressedTo(receiver: Endpoint): readonly Message[] {
    const id = endpointId(receiver);
    return this.messages.filter((message) => endpointId(message.receiver) === id);
  }

  /** Folds one record; one of an unknown grant or message changes nothing. */
  apply(record: PeerRecord): void {
    switch (record.kind) {
      case "granted": {
        const { kind: _kind, at: _at, ...grant } = record;
        if (!this.#grants.has(grant.id)) this.#grants.set(grant.id, { ...grant, active: true });
        return;
      }
      case "revoked": {
        const grant = this.#grants.get(record.id);
        if (grant !== undefined) this.#grants.set(record.id, { ...grant, active: false });
        return;
      }
      case "posted": {
        const { kind: _kind, at: _at, ...message } = record;
        if (!this.#messages.has(message.id))
          this.#messages.set(message.id, {
            ...message,
            state: "queued",
            token: undefined,
            result: undefined,
            accepted: false,
            receiverEnded: false,
          });
        return;
      }
      default:
        this.#change(record);
    }
  }

  #change(record: Exclude<PeerRecord, { kind: "granted" | "revoked" | "posted" }>): void {
    if (record.kind === "claimed") this.#lastToken = Math.max(this.#lastToken, record.token);
    const message = this.#messages.get(record.id);
    if (message === undefined) return;
    this.#messages.set(record.id, changed(message, record));
  }
}

function changed(
  message: Message,
  record: Exclude<PeerRecord, { kind: "granted" | "revoked" | "posted" }>,
): Message {
  switch (record.kind) {
    case "accepted":
      return { ...message, accepted: true };
    case "receiver-ended":
      return { ...message, receiverEnded: true };
    case "claimed":
      return { ...message, state: "delivered", token: record.token };
    case "uncertain":
      return { ...message, state: "unknown" };
    case "acknowledged":
      return { ...message, state: "acknowledged" };
    case "cancelled":
      return { ...message, state: "cancelled", result: record.result };
    case "requeued":
      return {
        ...message,
        state: "queued",
        token: undefined,
        result: undefined,
        accepted: false,
        receiverEnded: false,
      };
  }
}
