import type { HostFile, HostFiles } from "./host-port.ts";
import { HostFault } from "./host-port.ts";
import { advanceColumn, endOfInput, type InputLine, NativeStream, StreamFault } from "./native-stream.ts";
import {
  decodeCharacter,
  encodeCharacter,
  encodedSize,
  isExpressible,
  type CodecName,
  type Decoded,
} from "./text-codec.ts";

/** Bytes buffered for reading and for writing. */
const bufferBytes = 16_384;

/** Bytes that a window should have at least. */
const windowBytes = 1024;

/** What the elements of a file stream are. */
export type FileElement = { kind: "character" } | { kind: "integer"; bits: number; signed: boolean };

/** Everything OPEN decided before the stream is made. */
export interface FileStreamOptions {
  files: HostFiles;
  file: HostFile | undefined;
  /** Native name of the file written or read now. */
  path: string;
  /** Native name it gets when the stream is closed without abort, when that differs. */
  renameTo: string | undefined;
  /** True when the file did not exist before: an aborting close removes it. */
  created: boolean;
  input: boolean;
  output: boolean;
  element: FileElement;
  codec: CodecName;
  /** Code written for characters that the codec has none for; undefined makes them an error. */
  replacement: number | undefined;
  /** The Lisp pathname given to OPEN and its truename. */
  pathname: unknown;
  truename: unknown;
  elementType: unknown;
  externalFormat: unknown;
}

/**
 * A file. One position serves reading and writing; bytes read ahead are dropped and bytes to write are flushed when
 * the direction changes or the position is set.
 */
export class FileStream extends NativeStream {
  readonly lispClass = "FILE-STREAM";
  readonly options: FileStreamOptions;
  private buffer: Buffer | undefined = undefined;
  /** File position of the first byte of the buffer. */
  private origin = 0;
  private at = 0;
  /** Bytes in the buffer: read ahead, or waiting to be written when `dirty`. */
  private end = 0;
  private dirty = false;
  private lastSize = 0;
  private columnNow = 0;
  /** Text of the buffer as `window` gives it, and the buffer it is for. */
  private windowText: string | undefined = undefined;
  private windowOrigin = -1;
  private windowEnd = -1;
  private readonly decoded: Decoded = { code: 0, size: 0 };
  private readonly elementBytes: number;

  constructor(options: FileStreamOptions) {
    super();
    this.options = options;
    this.elementBytes =
      options.element.kind === "integer" ? Math.max(1, Math.ceil(options.element.bits / 8)) : 1;
  }

  override get input(): boolean {
    return this.options.input;
  }

  override get output(): boolean {
    return this.options.output;
  }

  override isCharacter(): boolean {
    return this.options.element.kind === "character";
  }

  private file(): HostFile {
    this.ensureOpen();
    const { file } = this.options;
    if (!file) throw new StreamFault("closed", this, "the stream was opened with :direction :probe");
    return file;
  }

  private bytes(): Buffer {
    return (this.buffer ??= Buffer.alloc(bufferBytes));
  }

