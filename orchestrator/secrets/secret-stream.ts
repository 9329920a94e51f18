import { removedSecret, secretForms } from "./secret-removal.ts";

/** Replaces known values in a stream of bytes, also where one is split between two chunks. */
export class SecretStream {
  readonly #values: readonly Buffer[];
  /** Bytes that may be the beginning of a value; shorter than the longest one. */
  #held: Buffer = Buffer.alloc(0);

  /** `values`: as for `secretRemover`. */
  constructor(values: readonly string[]) {
    this.#values = secretForms(values).map((value) => Buffer.from(value));
  }

  /** The bytes that can be passed on by now. */
  push(chunk: Buffer): Buffer {
    if (this.#values.length === 0) return chunk;
    const bytes = this.#cleaned(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]));
    const held = this.#heldLength(bytes);
    // A copy: what comes next may reuse the memory of the chunk.
    this.#held = Buffer.from(bytes.subarray(bytes.length - held));
    return bytes.subarray(0, bytes.length - held);
  }

  /** What was held back when the stream ended. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  #cleaned(bytes: Buffer): Buffer {
    let cleaned = bytes;
    for (const value of this.#values) cleaned = replaceAll(cleaned, value);
    return cleaned;
  }

  /** Length of the longest end that is the beginning of a value. */
  #heldLength(bytes: Buffer): number {
    let longest = 0;
    for (const value of this.#values) {
      for (let length = Math.min(value.length - 1, bytes.length); length > longest; length -= 1) {
        if (bytes.subarray(bytes.length - length).equals(value.subarray(0, length))) longest = length;
      }
    }
    return longest;
  }
}

const replacement = Buffer.from(removedSecret);

function replaceAll(bytes: Buffer, value: Buffer): Buffer {
  let at = bytes.indexOf(value);
  if (at < 0) return bytes;
  const parts: Buffer[] = [];
  let taken = 0;
  for (; at >= 0; at = bytes.indexOf(value, taken)) {
    parts.push(bytes.subarray(taken, at), replacement);
    taken = at + value.length;
  }
  return Buffer.concat([...parts, bytes.subarray(taken)]);
}
