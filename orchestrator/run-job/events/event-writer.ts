import { utcSeconds } from "../utc-time.ts";
import { EventQueue } from "./event-queue.ts";
import type { EventSink } from "./event-sink.ts";
import { eventText } from "./event-text.ts";
import type { EventPayload, WarningCode } from "./event-vocabulary.ts";
import { RunJobEventError } from "./run-job-event-error.ts";

/** What a writer needs. */
export interface EventWriterOptions {
  readonly sink: EventSink;
  /** UUID of the run. */
  readonly runId: string;
  /** Payloads that may wait, 1 to 1,024; default 64. */
  readonly capacity?: number | undefined;
  /** Longest time a write may be in flight before delivery is given up. Default 500. */
  readonly writeTimeoutMs?: number | undefined;
  /** Longest time {@link RunJobEventWriter.finish} waits. Default 500. */
  readonly shutdownTimeoutMs?: number | undefined;
  /** Epoch milliseconds; default the system's clock. */
  readonly now?: (() => number) | undefined;
  /** Told once when delivery is given up: `slow-consumer`, or `stream-failed` when the reader left. */
  readonly onDisabled?: ((code: WarningCode) => void) | undefined;
}

export const usualTimeoutMs = 500;

/**
 * Delivers the events of one run to one consumer, best effort: no call throws, blocks or waits for the consumer. Records
 * are numbered when they are written, so those delivered have the numbers 1, 2, 3… without gaps. When a write takes too
 * long or fails, delivery ends for good; the run goes on.
 */
export class RunJobEventWriter {
  readonly #sink: EventSink;
  readonly #runId: string;
  readonly #queue: EventQueue;
  readonly #writeTimeoutMs: number;
  readonly #shutdownTimeoutMs: number;
  readonly #now: () => number;
  readonly #onDisabled: (code: WarningCode) => void;
  readonly #ended = Promise.withResolvers<void>();
  #delivered = 0;
  #writing = false;
  #state: "open" | "finishing" | "ended" = "open";
  #disabledBy: WarningCode | undefined;

  constructor(options: EventWriterOptions) {
    this.#sink = options.sink;
    this.#runId = options.runId;
    this.#queue = new EventQueue(options.capacity);
    this.#writeTimeoutMs = options.writeTimeoutMs ?? usualTimeoutMs;
    this.#shutdownTimeoutMs = options.shutdownTimeoutMs ?? usualTimeoutMs;
    this.#now = options.now ?? Date.now;
    this.#onDisabled = options.onDisabled ?? (() => undefined);
  }

  /** Why delivery was given up, or `undefined`. */
  get disabledBy(): WarningCode | undefined {
    return this.#disabledBy;
  }

  /** Records delivered so far. */
  get deliveredCount(): number {
    return this.#delivered;
  }

  /** Queues an event. One that breaks a rule is replaced by a warning; events after {@link finish} are dropped. */
  emit(payload: EventPayload): void {
    if (this.#state !== "open") return;
    if (this.#isValid(payload)) this.#queue.add(payload);
    this.#pump();
  }

  /**
   * Queues the terminal record and waits until it is delivered, delivery has been given up, or the time for it is over.
   * Always resolves; later calls wait for the same end.
   */
  async finish(terminal: EventPayload): Promise<void> {
    if (this.#state === "open") {
      this.#state = "finishing";
      if (this.#isValid(terminal)) this.#queue.end(terminal);
      this.#pump();
    }
    const timer = setTimeout(() => this.#end(), this.#shutdownTimeoutMs);
    await this.#ended.promise;
    clearTimeout(timer);
  }

  /** Checked with the longest number a record may get, so that what is queued can be written. */
  #isValid(payload: EventPayload): boolean {
    try {
      eventText({ ...this.#envelope(), seq: Number.MAX_SAFE_INTEGER }, payload);
      return true;
    } catch (error) {
      if (!(error instanceof RunJobEventError)) throw error;
      this.#queue.noteInvalid();
      return false;
    }
  }

  #envelope(): { runId: string; seq: number; time: string } {
    return { runId: this.#runId, seq: this.#delivered + 1, time: utcSeconds(this.#now()) };
  }

  /** Starts writing what waits, unless that is going on. */
  #pump(): void {
    if (this.#writing || this.#state === "ended") return;
    const next = this.#queue.next();
    if (next === undefined) {
      if (this.#state === "finishing") this.#end();
      return;
    }
    this.#writing = true;
    this.#write(eventText(this.#envelope(), next.payload)).then(
      () => {
        this.#writing = false;
        this.#delivered++;
        this.#pump();
      },
      (error: unknown) => this.#disable(error instanceof SlowConsumer ? "slow-consumer" : "stream-failed"),
    );
  }

  async #write(text: string): Promise<void> {
    const expiry = Promise.withResolvers<never>();
    const timer = setTimeout(() => expiry.reject(new SlowConsumer()), this.#writeTimeoutMs);
    try {
      await Promise.race([this.#sink.write(text), expiry.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #disable(code: WarningCode): void {
    if (this.#state === "ended") return;
    this.#disabledBy = code;
    this.#end();
    this.#onDisabled(code);
  }

  #end(): void {
    this.#state = "ended";
    this.#ended.resolve();
  }
}

/** A write was in flight for longer than its limit. */
class SlowConsumer extends Error {}
