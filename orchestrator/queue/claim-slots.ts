/**
 * The slots of one concurrency class: how many claims may run, which of them lent their slot while they wait, and who
 * gets one next. Pure accounting; whoever claims asks here first.
 *
 * Invariant: `active` counts the claims that run and do not lend. It exceeds `limit` only by claims that were aborted
 * while they waited to regain their slot and are ending.
 */
export class ClaimSlots {
  readonly limit: number;
  #active = 0;
  #running = 0;
  #lent = 0;
  #closed = false;
  readonly #regaining: Waiter[] = [];
  readonly #claiming: Waiter[] = [];
  readonly #onIdle: (() => void)[] = [];

  /** @throws RangeError unless `limit` is a positive integer. */
  constructor(limit: number) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError(`a concurrency limit is a positive integer, got ${limit}`);
    }
    this.limit = limit;
  }

  /** Claims that have begun and not ended, lenders included. */
  get running(): number {
    return this.#running;
  }

  /** How many claims may be under way at once now: the limit and one for each slot that is lent and not asked back. */
  get capacity(): number {
    return this.limit + this.#lent;
  }

  /** Resolves to true when a claim may begin, which it then has; to false when the slots are closed. */
  acquire(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#claiming.push({ resolve: () => resolve(true), refuse: () => resolve(false) });
      this.#grant();
    });
  }

  /** A claim that had begun has ended. */
  release(): void {
    this.#active -= 1;
    this.#running -= 1;
    this.#grant();
    if (this.#running === 0) for (const idle of this.#onIdle.splice(0)) idle();
  }

  /**
   * Lends the slot of a running claim. The returned function asks for it back, once: its promise resolves when the claim
   * counts again, ahead of claims that have not begun. When `signal` aborts first the claim counts at once, since it is
   * ending and does still run, and the promise rejects with the signal's reason.
   */
  lend(): (signal?: AbortSignal) => Promise<void> {
    this.#active -= 1;
    this.#lent += 1;
    this.#grant();
    let regained: Promise<void> | undefined;
    return (signal) => (regained ??= this.#regain(signal));
  }

  /** No further claim begins; claims that wait to begin are refused. Slots may still be regained. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#claiming.splice(0)) waiter.refuse();
  }

  /** Resolves when no claim is running. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #regain(signal: AbortSignal | undefined): Promise<void> {
    this.#lent -= 1;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        resolve: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        refuse: () => undefined,
      };
      const abort = (): void => {
        const place = this.#regaining.indexOf(waiter);
        if (place === -1) return;
        this.#regaining.splice(place, 1);
        this.#active += 1;
        reject(signal?.reason as Error);
      };
      this.#regaining.push(waiter);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { once: true });
      this.#grant();
    });
  }

  #grant(): void {
    while (this.#active < this.limit) {
      const regaining = this.#regaining.shift();
      if (regaining !== undefined) {
        this.#active += 1;
        regaining.resolve();
        continue;
      }
      const claiming = this.#claiming.shift();
      if (claiming === undefined) return;
      this.#active += 1;
      this.#running += 1;
      claiming.resolve();
    }
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly refuse: () => void;
}
