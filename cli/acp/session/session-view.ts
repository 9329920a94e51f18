/**
 * One client's view of one session: reads the session's events at the client's own speed and hands them over one by one. A client that does not
 * read holds up only this loop: the session's bounded log drops what it is too late for, and the client is told what it lost.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionUpdate as AcpUpdate, AvailableCommand } from "@agentclientprotocol/sdk";
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type {
  Attachment,
  EventBatch,
  Session,
  SessionEvent,
  SessionUpdate,
} from "../../../orchestrator/contract/session.ts";
import { type ShownKinds, acpUpdates, mergeChunks } from "../translation/acp-updates.ts";
import type { PermissionRelay } from "./permission-relay.ts";

/** Where a view's news go. Both resolve when the client's connection can take more, and reject when it is gone. */
export type Outlet = {
  readonly update: (session: Session, update: AcpUpdate) => Promise<void>;
  readonly event: (session: Session, event: ClientEvent) => Promise<void>;
};

/** `acp`: content as `session/update` and permission requests as requests; `native`: all as `_autolith/event`. */
export type ViewStyle =
  | { readonly kind: "acp"; readonly shown: ShownKinds; readonly permissions: PermissionRelay }
  | { readonly kind: "native" };

export type ViewParts = {
  readonly session: Session;
  readonly attachment: Attachment;
  readonly outlet: Outlet;
  readonly style: ViewStyle;
  readonly name: string;
  readonly readOnly: boolean;
  readonly answersPermissions: boolean;
  readonly attachedAt: number;
  /** Called once, when the view is over. */
  readonly ended: (view: SessionView) => void;
};

/** Messages after which the event loop gets its turn: a client that takes all at once must not keep others waiting. */
const messagesOfTurn = 64;

async function restAfter(index: number): Promise<void> {
  if (index % messagesOfTurn === messagesOfTurn - 1) await nextTurn();
}

type Waiter = { readonly seq: number; readonly resolve: () => void };

export class SessionView {
  readonly parts: ViewParts;
  /** The last event of the session that the client was given or has lost. */
  #delivered: number;
  /** Numbers of `_autolith/event`s in style `acp`. */
  #told = 0;
  #ended = false;
  #waiters: Waiter[] = [];

  constructor(parts: ViewParts) {
    this.parts = parts;
    this.#delivered = parts.attachment.state.eventSeq;
  }

  get session(): Session {
    return this.parts.session;
  }

  /** Begins to hand over events. Resolves when the view is over; never rejects. */
  async run(): Promise<void> {
    const { attachment, session, style } = this.parts;
    try {
      if (style.kind === "acp") style.permissions.open(session.state().permissionRequests);
      while (!this.#ended) {
        const batch = await attachment.read();
        await this.#deliver(batch);
        if (batch.ended) break;
      }
    } catch {
      // The connection is gone, which its own end tells.
    } finally {
      this.#finish();
    }
  }

  /** Hands over updates that are no events: replayed history, what a command presented. Only in style `acp`. */
  async show(updates: readonly SessionUpdate[]): Promise<void> {
    const { style, outlet, session } = this.parts;
    if (style.kind !== "acp") return;
    const bodies = mergeChunks(updates.flatMap((update) => acpUpdates(update, style.shown)));
    for (const [index, body] of bodies.entries()) {
      await outlet.update(session, body);
      await restAfter(index);
    }
  }

  /** Tells which commands can be offered. */
  async announceCommands(availableCommands: readonly AvailableCommand[]): Promise<void> {
    const { style, outlet, session } = this.parts;
    if (style.kind !== "acp" || this.#ended) return;
    await outlet.update(session, {
      sessionUpdate: "available_commands_update",
      availableCommands: [...availableCommands],
    });
  }

  /** Resolves when everything up to the session's event `seq` was handed over, or the view is over. */
  delivered(seq: number): Promise<void> {
    if (this.#ended || this.#delivered >= seq) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ seq, resolve }));
  }

  /** Ends the view from outside; the client is told why, if it can be told anything. */
  end(reason?: "taken-over" | "asked"): void {
    if (this.#ended) return;
    const { outlet, session } = this.parts;
    if (reason !== undefined) {
      const event: ClientEvent = {
        kind: "detached",
        reason,
        seq: this.#nextNumber(this.#delivered + 1),
        at: Date.now(),
      };
      outlet.event(session, event).catch(() => undefined);
    }
    this.#finish();
  }

  async #deliver({ events, lost }: EventBatch): Promise<void> {
    if (lost > 0) await this.#tellGap(lost);
    if (this.parts.style.kind === "native") await this.#deliverNative(events);
    else await this.#deliverAcp(events, this.parts.style);
    this.#advance(events.at(-1)?.seq ?? this.#delivered);
  }

  async #deliverNative(events: readonly SessionEvent[]): Promise<void> {
    const { outlet, session } = this.parts;
    for (const [index, event] of events.entries()) {
      if (this.#ended) return;
      await outlet.event(session, event);
      await restAfter(index);
    }
  }

  async #deliverAcp(
    events: readonly SessionEvent[],
    { permissions }: Extract<ViewStyle, { kind: "acp" }>,
  ): Promise<void> {
    const { outlet, session } = this.parts;
    let updates: SessionUpdate[] = [];
    const flush = async (): Promise<void> => {
      await this.show(updates);
      updates = [];
    };
    for (const event of events) {
      if (this.#ended) return;
      if (event.kind === "update") {
        // The end of a prompt's turn is its answer.
        if (event.update.type !== "turn-end" || event.update.source !== "prompt") updates.push(event.update);
        continue;
      }
      await flush();
      if (event.kind === "permission-requested") permissions.open([event.request]);
      else if (event.kind === "permission-resolved") permissions.resolved(event.requestId);
      else if (event.kind !== "activity")
        await outlet.event(session, { ...event, seq: this.#nextNumber(event.seq) });
    }
    await flush();
  }

  /** What was lost is told, and what must not be lost is made up for: open permission requests. */
  async #tellGap(lost: number): Promise<void> {
    const { outlet, session, style } = this.parts;
    const deliveredThrough = style.kind === "native" ? this.#delivered : this.#told;
    this.#told += lost - 1;
    const seq = this.#nextNumber(this.#delivered + lost);
    await outlet.event(session, { kind: "gap", lost, deliveredThrough, seq, at: Date.now() });
    if (style.kind === "acp") style.permissions.open(session.state().permissionRequests);
  }

  /** The number that the client sees: the session's own, or the next of this view's. */
  #nextNumber(seq: number): number {
    if (this.parts.style.kind === "native") return seq;
    this.#told += 1;
    return this.#told;
  }

  #advance(seq: number): void {
    this.#delivered = seq;
    const reached = this.#waiters.filter((waiter) => waiter.seq <= seq);
    this.#waiters = this.#waiters.filter((waiter) => waiter.seq > seq);
    for (const { resolve } of reached) resolve();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { attachment, style, ended } = this.parts;
    if (style.kind === "acp") style.permissions.close();
    attachment.detach();
    for (const { resolve } of this.#waiters.splice(0)) resolve();
    ended(this);
  }
}
