/**
 * The mail of one session: each operation decides, writes, and only then shows its effect, one after the other. Between sessions the
 * transport carries letters; both journals are the truth, and whatever travels may come twice or late.
 */
import { failureOf } from "../contract/failure.ts";
import { type Endpoint, sameEndpoint } from "./endpoint.ts";
import {
  type GrantRequest,
  type Lifecycle,
  type PeerDraft,
  type Resolution,
  acknowledgeRecords,
  answeredRecords,
  arrivalRecords,
  grantRecords,
  isRefused,
  noMessage,
  receiveRecords,
  refusalPrefix,
  resolveRecords,
  revokeRecords,
  sendRecords,
  uncertainRecords,
} from "./peer-decisions.ts";
import { PeerMessageError } from "./peer-error.ts";
import { letterOf, receiptOf, refusalOf } from "./peer-letters.ts";
import { type PeerJournal, openPeerJournal } from "./peer-journal.ts";
import type { PeerRecord } from "./peer-records.ts";
import { type Grant, type Message, PeerState, isSettled } from "./peer-state.ts";
import type { MessageLetter, PeerLetter, PeerTransport, ReceiptLetter } from "./peer-transport.ts";

export type PeerServiceParts = {
  /** Root conversation of the session. */
  readonly session: string;
  readonly journalPath: string;
  readonly transport: PeerTransport;
  readonly isOpen: Lifecycle;
  /** Ids of messages whose handing over is in the receiver's durable record although their acknowledgment may be lost. */
  readonly handedOver: ReadonlySet<string>;
  readonly report: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Longest wait for what the other session says of a message, in ms. */
  readonly receiptMs?: number;
};

/** How a wait ended. */
export type WaitEnd = {
  readonly state: "acknowledged" | "cancelled" | "timeout" | "closed" | "queued";
  readonly message: Message | undefined;
};

const defaultReceiptMs = 2_000;
/** Messages handed over at one boundary. */
export const mailPerBoundary = 16;

export class PeerService {
  readonly #parts: PeerServiceParts;
  readonly #state: PeerState;
  readonly #journal: PeerJournal;
  readonly #watchers = new Set<() => void>();
  #tail: Promise<unknown> = Promise.resolve();
  #attending: Promise<{ close(): Promise<void> }> | undefined;
  #stopReturn: (() => void) | undefined;
  #closed = false;

  private constructor(parts: PeerServiceParts, state: PeerState, journal: PeerJournal) {
    this.#parts = parts;
    this.#state = state;
    this.#journal = journal;
  }

  /** Opens the mail of a session whose conversation this process may write. Claims of a dead host become uncertain. */
  static async open(parts: PeerServiceParts): Promise<PeerService> {
    const state = new PeerState();
    const journal = await openPeerJournal(parts.journalPath, (record) => state.apply(record), {
      onSyncFailure: parts.report,
    });
    const service = new PeerService(parts, state, journal);
    await service.#write(() => service.#afterRestart());
    service.#stopReturn = parts.transport.onReturn(() => service.#postAgain());
    if (state.grants.some(({ scope }) => scope !== "local")) await service.#attend();
    return service;
  }

