/**
 * The live events of one session: numbered, kept in one bounded log for all clients. Clients read at their own speed; one that does not
 * read holds nothing and slows nobody: it is told how many events it lost.
 */
import type { EventBatch } from "../contract/session/service.ts";
import type { SessionEvent, SessionEventBody } from "../contract/session/events.ts";

/** Events that are kept. */
export const eventLogLimit = 4_096;
/** Characters of streamed text and tool output that are kept, about. */
export const eventLogCharacters = 8_388_608;
/** Most events of one batch. */
export const eventBatchLimit = 256;

type Kept = { readonly event: SessionEvent; readonly size: number };

export class EventLog {
  readonly #now: () => number;
  readonly #limits: { readonly events: number; readonly characters: number };
  #kept: Kept[] = [];
  #characters = 0;
  #seq = 0;
  #ended = false;
  readonly #waiting = new Set<() => void>();

  /** `now`: epoch milliseconds. */
  constructor(now: () => number, limits = { events: eventLogLimit, characters: eventLogCharacters }) {
    this.#now = now;
    this.#limits = limits;
  }

  /** Number of the last event; 0 before the first. */
  get seq(): number {
    return this.#seq;
  }

  /** Adds an event. After `closed` nothing more is taken. */
  append(body: SessionEventBody): void {
    if (this.#ended) return;
    this.#seq += 1;
    const event = { seq: this.#seq, at: this.#now(), ...body };
    const size = sizeOf(body);
    this.#kept.push({ event, size });
    this.#characters += size;
    this.#shorten();
    if (body.kind === "closed") this.#ended = true;
    for (const wake of this.#waiting) wake();
  }

  /** A reader that begins behind the present end. */
  reader(): EventReader {
    return new EventReader(this, this.#seq);
  }

  /** What comes after `seq`: undefined when there is nothing yet. */
  after(seq: number): EventBatch | undefined {
    const first = this.#kept[0]?.event.seq ?? this.#seq + 1;
    const lost = Math.max(0, first - 1 - seq);
    const from = Math.max(0, seq + 1 - first);
    const events = this.#kept.slice(from, from + eventBatchLimit).map(({ event }) => event);
    const last = events.at(-1)?.seq ?? seq;
    const ended = this.#ended && last >= this.#seq;
    return events.length === 0 && !ended ? undefined : { events, lost, ended };
  }

  /** Resolves at the next event; rejects when `signal` aborts. */
  next(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#waiting.delete(finish);
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.delete(finish);
        reject(signal?.reason as Error);
      };
      this.#waiting.add(finish);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #shorten(): void {
    let drop = 0;
    while (
      this.#kept.length - drop > 1 &&
      (this.#kept.length - drop > this.#limits.events || this.#characters > this.#limits.characters)
    ) {
      this.#characters -= this.#kept[drop]?.size ?? 0;
      drop += 1;
    }
    if (drop > 0) this.#kept = this.#kept.slice(drop);
  }
}

/** One client's place in the log. */
export class EventReader {
  readonly #log: EventLog;
  #seq: number;
  readonly #detached = new AbortController();

  constructor(log: EventLog, seq: number) {
    this.#log = log;
    this.#seq = seq;
  }

  async read(signal?: AbortSignal): Promise<EventBatch> {
    const stop =
      signal === undefined ? this.#detached.signal : AbortSignal.any([signal, this.#detached.signal]);
    for (;;) {
      if (this.#detached.signal.aborted) return { events: [], lost: 0, ended: true };
      const batch = this.#log.after(this.#seq);
      if (batch !== undefined) {
        this.#seq = batch.events.at(-1)?.seq ?? this.#seq;
        return batch;
      }
      try {
        await this.#log.next(stop);
      } catch (error) {
        if (!this.#detached.signal.aborted) throw error;
      }
    }
  }

  /** Ends a waiting {@link read} and all later ones. */
  detach(): void {
    this.#detached.abort();
  }
}

function sizeOf(body: SessionEventBody): number {
  if (body.kind !== "update") return 64;
  const { update } = body;
  if (update.type === "message-chunk" || update.type === "thought-chunk") return 64 + update.text.length;
  if (update.type === "user-message") return 64 + update.text.length;
  if (update.type === "tool-call-update")
    return (update.content ?? []).reduce((sum, content) => sum + contentSize(content), 64);
  if (update.type === "tool-call") return 256 + JSON.stringify(update.arguments).length;
  return 256;
}

function contentSize(content: { readonly type: string }): number {
  const { text, oldText, newText } = content as {
    text?: string;
    oldText?: string | null;
    newText?: string;
  };
  return (text?.length ?? 0) + (oldText?.length ?? 0) + (newText?.length ?? 0);
}
