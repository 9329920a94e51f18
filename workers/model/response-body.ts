/** What is known of a response beside its events. */
export interface BodyWatch {
  /**
   * Called for every chunk of bytes, keep-alive comments included, before anybody parses it. Answers how many of them may be passed on;
   * when that is not all, the body fails behind them.
   */
  onBytes(bytes: Uint8Array): number;
  /** What the body fails with then. */
  refusal(): Error;
  /** True when the answer is whole: the rest of the body is then read to its end, so that the connection is reused. */
  isComplete(): boolean;
}

/** Most bytes that are read behind a complete answer to keep its connection. */
const drainByteLimit = 65_536;

/**
 * The body of a response, watched. Who reads a stream stops at its end mark; what is behind it is drained, because giving up the rest would
 * close the connection and cost a new one for each turn.
 */
export class WatchedBody {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #watch: BodyWatch;
  #refused = false;

  constructor(incoming: AsyncIterable<Buffer>, watch: BodyWatch) {
    this.#chunks = incoming[Symbol.asyncIterator]();
    this.#watch = watch;
  }

  /** All of it as text. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for (;;) {
      const { done, value } = await this.read();
      if (done === true) return Buffer.concat(chunks).toString("utf8");
      chunks.push(value);
    }
  }

  /** The next bytes. There is one reader. */
  async read(): Promise<IteratorResult<Uint8Array, undefined>> {
    // Not before the consumer has taken what came before: an error would discard it.
    if (this.#refused) {
      await this.#chunks.return?.();
      throw this.#watch.refusal();
    }
    const { done, value } = await this.#chunks.next();
    if (done === true) return { done: true, value: undefined };
    const passed = this.#watch.onBytes(value);
    this.#refused = passed < value.length;
    return { done: false, value: this.#refused ? value.subarray(0, passed) : value };
  }

  /** Reads no more: the connection is kept when the answer is whole, and closed otherwise. */
  async cancel(): Promise<void> {
    if (this.#watch.isComplete()) await this.#drain();
    await this.#chunks.return?.();
  }

  async #drain(): Promise<void> {
    for (let bytes = 0; bytes < drainByteLimit;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return;
      bytes += value.length;
    }
  }
}