  private host<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (error instanceof HostFault)
        throw new StreamFault("failed", this, `${error.message} (${this.options.path})`);
      throw error;
    }
  }

  /** Makes at least `wanted` bytes available when the file has them; returns how many there are. */
  private fill(wanted: number): number {
    const file = this.file();
    if (this.dirty) this.flush();
    const buffer = this.bytes();
    const left = this.end - this.at;
    if (left > 0) buffer.copyWithin(0, this.at, this.end);
    this.origin += this.at;
    this.at = 0;
    this.end = left;
    while (this.end < wanted) {
      const read = this.host(() =>
        file.read(buffer, this.end, bufferBytes - this.end, this.origin + this.end),
      );
      if (read === 0) break;
      this.end += read;
    }
    return this.end;
  }

  override readCode(): number {
    if (!this.options.input) return super.readCode();
    if (!this.isCharacter()) throw new StreamFault("not-character", this, "a character stream was expected");
    if (!this.open || this.dirty || this.at + 4 > this.end) {
      this.ensureOpen();
      if ((this.dirty || this.at + 4 > this.end) && this.fill(4) === 0) return endOfInput;
    }
    const { decoded } = this;
    decodeCharacter(this.options.codec, this.bytes(), this.at, this.end, decoded);
    if (decoded.size === 0) {
      decoded.code = 0xfffd;
      decoded.size = this.end - this.at;
    }
    this.at += decoded.size;
    this.lastSize = decoded.size;
    return decoded.code;
  }

  /**
   * What is in the buffer as text with one character a byte, and the place in it, for readers that scan; undefined when the
   * bytes are no such text. More input may follow the text. `skipTo` takes the place up to which it was used.
   */
  window(): { text: string; at: number } | undefined {
    const { codec, input } = this.options;
    const bytewise = codec === "utf-8" || codec === "latin-1" || codec === "us-ascii";
    if (!this.open || this.dirty || !input || !this.isCharacter() || !bytewise) return undefined;
    if (this.at + windowBytes > this.end && this.windowOrigin !== this.origin) this.fill(windowBytes);
    if (this.at >= this.end) return undefined;
    if (this.windowOrigin !== this.origin || this.windowEnd !== this.end) {
      this.windowOrigin = this.origin;
      this.windowEnd = this.end;
      const bytes = this.bytes().subarray(0, this.end);
      const single = codec === "latin-1" || bytes.every((byte) => byte < 0x80);
      this.windowText = single ? bytes.toString("latin1") : undefined;
    }
    return this.windowText === undefined ? undefined : { text: this.windowText, at: this.at };
  }

  /** Continues at a place in the text `window` gave. */
  skipTo(at: number): void {
    this.at = at;
    this.lastSize = 1;
  }

  override readLine(): InputLine | undefined {
    const { codec, input } = this.options;
    const encoding = codec === "utf-8" ? "utf8" : codec === "latin-1" ? "latin1" : undefined;
    if (!input || !this.isCharacter() || encoding === undefined) return super.readLine();
    this.ensureOpen();
    const pieces: Buffer[] = [];
    for (;;) {
      if ((this.dirty || this.at >= this.end) && this.fill(1) === 0) {
        return { text: Buffer.concat(pieces).toString(encoding), ended: true };
      }
      const buffer = this.bytes();
      const { at } = this;
      const newline = buffer.indexOf(10, at);
      if (newline >= 0 && newline < this.end) {
        this.at = newline + 1;
        this.lastSize = 1;
        if (pieces.length === 0) return { text: buffer.toString(encoding, at, newline), ended: false };
        pieces.push(buffer.subarray(at, newline));
        return { text: Buffer.concat(pieces).toString(encoding), ended: false };
      }
      pieces.push(Buffer.from(buffer.subarray(at, this.end)));
      this.at = this.end;
    }
  }

  override unreadCode(_code: number): void {
    if (!this.options.input) super.unreadCode(_code);
    this.at -= this.lastSize;
    this.lastSize = 0;
  }

  override listen(): boolean {
    this.ensureOpen();
    return this.peekCode() >= 0;
  }

  override writeText(text: string): void {
    this.beginWriting();
    if (!this.isCharacter()) throw new StreamFault("not-character", this, "a character stream was expected");
    this.columnNow = advanceColumn(this.columnNow, text);
    if (this.options.codec === "utf-8" && this.writeUtf8(text)) return;
    const buffer = this.bytes();
    const { codec } = this.options;
    for (let i = 0; i < text.length; i++) {
      const code = text.codePointAt(i) ?? 0;
      if (code > 0xffff) i++;
      if (this.end + 4 > bufferBytes) this.flush();
      const written = isExpressible(codec, code) ? code : this.replacementOf(code);
      this.end += encodeCharacter(codec, written, buffer, this.end);
      this.dirty = true;
    }
  }

  /** What is written for a character that the codec has no code for. */
  private replacementOf(code: number): number {
    const { codec, replacement } = this.options;
    if (replacement !== undefined && isExpressible(codec, replacement)) return replacement;
    const name = `${String.fromCodePoint(code)} (U+${code.toString(16).toUpperCase().padStart(4, "0")})`;
    throw new StreamFault(
      "failed",
      this,
      `the character ${name} has no code in ${codec}. Open the file with an external format that has one, such as :utf-8, or with (:${codec} :replacement #\\?)`,
    );
  }

  /** Encodes a text that fits the buffer at once; false when it does not, or has lone surrogates. */
  private writeUtf8(text: string): boolean {
    if (text.length * 3 > bufferBytes || !text.isWellFormed()) return false;
    if (text.length * 3 > bufferBytes - this.end) this.flush();
    if (text.length > 0) {
      this.end += this.bytes().write(text, this.end, "utf8");
      this.dirty = true;
    }
    return true;
  }

  private beginWriting(): void {
    if (!this.options.output) throw new StreamFault("not-output", this, "an output stream was expected");
    this.file();
    if (this.dirty) return;
    this.origin += this.at;
    this.at = 0;
    this.end = 0;
  }

  private flush(): void {
    if (!this.dirty) return;
    const { file } = this.options;
    if (file) this.host(() => file.write(this.bytes(), 0, this.end, this.origin));
    this.origin += this.end;
    this.at = 0;
    this.end = 0;
    this.dirty = false;
  }

  override column(): number | undefined {
    return this.options.output && this.isCharacter() ? this.columnNow : undefined;
  }

  override finishOutput(): void {
    this.ensureOpen();
    this.flush();
  }

  override readElement(): number | bigint | undefined {
    const { element, input } = this.options;
    if (!input) throw new StreamFault("not-input", this, "an input stream was expected");
    if (element.kind !== "integer") throw new StreamFault("not-binary", this, "a binary stream was expected");
    this.ensureOpen();
    const size = this.elementBytes;
    if ((this.dirty || this.at + size > this.end) && this.fill(size) < size) return undefined;
    const value = this.decodeInteger(this.bytes(), this.at, size, element.signed);
    this.at += size;
    return value;
  }

  private decodeInteger(bytes: Uint8Array, at: number, size: number, signed: boolean): number | bigint {
    if (size <= 6) {
      let value = 0;
      for (let i = size - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
      return signed && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
    }
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
    if (signed) value = BigInt.asIntN(8 * size, value);
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : value;
  }

  override writeElement(value: number | bigint): void {
    const { element } = this.options;
    this.beginWriting();
    if (element.kind !== "integer") throw new StreamFault("not-binary", this, "a binary stream was expected");
    const { bits, signed } = element;
    const big = BigInt(value);
    const fits = signed ? BigInt.asIntN(bits, big) === big : big >= 0n && BigInt.asUintN(bits, big) === big;
    if (!fits)
      throw new StreamFault("bad-byte", this, "the integer does not fit the stream's element type", value);
    const size = this.elementBytes;
    if (this.end + size > bufferBytes) this.flush();
    const buffer = this.bytes();
    let rest = BigInt.asUintN(8 * size, big);
    for (let i = 0; i < size; i++) {
      buffer[this.end++] = Number(rest & 0xffn);
      rest >>= 8n;
    }
    this.dirty = true;
  }

  /** Bytes a character of a character stream is counted as by FILE-POSITION: one each, as positions are bytes. */
  textSize(text: string): number {
    let size = 0;
    for (const c of text) size += encodedSize(this.options.codec, c.codePointAt(0) ?? 0);
    return size;
  }

  override position(): number {
    this.file();
    const bytes = this.origin + (this.dirty ? this.end : this.at);
    return Math.floor(bytes / this.elementBytes);
  }

  override setPosition(position: number | "start" | "end"): boolean {
    const file = this.file();
    this.flush();
    const size = this.host(() => file.size());
    const bytes = position === "start" ? 0 : position === "end" ? size : position * this.elementBytes;
    if (bytes > size && !this.options.output) return false;
    this.origin = bytes;
    this.at = 0;
    this.end = 0;
    return true;
  }

  override length(): number {
    const file = this.file();
    this.flush();
    return Math.floor(this.host(() => file.size()) / this.elementBytes);
  }

  override elementTypeText(): string {
    const { element } = this.options;
    if (element.kind === "character") return "CHARACTER";
    return `(${element.signed ? "SIGNED" : "UNSIGNED"}-BYTE ${element.bits})`;
  }

  override close(abort: boolean): void {
    if (!this.open) return;
    const { file, files, path, renameTo, created } = this.options;
    if (!abort) this.flush();
    this.open = false;
    this.buffer = undefined;
    if (!file) return;
    this.host(() => {
      file.close();
      if (abort && (created || renameTo !== undefined)) files.removeFile(path);
      else if (renameTo !== undefined) files.rename(path, renameTo);
    });
  }
}
