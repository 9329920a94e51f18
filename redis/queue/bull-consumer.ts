import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { claimTokenSchema } from "../../orchestrator/contract/identifiers.ts";
import { type ConcurrencyClass, concurrencyClasses } from "../../orchestrator/contract/job-catalog.ts";
import type { ClaimHandler, QueueConsumer } from "../../orchestrator/contract/queue.ts";
import { ClaimSlots } from "../../orchestrator/queue/claim-slots.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import { RecentExecutions } from "../../orchestrator/queue/recent-executions.ts";
import { RedisError } from "../failure.ts";
import { type HostId, queueName, queuePrefix } from "../keys.ts";
import { jobReferenceSchema } from "./job-reference.ts";

/** What a consumer needs. */
export interface BullConsumerOptions {
  readonly hostId: HostId;
  readonly connection: Redis;
  readonly limits: Readonly<Record<ConcurrencyClass, number>>;
  readonly handler: ClaimHandler;
  readonly onHandlerError: (error: unknown) => void;
  readonly onStoreError: (error: unknown) => void;
}

/**
 * A BullMQ lock that no job outlives. Locks are not renewed and stalled jobs not looked for: a sleeping laptop outlives
 * every lock, and who is dead is decided by the host's own record.
 */
const lockDurationMs = 365 * 24 * 3600 * 1000;

/** Time BullMQ waits before it asks a server again that was gone; its own default is 15 seconds. */
const retryDelayMs = 500;

/** Longest blocking wait for an entry in seconds; a wait that a lost connection swallowed ends a second later. */
const blockingWaitSeconds = 4;

/** Longest wait for BullMQ to let go of its connection after the claims have ended. */
const closeGraceMs = 1000;

/**
 * Claims entries of a host's queues. BullMQ dispatches; `ClaimSlots` decide when a claim may begin, so that lent and
 * regained slots count exactly while BullMQ's own concurrency follows.
 */
export class BullConsumer implements QueueConsumer {
  readonly #options: BullConsumerOptions;
  readonly #slots: Readonly<Record<ConcurrencyClass, ClaimSlots>>;
  readonly #workers = new Map<ConcurrencyClass, Worker>();
  /** Workers whose connections are being made. */
  readonly #starting = new Set<Worker>();
  readonly #attended = new Set<ConcurrencyClass>();
  /** Executions whose claims have reached this host, waiting for a slot or running. */
  readonly #held = new Set<string>();
  readonly #begun = new RecentExecutions();
  #pausing = false;

  constructor(options: BullConsumerOptions) {
    this.#options = options;
    this.#slots = slotsFor(options.limits);
  }

