import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import { type ConcurrencyClass, concurrencyClasses } from "../../orchestrator/contract/job-catalog.ts";
import type {
  ClaimHandler,
  QueueConsumer,
  QueueEntry,
  QueueHealth,
  QueuePort,
} from "../../orchestrator/contract/queue.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import { RedisError, redisErrorCode } from "../failure.ts";
import { type HostId, queueLockKey, queueName, queuePrefix } from "../keys.ts";
import { BullConsumer } from "./bull-consumer.ts";
import { ConnectionHealth, type HealthCheckTimes } from "./connection-health.ts";

/** How the queues of one host are made. */
export interface BullQueueOptions {
  readonly hostId: HostId;
  /** Fails at once while the server is gone. Stays the caller's. */
  readonly producer: Redis;
  /** Waits for the server. Stays the caller's. */
  readonly consumer: Redis;
  /** Told what claim handlers rejected with. */
  readonly onHandlerError: (error: unknown) => void;
  /** Told what went wrong between BullMQ and Redis. While the server is gone that is the same several times a second. */
  readonly onStoreError: (error: unknown) => void;
  readonly healthCheck?: HealthCheckTimes;
  /** Classes whose entries are claimed from the start; a worker of another class is started with its first entry. */
  readonly expected?: readonly ConcurrencyClass[];
}

/** Ended jobs that Redis remembers in each queue, so that an execution enqueued twice in a row stays one entry. */
const rememberedJobs = 100;

/** Time after which a claim that has not reached the host counts as lost on its way. */
const lostClaimAfterMs = 1000;

/** Longest wait for the store to take or remove entries. */
const answerTimeoutMs = 2000;

/**
 * The queue port on BullMQ. Every host has a queue of its own for each concurrency class: only it adds to them and only
 * it claims from them, so a host's death strands nobody else's work. A job is attempted once: nothing here re-runs
 * anything, whatever dies.
 */
export class BullQueue implements QueuePort {
  readonly #options: BullQueueOptions;
  readonly #queues = new Map<ConcurrencyClass, Queue>();
  readonly #health: ConnectionHealth;
  readonly #retaking = new Set<NodeJS.Timeout>();
  #consumer: BullConsumer | undefined;
  #closed = false;

  constructor(options: BullQueueOptions) {
    this.#options = options;
    this.#health = new ConnectionHealth([options.producer, options.consumer], options.healthCheck);
  }

  get health(): QueueHealth {
    return this.#health.health;
  }

  onHealth(listener: (health: QueueHealth) => void): () => void {
    return this.#health.subscribe(listener);
  }

