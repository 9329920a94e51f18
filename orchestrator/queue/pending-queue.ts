/** A queue that is still being opened, so that a host can be put together meanwhile. */
import type { ConcurrencyClass } from "../contract/job-catalog.ts";
import type { ClaimHandler, QueueConsumer, QueueEntry, QueueHealth, QueuePort } from "../contract/queue.ts";

/** Waits for the queue with everything it is asked for; a queue that could not be opened is told to whoever consumes it first. */
export class PendingQueue implements QueuePort {
  readonly #opening: Promise<QueuePort>;
  #queue: QueuePort | undefined;

  constructor(opening: Promise<QueuePort>) {
    this.#opening = opening;
    opening.then(
      (queue) => {
        this.#queue = queue;
      },
      // Whoever waits for it hears of the failure.
      () => undefined,
    );
  }

  get health(): QueueHealth {
    return this.#queue?.health ?? "connected";
  }

  async enqueue(entries: readonly QueueEntry[]): Promise<void> {
    await (await this.#opening).enqueue(entries);
  }

  async requeue(entries: readonly QueueEntry[]): Promise<void> {
    await (await this.#opening).requeue(entries);
  }

  async remove(entry: Pick<QueueEntry, "executionId" | "concurrencyClass">): Promise<boolean> {
    return (await this.#opening).remove(entry);
  }

  async consume(
    limits: Readonly<Record<ConcurrencyClass, number>>,
    handler: ClaimHandler,
  ): Promise<QueueConsumer> {
    return (await this.#opening).consume(limits, handler);
  }

  onHealth(listener: (health: QueueHealth) => void): () => void {
    let ended = false;
    let stop: (() => void) | undefined;
    this.#opening.then(
      (queue) => {
        if (!ended) stop = queue.onHealth(listener);
      },
      () => undefined,
    );
    return () => {
      ended = true;
      stop?.();
    };
  }

  /** Closes nothing that is not open: the opening belongs to its caller. */
  async close(deadlineMs: number): Promise<void> {
    await this.#queue?.close(deadlineMs);
  }
}