  /** Starts claiming entries of the class, if that has not begun. */
  attend(concurrencyClass: ConcurrencyClass): void {
    if (this.#pausing || this.#attended.has(concurrencyClass)) return;
    this.#attended.add(concurrencyClass);
    this.#start(concurrencyClass).catch(this.#options.onStoreError);
  }

  /**
   * Starts a BullMQ worker once its blocking connection stands. A connection that is lost while it is made leaves a
   * worker which never claims, so that one is thrown away and another is tried.
   */
  async #start(concurrencyClass: ConcurrencyClass): Promise<void> {
    while (!this.#pausing) {
      const worker = this.#worker(concurrencyClass);
      this.#starting.add(worker);
      try {
        await worker.waitUntilReady();
      } catch (error) {
        // A closing consumer has ended it.
        if (this.#pausing) return;
        this.#options.onStoreError(error);
        await withinDeadline(worker.close(true), closeGraceMs);
        await delay(retryDelayMs);
        continue;
      } finally {
        this.#starting.delete(worker);
      }
      this.#workers.set(concurrencyClass, worker);
      if (this.#pausing) {
        await worker.close(true);
        return;
      }
      worker.concurrency = this.#slots[concurrencyClass].capacity;
      worker.run().catch(this.#options.onStoreError);
      return;
    }
  }

  #worker(concurrencyClass: ConcurrencyClass): Worker {
    const { hostId, connection, onStoreError } = this.#options;
    const worker = new Worker(
      queueName(hostId, concurrencyClass),
      (job: Job) => this.#run(concurrencyClass, job),
      {
        connection,
        prefix: queuePrefix,
        autorun: false,
        concurrency: this.#slots[concurrencyClass].capacity,
        maxStalledCount: 0,
        skipStalledCheck: true,
        skipLockRenewal: true,
        lockDuration: lockDurationMs,
        drainDelay: blockingWaitSeconds,
        runRetryDelay: retryDelayMs,
        skipVersionCheck: true,
      },
    );
    worker.on("error", onStoreError);
    return worker;
  }

  /** Has a claim of the execution reached this host? */
  holds(executionId: string): boolean {
    return this.#held.has(executionId);
  }

  lend(concurrencyClass: ConcurrencyClass): { regain(signal?: AbortSignal): Promise<void> } {
    const regain = this.#slots[concurrencyClass].lend();
    this.#followCapacity(concurrencyClass);
    return {
      regain: (signal) => {
        const regained = regain(signal);
        this.#followCapacity(concurrencyClass);
        return regained;
      },
    };
  }

  async pause(): Promise<void> {
    this.#pausing = true;
    for (const concurrencyClass of concurrencyClasses) this.#slots[concurrencyClass].close();
    await Promise.all([...this.#workers.values()].map((worker) => worker.pause(true)));
  }

  async close(deadlineMs: number): Promise<void> {
    await this.pause();
    const idle = Promise.all(concurrencyClasses.map((each) => this.#slots[each].idle()));
    await withinDeadline(idle, deadlineMs);
    // Forced: BullMQ would wait for a server that may be gone. What ran has ended or is given up; the journal knows.
    const workers = [...this.#workers.values(), ...this.#starting];
    const closing = Promise.allSettled(workers.map((worker) => worker.close(true)));
    await withinDeadline(closing, closeGraceMs);
  }

  /** BullMQ may hold as many claims as there are slots, lent ones twice. */
  #followCapacity(concurrencyClass: ConcurrencyClass): void {
    const worker = this.#workers.get(concurrencyClass);
    if (worker === undefined || this.#pausing) return;
    const grown = this.#slots[concurrencyClass].capacity > worker.concurrency;
    worker.concurrency = this.#slots[concurrencyClass].capacity;
    if (!grown) return;
    // With all its slots in use BullMQ looks at its concurrency again only when a job ends, and the lender's does not
    // end before the new claim has run. Pausing without waiting and resuming makes it look now.
    worker
      .pause(true)
      .then(() => (this.#pausing ? undefined : worker.resume()))
      .catch(this.#options.onStoreError);
  }

  async #run(concurrencyClass: ConcurrencyClass, job: Job): Promise<void> {
    const { id = "" } = job;
    this.#held.add(id);
    try {
      await this.#runHeld(concurrencyClass, job);
    } finally {
      this.#held.delete(id);
    }
  }

  async #runHeld(concurrencyClass: ConcurrencyClass, job: Job): Promise<void> {
    const slots = this.#slots[concurrencyClass];
    if (!(await slots.acquire())) {
      throw new RedisError(
        "queue-unavailable",
        "the host claims no more; the job's journal decides what becomes of it",
      );
    }
    try {
      const reference = jobReferenceSchema.parse(job.data);
      // A server that is killed while its disk is slow may forget up to two seconds of what it answered, claims among it.
      if (!this.#begun.add(reference.executionId)) return;
      // BullMQ's own token serves several jobs in a row; a claim's is its own.
      const claimToken = claimTokenSchema.parse(randomUUID());
      await this.#options.handler({ ...reference, concurrencyClass, claimToken });
    } catch (error) {
      this.#options.onHandlerError(error);
    } finally {
      slots.release();
    }
  }
}

function slotsFor(
  limits: Readonly<Record<ConcurrencyClass, number>>,
): Readonly<Record<ConcurrencyClass, ClaimSlots>> {
  return {
    children: new ClaimSlots(limits.children),
    executions: new ClaimSlots(limits.executions),
    gates: new ClaimSlots(limits.gates),
    wakeups: new ClaimSlots(limits.wakeups),
    evaluations: new ClaimSlots(limits.evaluations),
  };
}