  async enqueue(entries: readonly QueueEntry[]): Promise<void> {
    const byClass = Map.groupBy(entries, ({ concurrencyClass }) => concurrencyClass);
    await this.#answered("take entries", async () => {
      for (const [concurrencyClass, members] of byClass) {
        await this.#queue(concurrencyClass).addBulk(members.map(bullJob));
      }
    });
    for (const concurrencyClass of byClass.keys()) this.#consumer?.attend(concurrencyClass);
  }

  async requeue(entries: readonly QueueEntry[]): Promise<void> {
    await this.enqueue(entries);
    // A claim of this moment may still be on its way; what has not arrived after a while is lost.
    const timer = setTimeout(() => {
      this.#retaking.delete(timer);
      this.#retakeLostClaims(entries).catch(this.#options.onStoreError);
    }, lostClaimAfterMs).unref();
    this.#retaking.add(timer);
  }

  /**
   * Makes entries claimable again that BullMQ counts as claimed and whose claim never reached this host: the connection broke while
   * the reply was on its way. Without this they would wait for ever, since stalled jobs are not looked for.
   */
  async #retakeLostClaims(entries: readonly QueueEntry[]): Promise<void> {
    const { producer, hostId } = this.#options;
    for (const { executionId, concurrencyClass } of entries) {
      if (this.#closed || this.#consumer?.holds(executionId) === true) continue;
      const job = await this.#queue(concurrencyClass).getJob(executionId);
      if (job === undefined || !(await job.isActive()) || this.#consumer?.holds(executionId) === true)
        continue;
      const token = await producer.get(queueLockKey(hostId, concurrencyClass, executionId));
      await job.moveToWait(token ?? "0");
    }
  }

  async remove(entry: Pick<QueueEntry, "executionId" | "concurrencyClass">): Promise<boolean> {
    const queue = this.#queue(entry.concurrencyClass);
    return this.#answered("remove an entry", async () => {
      const job = await queue.getJob(entry.executionId);
      if (job === undefined || !(await job.isWaiting())) return false;
      return (await queue.remove(entry.executionId)) === 1;
    });
  }

  async consume(
    limits: Readonly<Record<ConcurrencyClass, number>>,
    handler: ClaimHandler,
  ): Promise<QueueConsumer> {
    if (this.#consumer !== undefined) {
      throw new AutolithError("queue-consumed", "this host's queues have a consumer already; close it first");
    }
    const { hostId, consumer, onHandlerError, onStoreError } = this.#options;
    this.#consumer = new BullConsumer({
      hostId,
      connection: consumer,
      limits,
      handler,
      onHandlerError,
      onStoreError,
    });
    // A worker is started with the first entry of its class: a host that runs no gates has none for them.
    for (const concurrencyClass of [...this.#queues.keys(), ...(this.#options.expected ?? [])])
      this.#consumer.attend(concurrencyClass);
    return this.#consumer;
  }

  /** Ends the consumer, removes this host's queues from Redis and lets go of the connections, which stay open. */
  async close(deadlineMs: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#health.stop();
    for (const timer of this.#retaking) clearTimeout(timer);
    const endsAt = Date.now() + deadlineMs;
    await this.#consumer?.close(deadlineMs);
    const queues = [...this.#queues.values()];
    const leaving = Promise.allSettled(queues.map((queue) => queue.obliterate({ force: true })));
    await withinDeadline(leaving, Math.max(0, endsAt - Date.now()));
    await withinDeadline(
      Promise.allSettled(queues.map((queue) => queue.close())),
      Math.max(0, endsAt - Date.now()),
    );
  }

  #queue(concurrencyClass: ConcurrencyClass): Queue {
    const known = this.#queues.get(concurrencyClass);
    if (known !== undefined) return known;
    const queue = new Queue(queueName(this.#options.hostId, concurrencyClass), {
      connection: this.#options.producer,
      prefix: queuePrefix,
      skipVersionCheck: true,
      skipWaitingForReady: true,
      streams: { events: { maxLen: 100 } },
      defaultJobOptions: {
        attempts: 1,
        removeOnComplete: { count: rememberedJobs },
        removeOnFail: { count: rememberedJobs },
      },
    });
    queue.on("error", this.#options.onStoreError);
    this.#queues.set(concurrencyClass, queue);
    return queue;
  }

  /** Bounds the wait and gives what goes wrong one code; what the command was doing stays in the message. */
  async #answered<T>(doing: string, work: () => Promise<T>): Promise<T> {
    const working = work();
    try {
      if ((await withinDeadline(working, answerTimeoutMs)) === "ended") return await working;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const code = redisErrorCode(error) === "redis-full" ? "redis-full" : "queue-unavailable";
      throw new RedisError(code, `the queue did not ${doing}: ${reason}`, error);
    }
    working.catch(this.#options.onStoreError);
    throw new RedisError("queue-unavailable", `the queue did not ${doing} within ${answerTimeoutMs} ms`);
  }
}

/** Removes the queues of a host that died. */
export async function removeQueuesOf(hostId: HostId, producer: Redis): Promise<void> {
  for (const concurrencyClass of concurrencyClasses) {
    const queue = new Queue(queueName(hostId, concurrencyClass), {
      connection: producer,
      prefix: queuePrefix,
      skipVersionCheck: true,
      skipMetasUpdate: true,
    });
    try {
      await queue.obliterate({ force: true });
    } finally {
      await queue.close();
    }
  }
}

function bullJob(entry: QueueEntry): { name: string; data: object; opts: { jobId: string } } {
  const { executionId, conversationId, kind } = entry;
  return { name: kind, data: { executionId, conversationId, kind }, opts: { jobId: executionId } };
}
