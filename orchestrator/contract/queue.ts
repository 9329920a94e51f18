/**
 * The queue port: what the supervisor needs of Redis. The payload in the queue is a reference; specifications live in the job
 * journal. Not in this port: results, events, mail, schedulers, retries (work with effects is never re-run by itself).
 */
import type { ClaimToken, ConversationId, ExecutionId } from "./identifiers.ts";
import type { ConcurrencyClass, JobKind } from "./job-catalog.ts";

export type QueueEntry = {
  readonly executionId: ExecutionId;
  readonly conversationId: ConversationId;
  readonly kind: JobKind;
  readonly concurrencyClass: ConcurrencyClass;
};

/** Exclusive right to run one attempt. The handler's promise must settle after all effects of the attempt ended. */
export type Claim = QueueEntry & { readonly claimToken: ClaimToken };

/** Called for each claim; resolves when the supervisor has settled the job durably. A rejection is reported to `onError` and ends the claim; it never causes a re-run. */
export type ClaimHandler = (claim: Claim) => Promise<void>;

/** `degraded`: the store does not answer; work in flight goes on, new work waits. */
export type QueueHealth = "connected" | "degraded";

export interface QueuePort {
  /** Enqueues in order; the same execution id twice is one entry. Rejects with `queue-unavailable` within 2 s while the store is gone. */
  enqueue(entries: readonly QueueEntry[]): Promise<void>;
  /**
   * Enqueues entries that nobody has claimed although they may have been enqueued before: what the store lost is there again, and a
   * claim that was lost on its way to the host (its connection broke) is taken back within seconds. Rejects as `enqueue`.
   */
  requeue(entries: readonly QueueEntry[]): Promise<void>;
  /** Removes a waiting entry; false when it was claimed already or is unknown. */
  remove(entry: Pick<QueueEntry, "executionId" | "concurrencyClass">): Promise<boolean>;
  /** Starts claiming, `limits[class]` at a time. */
  consume(limits: Readonly<Record<ConcurrencyClass, number>>, handler: ClaimHandler): Promise<QueueConsumer>;
  readonly health: QueueHealth;
  /** Returns the function that ends the subscription. */
  onHealth(listener: (health: QueueHealth) => void): () => void;
  /** Ends connections; resolves within `deadlineMs` whatever the store does. */
  close(deadlineMs: number): Promise<void>;
}

export interface QueueConsumer {
  /**
   * A waiting parent lends its slot: one more claim of that class may run until `regain` is called; `regain` resolves when the number of
   * running claims (the regaining one not counted) is back under the limit, ahead of new claims.
   */
  lend(concurrencyClass: ConcurrencyClass): { regain(signal?: AbortSignal): Promise<void> };
  /** No new claims; running ones go on. */
  pause(): Promise<void>;
  /** Pauses and resolves when running claims have ended or after `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}
