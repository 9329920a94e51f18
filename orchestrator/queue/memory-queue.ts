import { randomUUID } from "node:crypto";
import { AutolithError } from "../contract/failure.ts";
import { claimTokenSchema, type ExecutionId } from "../contract/identifiers.ts";
import { type ConcurrencyClass, concurrencyClasses } from "../contract/job-catalog.ts";
import type { ClaimHandler, QueueConsumer, QueueEntry, QueueHealth, QueuePort } from "../contract/queue.ts";
import { ClaimSlots } from "./claim-slots.ts";
import { withinDeadline } from "./deadline.ts";
import { RecentExecutions } from "./recent-executions.ts";

/**
 * The queue port in the memory of one process: the twin that tests and embedders without Redis use. It forgets
 * everything when the process ends, which is all the port allows to be lost. One suite holds it and the Redis queue to
 * the same behaviour.
 */
export class MemoryQueue implements QueuePort {
  readonly #waiting = new Map<ConcurrencyClass, Map<ExecutionId, QueueEntry>>(
    concurrencyClasses.map((concurrencyClass) => [concurrencyClass, new Map()]),
  );
  readonly #known = new RecentExecutions();
  readonly #listeners = new Set<(health: QueueHealth) => void>();
  readonly #onError: (error: unknown) => void;
  #health: QueueHealth = "connected";
  #consumer: MemoryConsumer | undefined;

  /** `onError` is told what claim handlers rejected with. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get health(): QueueHealth {
    return this.#health;
  }

  /** Plays a store that does not answer (`degraded`) or answers again. */
  setHealth(health: QueueHealth): void {
    if (health === this.#health) return;
    this.#health = health;
    for (const listener of this.#listeners) listener(health);
    this.#consumer?.advance();
  }

  async enqueue(entries: readonly QueueEntry[]): Promise<void> {
    this.#checkAnswering();
    for (const entry of entries) {
      if (!this.#known.add(entry.executionId)) continue;
      this.#backlog(entry.concurrencyClass).set(entry.executionId, entry);
    }
    this.#consumer?.advance();
  }

  requeue(entries: readonly QueueEntry[]): Promise<void> {
    return this.enqueue(entries);
  }

  async remove(entry: Pick<QueueEntry, "executionId" | "concurrencyClass">): Promise<boolean> {
    this.#checkAnswering();
    return this.#backlog(entry.concurrencyClass).delete(entry.executionId);
  }

  async consume(
    limits: Readonly<Record<ConcurrencyClass, number>>,
    handler: ClaimHandler,
  ): Promise<QueueConsumer> {
    if (this.#consumer !== undefined) {
      throw new AutolithError("queue-consumed", "this queue has a consumer already; close it first");
    }
    const next = (concurrencyClass: ConcurrencyClass): QueueEntry | undefined => {
      if (this.#health === "degraded") return undefined;
      const backlog = this.#backlog(concurrencyClass);
      const entry = backlog.values().next().value;
      if (entry !== undefined) backlog.delete(entry.executionId);
      return entry;
    };
    this.#consumer = new MemoryConsumer(limits, handler, next, this.#onError);
    this.#consumer.advance();
    return this.#consumer;
  }

  onHealth(listener: (health: QueueHealth) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(deadlineMs: number): Promise<void> {
    await this.#consumer?.close(deadlineMs);
  }

  #backlog(concurrencyClass: ConcurrencyClass): Map<ExecutionId, QueueEntry> {
    return this.#waiting.get(concurrencyClass) ?? new Map<ExecutionId, QueueEntry>();
  }

  #checkAnswering(): void {
    if (this.#health === "degraded") {
      throw new AutolithError("queue-unavailable", "the queue does not answer; try again when it does", {
        retry: "retryable",
      });
    }
  }
}

class MemoryConsumer implements QueueConsumer {
  readonly #slots: ReadonlyMap<ConcurrencyClass, ClaimSlots>;
  readonly #handler: ClaimHandler;
  readonly #next: (concurrencyClass: ConcurrencyClass) => QueueEntry | undefined;
  readonly #onError: (error: unknown) => void;
  /** Classes whose loop waits for a slot or an entry. */
  readonly #looping = new Set<ConcurrencyClass>();
  #paused = false;

  constructor(
    limits: Readonly<Record<ConcurrencyClass, number>>,
    handler: ClaimHandler,
    next: (concurrencyClass: ConcurrencyClass) => QueueEntry | undefined,
    onError: (error: unknown) => void,
  ) {
    this.#slots = new Map(concurrencyClasses.map((each) => [each, new ClaimSlots(limits[each])]));
    this.#handler = handler;
    this.#next = next;
    this.#onError = onError;
  }

  /** Begins every claim that may begin. */
  advance(): void {
    for (const [concurrencyClass, slots] of this.#slots) {
      if (this.#looping.has(concurrencyClass)) continue;
      this.#looping.add(concurrencyClass);
      this.#claimAll(concurrencyClass, slots).catch(this.#onError);
    }
  }

  lend(concurrencyClass: ConcurrencyClass): { regain(signal?: AbortSignal): Promise<void> } {
    return { regain: this.#slotsOf(concurrencyClass).lend() };
  }

  async pause(): Promise<void> {
    this.#paused = true;
    for (const slots of this.#slots.values()) slots.close();
  }

  async close(deadlineMs: number): Promise<void> {
    await this.pause();
    await withinDeadline(Promise.all([...this.#slots.values()].map((slots) => slots.idle())), deadlineMs);
  }

  async #claimAll(concurrencyClass: ConcurrencyClass, slots: ClaimSlots): Promise<void> {
    while (!this.#paused && (await slots.acquire())) {
      const entry = this.#next(concurrencyClass);
      if (entry === undefined) {
        this.#looping.delete(concurrencyClass);
        slots.release();
        return;
      }
      this.#run(entry, slots).catch(this.#onError);
    }
    this.#looping.delete(concurrencyClass);
  }

  async #run(entry: QueueEntry, slots: ClaimSlots): Promise<void> {
    try {
      await this.#handler({ ...entry, claimToken: claimTokenSchema.parse(randomUUID()) });
    } finally {
      slots.release();
    }
  }

  #slotsOf(concurrencyClass: ConcurrencyClass): ClaimSlots {
    const slots = this.#slots.get(concurrencyClass);
    if (slots === undefined) throw new RangeError(`there is no concurrency class ${concurrencyClass}`);
    return slots;
  }
}