  /** What was handed over is handled, whatever became of its acknowledgment; the other open claims are uncertain. */
  #afterRestart(): readonly PeerDraft[] {
    return uncertainRecords(this.#state, undefined).map(({ id }) =>
      this.#parts.handedOver.has(id) ? { kind: "acknowledged", id } : { kind: "uncertain", id },
    );
  }

  async grant(request: GrantRequest): Promise<Grant> {
    await this.#write(() => grantRecords(this.#state, request, this.#parts.isOpen));
    if (request.scope !== "local") await this.#attend();
    return this.#grant(request.id);
  }

  async revoke(id: string): Promise<Grant> {
    await this.#write(() => revokeRecords(this.#state, id));
    return this.#grant(id);
  }

  /** Active grants of an endpoint. */
  discover(endpoint: Endpoint): readonly Grant[] {
    return this.#state.grants.filter(
      ({ active, sender, receiver }) =>
        active && (sameEndpoint(sender, endpoint) || sameEndpoint(receiver, endpoint)),
    );
  }

  /** Sends; to another session, waits shortly for what that says. Rejects with its refusal. */
  async send(sender: Endpoint, receiver: Endpoint, id: string, text: string): Promise<Message> {
    await this.#write(() =>
      sendRecords(this.#state, { id, sender, receiver, text, now: this.#parts.now() }, this.#parts.isOpen),
    );
    const message = this.#message(id);
    if (message.scope !== "outgoing" || isSettled(message)) return message;
    return this.#carry(message);
  }

  /** Claims the oldest waiting message of a receiver, or the named one; undefined when none waits. */
  async receive(receiver: Endpoint, id: string | undefined): Promise<Message | undefined> {
    const [claim] = await this.#write(() => receiveRecords(this.#state, receiver, id));
    return claim === undefined ? undefined : this.#message(claim.id);
  }

  async acknowledge(receiver: Endpoint, id: string, token: number): Promise<Message> {
    await this.#settle(id, () => acknowledgeRecords(this.#state, receiver, id, token));
    return this.#message(id);
  }

  async resolve(id: string, token: number | undefined, action: Resolution): Promise<Message> {
    await this.#settle(id, () => resolveRecords(this.#state, id, token, action, this.#parts.isOpen));
    return this.#message(id);
  }

  /** The message, if it is the endpoint's; the primary (undefined) sees all. */
  inspect(viewer: Endpoint | undefined, id: string): Message {
    const message = this.#state.message(id);
    if (message === undefined || !isVisible(message, viewer)) throw noMessage(id);
    return message;
  }

  /** All messages the endpoint may see, in the order they were sent. */
  visible(viewer: Endpoint | undefined): readonly Message[] {
    return this.#state.messages.filter((message) => isVisible(message, viewer));
  }

  /** Waits for the end of a named message, or for one that waits for the endpoint. Rejects with the signal's reason. */
  async wait(
    endpoint: Endpoint,
    id: string | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<WaitEnd> {
    const viewer = endpoint.child === undefined ? undefined : endpoint;
    const look = (): WaitEnd | undefined =>
      id === undefined ? this.#waiting(endpoint) : this.#ended(this.inspect(viewer, id));
    const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
    const over = AbortSignal.any([timeout, signal]);
    for (;;) {
      const end = look();
      if (end !== undefined) return end;
      if (timeout.aborted || timeoutMs <= 0)
        return { state: "timeout", message: id === undefined ? undefined : this.#message(id) };
      await this.#change(over);
      signal.throwIfAborted();
    }
  }

  /** Messages that are handed to a receiver at its boundary by a grant with context. */
  contextWaiting(receiver: Endpoint): readonly Message[] {
    return this.#state
      .addressedTo(receiver)
      .filter(
        (message) =>
          message.state === "queued" &&
          message.scope !== "outgoing" &&
          this.#state.grantFor(message.sender, message.receiver)?.context === true,
      )
      .slice(0, mailPerBoundary);
  }

  /** Resolves when there are such messages, when the mailbox is closed, or when `signal` aborts. */
  async contextArrival(receiver: Endpoint, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#closed && this.contextWaiting(receiver).length === 0)
      await this.#change(signal);
  }

  /** Hands those over: each is claimed, put into the durable record by `record`, and then acknowledged. Answers them in order. */
  async handOver(
    receiver: Endpoint,
    record: (message: Message) => Promise<void>,
  ): Promise<readonly Message[]> {
    const handed: Message[] = [];
    for (const { id } of this.contextWaiting(receiver)) {
      const message = await this.receive(receiver, id);
      if (message?.token === undefined) continue;
      await record(message);
      await this.acknowledge(receiver, id, message.token);
      handed.push(message);
    }
    return handed;
  }

  /** A child has ended: what it had claimed is uncertain, and who waits for it hears so. */
  async endpointEnded(endpoint: Endpoint): Promise<void> {
    // The next host finds every open claim anyway.
    if (this.#closed) return;
    await this.#write(() => uncertainRecords(this.#state, endpoint));
    this.#announce();
    await this.tellOfEnded(endpoint);
  }

  /**
   * Tells other sessions of messages that their receiver, a child that has ended, does not take any more: one, or all that there are. To
   * be called once {@link PeerServiceParts.isOpen} knows the jobs of this session.
   */
  async tellOfEnded(endpoint?: Endpoint): Promise<void> {
    const left = this.#state.messages.filter(
      (message) =>
        message.scope === "incoming" &&
        !isSettled(message) &&
        (endpoint === undefined || sameEndpoint(message.receiver, endpoint)) &&
        !this.#parts.isOpen(message.receiver),
    );
    for (const message of left) await this.#postOrReport(message.sender.session, this.#receipt(message));
  }

  /** Stops attending; who waits hears that the mailbox is closed. What is written stays for the next host. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopReturn?.();
    this.#announce();
    await this.#tail.catch(() => undefined);
    const attended = await this.#attending?.catch(() => undefined);
    await attended?.close();
    await this.#journal.close();
  }

  /** Decides under the state as it is when everything before is written; applies only what is written. */
  #write(decide: () => readonly PeerDraft[]): Promise<readonly PeerDraft[]> {
    const work = this.#tail.then(async () => {
      if (this.#closed) throw new PeerMessageError("closed", "The mailbox of this session is closed.");
      const drafts = decide();
      const records = drafts.map((draft): PeerRecord => ({ ...draft, at: this.#parts.now() }));
      await this.#journal.append(records);
      for (const record of records) this.#state.apply(record);
      if (records.length > 0) this.#announce();
      return drafts;
    });
    this.#tail = work.catch(() => undefined);
    return work;
  }

  /** Writes what settles a message, and tells the session it came from. */
  async #settle(id: string, decide: () => readonly PeerDraft[]): Promise<void> {
    const written = await this.#write(decide);
    const message = this.#state.message(id);
    if (written.length === 0 || message?.scope !== "incoming" || !isSettled(message)) return;
    await this.#postOrReport(message.sender.session, this.#receipt(message));
  }

  async #attend(): Promise<void> {
    this.#attending ??= this.#parts.transport.attend(this.#parts.session, (letter) => this.#take(letter));
    try {
      await this.#attending;
      this.#postAgain();
    } catch (error) {
      // The carrier is away: attended with the next grant, or when it is back.
      this.#attending = undefined;
      this.#parts.report(error);
    }
  }

  /** The carrier was away, or this host is new: what the other sessions have not settled is told once more. */
  #postAgain(): void {
    if (this.#closed) return;
    if (this.#attending === undefined && this.#state.grants.some(({ scope }) => scope !== "local"))
      void this.#attend();
    for (const message of this.#state.messages)
      if (message.scope === "outgoing" && !isSettled(message))
        void this.#postOrReport(message.receiver.session, letterOf(message));
  }

  #receipt(message: Message): ReceiptLetter {
    return receiptOf(message, this.#parts.isOpen(message.receiver));
  }

  async #postOrReport(session: string, letter: PeerLetter): Promise<void> {
    await this.#parts.transport.post(session, letter).catch(this.#parts.report);
  }

  async #carry(message: Message): Promise<Message> {
    try {
      await this.#parts.transport.post(message.receiver.session, letterOf(message));
    } catch (error) {
      throw new PeerMessageError(
        "transport-unavailable",
        `Whether the message ${JSON.stringify(message.id)} arrived is unknown (${failureOf(error).message}). It is kept here and goes out when the connection is back; repeat it with the same id, not with another.`,
        { cause: error },
      );
    }
    const timeout = AbortSignal.timeout(this.#parts.receiptMs ?? defaultReceiptMs);
    for (;;) {
      const now = this.#message(message.id);
      if (isRefused(now)) throw refusalOf(now);
      if (now.accepted || isSettled(now) || timeout.aborted || this.#closed) return now;
      await this.#change(timeout);
    }
  }

  /** One letter from another session. Rejects only when nothing could be written, so that it is offered again. */
  async #take(letter: PeerLetter): Promise<void> {
    if (letter.kind === "receipt") return this.#takeReceipt(letter);
    if (letter.receiver.session !== this.#parts.session) return;
    await this.#postOrReport(letter.sender.session, await this.#takeMessage(letter));
  }

  async #takeMessage(letter: MessageLetter): Promise<ReceiptLetter> {
    try {
      await this.#write(() => arrivalRecords(this.#state, letter, this.#parts.isOpen));
      return this.#receipt(this.#message(letter.id));
    } catch (error) {
      if (
        !(error instanceof PeerMessageError) ||
        error.reason === "closed" ||
        error.reason === "storage-limit"
      )
        throw error;
      const { id, sender, receiver } = letter;
      return {
        ...{ kind: "receipt", version: 1, id, sender, receiver, state: "cancelled" },
        result: `${refusalPrefix}${error.reason}`,
        explanation: error.message.slice(0, 1_024).toWellFormed(),
      };
    }
  }

  async #takeReceipt(receipt: ReceiptLetter): Promise<void> {
    const { id, sender, receiver, state, result, receiverEnded = false } = receipt;
    const message = this.#state.message(id);
    if (message === undefined || !sameEndpoint(message.sender, sender)) return;
    if (!sameEndpoint(message.receiver, receiver)) return;
    await this.#write(() => answeredRecords(this.#state, id, { state, result, receiverEnded }));
  }

  #waiting(endpoint: Endpoint): WaitEnd | undefined {
    if (this.#closed || !this.#parts.isOpen(endpoint)) return { state: "closed", message: undefined };
    const message = this.#state
      .addressedTo(endpoint)
      .find((each) => each.state === "queued" && each.scope !== "outgoing");
    return message === undefined ? undefined : { state: "queued", message };
  }

  #ended(message: Message): WaitEnd | undefined {
    if (message.state === "acknowledged" || message.state === "cancelled")
      return { state: message.state, message };
    const isGone =
      message.scope === "outgoing" ? message.receiverEnded : !this.#parts.isOpen(message.receiver);
    return this.#closed || isGone ? { state: "closed", message } : undefined;
  }

  /** Resolves with the next change, or on abort. */
  #change(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#watchers.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#watchers.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #announce(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #grant(id: string): Grant {
    const grant = this.#state.grant(id);
    if (grant === undefined)
      throw new PeerMessageError("not-found", `There is no grant ${JSON.stringify(id)}.`);
    return grant;
  }

  #message(id: string): Message {
    const message = this.#state.message(id);
    if (message === undefined) throw noMessage(id);
    return message;
  }
}

function isVisible({ sender, receiver }: Message, viewer: Endpoint | undefined): boolean {
  return viewer === undefined || sameEndpoint(sender, viewer) || sameEndpoint(receiver, viewer);
}
