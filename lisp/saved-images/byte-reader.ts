import { ImageFileError } from "./image-errors.ts";

/** Reads what a ByteWriter wrote. Whatever the bytes are, it reads within them or throws ImageFileError. */
export class ByteReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    // Words are read in place, so the bytes must begin at a multiple of four.
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
    this.bytes = Buffer.from(aligned.buffer, aligned.byteOffset, aligned.byteLength);
  }

  /** Bytes that are left. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  private take(size: number): number {
    if (size > this.left) throw corrupt(`${size} bytes are wanted at ${this.at} and ${this.left} are left`);
    const { at } = this;
    this.at += size;
    return at;
  }

  byte(): number {
    return this.bytes[this.take(1)]!;
  }

  count(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte % 128) * factor;
      if (byte < 128) break;
      if (factor > 2 ** 42) throw corrupt(`a number at ${this.at} has no end`);
    }
    if (!Number.isSafeInteger(value)) throw corrupt(`a number at ${this.at} is too large`);
    return value;
  }

  /** A number of things each of which takes at least `size` bytes of what is left. */
  countOf(size: number): number {
    const { at } = this;
    const value = this.count();
    if (value * size > this.left) throw corrupt(`${value} things are announced at ${at}, which cannot be`);
    return value;
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8));
  }

  words(count: number): Uint32Array {
    this.align();
    const at = this.take(count * 4);
    return new Uint32Array(this.bytes.buffer, this.bytes.byteOffset + at, count);
  }

  doubles(count: number): Float64Array {
    this.align();
    const at = this.take(count * 8);
    return new Float64Array(new Uint8Array(this.bytes.subarray(at, at + count * 8)).buffer);
  }

  private align(): void {
    this.take((4 - (this.at % 4)) % 4);
  }

  block(): Uint8Array {
    const size = this.countOf(1);
    const at = this.take(size);
    return new Uint8Array(this.bytes.subarray(at, at + size));
  }

  text(): string {
    const head = this.count();
    return this.characters(Math.floor(head / 2), head % 2 === 0);
  }

  characters(length: number, narrow: boolean): string {
    const size = narrow ? length : length * 2;
    const at = this.take(size);
    return this.bytes.toString(narrow ? "latin1" : "utf16le", at, at + size);
  }
}

/** The contents of an image contradict themselves. */
export function corrupt(why: string, cause?: unknown): ImageFileError {
  return new ImageFileError("image-corrupt", `the image is corrupt: ${why}; restore another copy`, { cause });
}
