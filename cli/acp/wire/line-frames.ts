/** Cuts a stream of bytes into lines, one message each. Pure: bytes in, whole lines out, the rest kept. */

/** A line without its ending, or the place of one that was too long and was skipped. */
export type Frame = { readonly kind: "bytes"; readonly bytes: Uint8Array } | { readonly kind: "oversized" };

const newline = 0x0a;

export class LineFrames {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #skipping = false;

  /** `limit`: most bytes of a line. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that end in `chunk`. Empty lines are left out; a line that is too long is reported once, when the bound is passed. */
  push(chunk: Uint8Array): readonly Frame[] {
    const frames: Frame[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      if (this.#take(part)) frames.push({ kind: "oversized" });
      if (end < 0) return frames;
      const line = this.#finish();
      if (line !== undefined) frames.push({ kind: "bytes", bytes: line });
      start = end + 1;
    }
  }

  /** The line that had begun when the stream ended; undefined when there was none. */
  end(): Frame | undefined {
    const line = this.#finish();
    return line === undefined ? undefined : { kind: "bytes", bytes: line };
  }

  /** True when this part made the line too long. */
  #take(part: Uint8Array): boolean {
    if (this.#skipping || part.length === 0) return false;
    this.#length += part.length;
    if (this.#length > this.#limit) {
      this.#parts = [];
      this.#skipping = true;
      return true;
    }
    // A copy: the chunk may be a window of a buffer that is used again.
    this.#parts.push(Uint8Array.from(part));
    return false;
  }

  #finish(): Uint8Array | undefined {
    const [parts, skipped] = [this.#parts, this.#skipping];
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    const [only] = parts;
    if (skipped || only === undefined) return undefined;
    const line = parts.length === 1 ? only : Buffer.concat(parts);
    return isBlank(line) ? undefined : line;
  }
}

/** Spaces, tabs and carriage returns. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
