/** Lets one in at a time, in the order in which they came. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve();
  #inside = 0;

  /** Those inside and those that wait. */
  get count(): number {
    return this.#inside;
  }

  /** Resolves with the function that lets the next one in. Rejects with the signal's reason when it aborts first; the turn passes on. */
  async enter(signal: AbortSignal): Promise<() => void> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    this.#inside += 1;
    const leave = (): void => {
      this.#inside -= 1;
      turn.resolve();
    };
    try {
      await settledOr(before, signal);
    } catch (error) {
      // Whoever comes behind still waits for whoever is before.
      void before.then(leave);
      throw error;
    }
    return leave;
  }
}

function settledOr(before: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    void before.then(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
  });
}
