/**
 * The beginnings of runs, one in each turn of the event loop: the first of many is on its way to its model while the next is prepared, and
 * whoever else waits for the host has a turn in between.
 */
export class StartTurns {
  readonly #waiting: (() => void)[] = [];
  /** This turn of the event loop is taken. */
  #taken = false;

  /** Resolves when the caller's turn has come, at once when nobody began in this one. Turns come in the order of the calls. */
  next(): Promise<void> {
    if (this.#taken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    setImmediate(() => this.#pass());
    return Promise.resolve();
  }

  #pass(): void {
    const resolve = this.#waiting.shift();
    this.#taken = resolve !== undefined;
    if (resolve === undefined) return;
    resolve();
    setImmediate(() => this.#pass());
  }
}
