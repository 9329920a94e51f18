/** A piece of a journal between two newlines; `offset` is its first byte's place in the file. */
export type ScannedLine =
  | { readonly kind: "line"; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "too-long"; readonly offset: number; readonly length: number };

/**
 * Splits blocks of a file into lines. Blocks may be cut anywhere; memory is bounded by the block and the line limit,
 * since a line over the limit is skipped without being kept.
 */
export class LineScanner {
  readonly #lineLimit: number;
  #carried: Uint8Array[] = [];
  #carriedLength = 0;
  /** Place of the first byte that belongs to no finished line. */
  #offset: number;

  /** `lineLimit`: longest line in bytes without its newline. `offset`: place of the first block. */
  constructor(lineLimit: number, offset = 0) {
    this.#lineLimit = lineLimit;
    this.#offset = offset;
  }

  /** The lines that end in this block. A line's bytes may be a view of the block: use them before reusing its memory. */
  *push(block: Uint8Array): Generator<ScannedLine> {
    let start = 0;
    for (let end = block.indexOf(0x0a); end !== -1; end = block.indexOf(0x0a, start)) {
      yield this.#finish(block.subarray(start, end));
      start = end + 1;
    }
    this.#carry(block.subarray(start));
  }

  /** What follows the last newline, or undefined when the file ends with one. */
  rest(): ScannedLine | undefined {
    return this.#carriedLength === 0 ? undefined : this.#finish(new Uint8Array(0));
  }

  #carry(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#carriedLength += part.length;
    if (this.#carriedLength <= this.#lineLimit) this.#carried.push(Uint8Array.from(part));
    else this.#carried = [];
  }

  #finish(last: Uint8Array): ScannedLine {
    const offset = this.#offset;
    const length = this.#carriedLength + last.length;
    const carried = this.#carried;
    const hadCarried = this.#carriedLength > 0;
    this.#offset += length + 1;
    this.#carried = [];
    this.#carriedLength = 0;
    if (length > this.#lineLimit) return { kind: "too-long", offset, length };
    return { kind: "line", offset, bytes: hadCarried ? Buffer.concat([...carried, last]) : last };
  }
}
