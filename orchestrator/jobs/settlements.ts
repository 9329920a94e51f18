/** Who waits for which job, and the outcomes of the last settled ones for those who come late. */
import { AutolithError } from "../contract/failure.ts";
import type { ExecutionId } from "../contract/identifiers.ts";
import type { Job } from "./job-table.ts";
import type { Outcome } from "./lifecycle.ts";

/** What became of a job: its final state with the outcome as the executor gave it. */
export type Settlement = {
  readonly job: Job;
  readonly outcome: Outcome<unknown>;
  /** The outcome's texts were cut for keeping; the whole is in the result files. */
  readonly shortened?: true;
};

type Waiter = (settlement: Settlement) => void;

/** Outcomes kept in memory for waiters that come after the settlement. */
const settlementRetention = 256;

export class Settlements {
  readonly #retain: (settlement: Settlement) => Settlement;
  readonly #settled = new Map<ExecutionId, Settlement>();
  readonly #waiters = new Map<ExecutionId, Set<Waiter>>();

  /** `retain` answers what stays in memory of a settlement once those who waited have it. */
  constructor(retain: (settlement: Settlement) => Settlement = (settlement) => settlement) {
    this.#retain = retain;
  }

  known(executionId: ExecutionId): Settlement | undefined {
    return this.#settled.get(executionId);
  }

  /** Answers all waiters and remembers the outcome; the oldest remembered one is dropped beyond the retention. */
  resolve(settlement: Settlement): void {
    const { executionId } = settlement.job;
    this.#settled.set(executionId, this.#retain(settlement));
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > settlementRetention && oldest !== undefined) this.#settled.delete(oldest);
    const waiters = this.#waiters.get(executionId) ?? new Set<Waiter>();
    this.#waiters.delete(executionId);
    for (const waiter of waiters) waiter(settlement);
  }

  /** Aborting `signal` ends this wait only: it rejects with the signal's error reason, or `aborted`. */
  wait(executionId: ExecutionId, signal: AbortSignal | undefined): Promise<Settlement> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(executionId) ?? new Set<Waiter>();
      const onAbort = (): void => {
        waiters.delete(waiter);
        const reason: unknown = signal?.reason;
        reject(
          reason instanceof Error
            ? reason
            : new AutolithError("aborted", `The wait for ${executionId} was aborted.`),
        );
      };
      const waiter: Waiter = (settlement) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(settlement);
      };
      if (signal?.aborted === true) {
        onAbort();
        return;
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.set(executionId, waiters.add(waiter));
    });
  }
}
