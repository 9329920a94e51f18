/** Collects the bytes of an image. Numbers are little-endian; `words` are aligned to four bytes. */
export class ByteWriter {
  private bytes = new Uint8Array(1 << 16);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.at;
  }

  private room(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.at + size));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.room(1);
    this.bytes[this.at++] = value;
  }

  /** A non-negative safe integer, seven bits a byte. */
  count(value: number): void {
    this.room(8);
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  double(value: number): void {
    this.room(8);
    this.view.setFloat64(this.at, value, true);
    this.at += 8;
  }

  /** Unsigned 32-bit words, aligned. */
  words(values: Uint32Array): void {
    this.align();
    this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Doubles, aligned to four bytes like words. */
  doubles(values: Float64Array): void {
    this.align();
    this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  private align(): void {
    this.room(4);
    while (this.at % 4 !== 0) this.bytes[this.at++] = 0;
  }

  private raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Bytes with their number before them. */
  block(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.raw(bytes);
  }

  /** A JavaScript string: one byte a character when they all fit, else two. */
  text(text: string): void {
    const narrow = isNarrow(text);
    this.count(text.length * 2 + (narrow ? 0 : 1));
    this.characters(text, narrow);
  }

  /** The characters of a text alone. */
  characters(text: string, narrow: boolean): void {
    const size = narrow ? text.length : text.length * 2;
    this.room(size);
    const target = Buffer.from(this.bytes.buffer, this.at, size);
    target.write(text, 0, size, narrow ? "latin1" : "utf16le");
    this.at += size;
  }

  /** What was written; the writer must not be used after. */
  finish(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }
}

/** True when each UTF-16 unit of a text fits a byte. */
export function isNarrow(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 255) return false;
  return true;
}
