/** The first and the last bytes of a stream of any length, in bounded memory. */
export class OutputWindow {
  /** Bytes kept at each side. */
  readonly #sideBytes: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  readonly #tail: Buffer[] = [];
  #tailBytes = 0;
  #observedBytes = 0;

  constructor(sideBytes: number) {
    this.#sideBytes = sideBytes;
  }

  get observedBytes(): number {
    return this.#observedBytes;
  }

  append(chunk: Buffer): void {
    this.#observedBytes += chunk.length;
    const room = this.#sideBytes - this.#headBytes;
    if (room > 0) {
      // Copied, so that a small rest does not keep the whole read buffer alive.
      const part = Buffer.from(chunk.subarray(0, room));
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    this.#tail.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#sideBytes))));
    this.#tailBytes += this.#tail.at(-1)?.length ?? 0;
    this.#dropOldTail();
  }

  #dropOldTail(): void {
    // Many small chunks are joined now and then, so that their number stays bounded too.
    if (this.#tail.length > 256) this.#tail.splice(0, this.#tail.length, Buffer.concat(this.#tail));
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      const excess = this.#tailBytes - this.#sideBytes;
      if (excess <= 0) return;
      if (first.length <= excess) this.#tail.shift();
      else this.#tail[0] = first.subarray(excess);
      this.#tailBytes -= Math.min(first.length, excess);
    }
  }

  /** The whole stream when it is no longer than `bytes` (and than one side), else its first and last parts. */
  sample(bytes: number): { readonly head: Buffer; readonly tail: Buffer; readonly omittedBytes: number } {
    const budget = Math.min(bytes, this.#sideBytes);
    if (this.#observedBytes <= budget) {
      return { head: Buffer.concat(this.#head), tail: Buffer.alloc(0), omittedBytes: 0 };
    }
    const headBytes = Math.floor(budget / 4);
    const tailBytes = budget - headBytes;
    const tail = Buffer.concat(this.#tail);
    return {
      head: Buffer.concat(this.#head).subarray(0, headBytes),
      tail: tail.subarray(tail.length - tailBytes),
      omittedBytes: this.#observedBytes - budget,
    };
  }
}
