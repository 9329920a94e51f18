import type { EventPayload } from "./event-vocabulary.ts";

/** Smallest, usual and largest number of payloads that wait to be written. */
export const queueCapacity = { minimum: 1, usual: 64, maximum: 1024 } as const;

/** What the queue gives the writer next, in this order: notices of what was lost, then what waits, then the terminal record. */
export type QueuedEvent =
  | { readonly what: "event"; readonly payload: EventPayload }
  | { readonly what: "terminal"; readonly payload: EventPayload };

/**
 * The bounded backlog of a run's events. Progress gives way to everything else; the terminal record has a place of its
 * own. Never refuses, never throws: what it had to drop it reports when delivery goes on.
 */
export class EventQueue {
  readonly #capacity: number;
  readonly #waiting: EventPayload[] = [];
  #terminal: EventPayload | undefined;
  #omittedProgress = 0;
  #lostRecord = false;
  #invalidRecord = false;

  /** @throws RangeError when the capacity is not an integer from 1 to 1,024. */
  constructor(capacity: number = queueCapacity.usual) {
    const { minimum, maximum } = queueCapacity;
    if (!Number.isInteger(capacity) || capacity < minimum || capacity > maximum) {
      throw new RangeError(
        `the event queue's capacity must be an integer from ${minimum} to ${maximum}, got ${capacity}`,
      );
    }
    this.#capacity = capacity;
  }

  /** Adds an event, or counts what had to be dropped for it. */
  add(payload: EventPayload): void {
    if (this.#waiting.length < this.#capacity) {
      this.#waiting.push(payload);
      return;
    }
    const expendable =
      payload.kind === "progress"
        ? undefined
        : this.#waiting.findIndex((waiting) => waiting.kind === "progress");
    if (expendable === undefined) {
      this.#omittedProgress++;
    } else if (expendable < 0) {
      this.#lostRecord = true;
    } else {
      this.#waiting.splice(expendable, 1);
      this.#omittedProgress++;
      this.#waiting.push(payload);
    }
  }

  /** Notes that an event was refused because it broke a rule. */
  noteInvalid(): void {
    this.#invalidRecord = true;
  }

  /** Sets the terminal record, once; it is given out last. */
  end(payload: EventPayload): void {
    this.#terminal ??= payload;
  }

  /** Takes the next event, or `undefined` when there is nothing to write. */
  next(): QueuedEvent | undefined {
    const notice = this.#notice();
    if (notice !== undefined) return { what: "event", payload: notice };
    const payload = this.#waiting.shift();
    if (payload !== undefined) return { what: "event", payload };
    const terminal = this.#terminal;
    this.#terminal = undefined;
    return terminal === undefined ? undefined : { what: "terminal", payload: terminal };
  }

  #notice(): EventPayload | undefined {
    if (this.#invalidRecord) {
      this.#invalidRecord = false;
      return { kind: "warning", data: { code: "invalid-event" } };
    }
    if (this.#lostRecord) {
      this.#lostRecord = false;
      return { kind: "warning", data: { code: "queue-full" } };
    }
    const count = this.#omittedProgress;
    if (count === 0) return undefined;
    this.#omittedProgress = 0;
    return { kind: "progress-omitted", data: { count } };
  }
}
