/** Puts queued jobs into the queue, again and again while it refuses them: the journal has them, so none is lost. */
import { type Failure, failureOf } from "../contract/failure.ts";
import type { QueueEntry, QueuePort } from "../contract/queue.ts";
import { type Job, classOf } from "./job-table.ts";

/** Time until entries that the queue refused are offered again. A queue that was gone asks for them itself when it is back. */
const redispatchMs = 1_000;

export type DispatchOptions = {
  readonly queue: QueuePort;
  /** Every job that is queued now. */
  readonly queued: () => readonly Job[];
  /** Told of a refusal; the same reason once until the queue has taken entries. */
  readonly report: (failure: Failure) => void;
};

export class Dispatch {
  readonly #options: DispatchOptions;
  #stopHealth: (() => void) | undefined;
  #closed = false;
  /** Runs while entries wait for a queue that refused them. */
  #retry: NodeJS.Timeout | undefined;
  /** Code of the queue's last refusal, undefined once it has taken entries. */
  #refusal: string | undefined;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /** Enqueues what is queued, now and whenever the queue has been away. */
  async start(): Promise<void> {
    this.#stopHealth = this.#options.queue.onHealth((health) => {
      if (health === "connected") this.#enqueueAgain();
    });
    await this.again(this.#options.queued());
  }

  /** Enqueues jobs that were just admitted. */
  async first(jobs: readonly Job[]): Promise<void> {
    await this.#enqueue(jobs, (entries) => this.#options.queue.enqueue(entries));
  }

  /** Enqueues jobs that may be in the queue already (idempotent by execution id). */
  async again(jobs: readonly Job[]): Promise<void> {
    await this.#enqueue(jobs, (entries) => this.#options.queue.requeue(entries));
  }

  /** Takes a job out of the queue that has settled without having been claimed. */
  async withdraw(job: Job): Promise<void> {
    await this.#options.queue.remove(queueEntry(job)).catch((error: unknown) => {
      // The claim of a settled job runs nothing, so a waiting entry left behind is harmless.
      this.#options.report(failureOf(error));
      return false;
    });
  }

  close(): void {
    this.#closed = true;
    this.#stopHealth?.();
    clearTimeout(this.#retry);
  }

  async #enqueue(
    jobs: readonly Job[],
    put: (entries: readonly QueueEntry[]) => Promise<void>,
  ): Promise<void> {
    if (jobs.length === 0) return;
    try {
      await put(jobs.map(queueEntry));
      this.#refusal = undefined;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code !== this.#refusal) this.#options.report(failure);
      this.#refusal = failure.code;
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined;
        if (!this.#closed) this.#enqueueAgain();
      }, redispatchMs).unref();
    }
  }

  #enqueueAgain(): void {
    this.again(this.#options.queued()).catch((error: unknown) => this.#options.report(failureOf(error)));
  }
}

function queueEntry(job: Job): QueueEntry {
  return {
    executionId: job.executionId,
    conversationId: job.conversationId,
    kind: job.kind,
    concurrencyClass: classOf(job),
  };
}
