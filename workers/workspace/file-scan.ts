import { createHash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { anchorOf, anchorPrefixBytes, markLength, revisionLength } from "./line-index.ts";
import type { RegularFile } from "./regular-file.ts";
import { trailingIncomplete } from "../text/utf8-boundary.ts";

/** One line as a read shows it. */
export interface ScannedLine {
  readonly number: number;
  readonly anchor: string;
  /** First bytes of the line's text, at most {@link anchorPrefixBytes}. */
  readonly prefix: Buffer;
  readonly lengthBytes: number;
  /** Offset of the line in the file. */
  readonly byteOffset: number;
}

/** Which lines a scan keeps: by number first, since most lines need not even be looked at, then by their text. */
export interface LineChoice {
  wants(number: number): boolean;
  /** Absent: every wanted line is kept. */
  matches?(prefix: Buffer, number: number): boolean;
}

export interface FileScan {
  readonly revision: string;
  readonly totalBytes: number;
  readonly totalLines: number;
  readonly lines: readonly ScannedLine[];
  /** True when the file holds a NUL byte: it is shown by bytes, not by lines. */
  readonly binary: boolean;
  readonly utf8: boolean;
  readonly lineEnds: { readonly lf: number; readonly crlf: number };
  readonly endsWithNewline: boolean;
  readonly hasMark: boolean;
  /** Lines longer than what is kept of one. */
  readonly longLines: number;
}

/** Bytes read at a time; small enough that hashing a part does not hold up the event loop. */
const chunkBytes = 262_144;

/**
 * Reads a file once from its beginning in bounded memory: revision, counts, and the chosen lines. `limitLines` bounds how
 * many are kept. Ends early with the signal's reason.
 */
export async function scanFile(
  file: RegularFile,
  choice: LineChoice,
  limitLines: number,
  signal: AbortSignal,
): Promise<FileScan> {
  const scanner = new LineScanner(choice, limitLines);
  // Most files are small: one read, one byte larger than the file, tells that it has ended.
  const { size } = file.stats;
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(size, 4_096) + 1));
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const bytesRead = await file.read(buffer, position);
    if (bytesRead === 0) return scanner.end();
    scanner.feed(buffer.subarray(0, bytesRead));
    position += bytesRead;
    // Files of the kernel tell no size and give less than was asked for before their end.
    if (bytesRead < buffer.length && position >= size && size > 0) return scanner.end();
  }
}

/** Cuts a stream of bytes into lines, keeping of the line it is in no more than the anchor looks at. */
export class LineScanner {
  readonly #choice: LineChoice;
  readonly #limitLines: number;
  readonly #hash = createHash("sha256");
  readonly #lines: ScannedLine[] = [];
  #totalBytes = 0;
  #totalLines = 0;
  #binary = false;
  #utf8 = true;
  /** Bytes of an unfinished character at the end of what was checked. */
  #carry: Buffer = Buffer.alloc(0);
  #lf = 0;
  #crlf = 0;
  #hasMark = false;
  #longLines = 0;
  #lastByte = -1;
  // The line that is being read.
  #prefix: Buffer[] = [];
  #prefixBytes = 0;
  #lineBytes = 0;
  #lineOffset = 0;
  #beforeLast = -1;

  constructor(choice: LineChoice, limitLines: number) {
    this.#choice = choice;
    this.#limitLines = limitLines;
  }

  feed(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#checkEncoding(chunk);
    let start = 0;
    if (this.#totalBytes === 0) {
      start = markLength(chunk);
      this.#hasMark = start > 0;
      this.#lineOffset = start;
    }
    for (let at = chunk.indexOf(0x0a, start); at >= 0; at = chunk.indexOf(0x0a, start)) {
      if (this.#lineBytes === 0) this.#takeLine(chunk, start, at);
      else {
        this.#grow(chunk.subarray(start, at));
        this.#closeLine(true);
      }
      start = at + 1;
      this.#lineOffset = this.#totalBytes + start;
    }
    this.#grow(chunk.subarray(start));
    this.#totalBytes += chunk.length;
    this.#lastByte = chunk[chunk.length - 1] ?? this.#lastByte;
  }

  /** Whether the line that is being read may be kept. */
  #wanted(): boolean {
    return this.#lines.length < this.#limitLines && this.#choice.wants(this.#totalLines + 1);
  }

  /** Counts a whole line; one that nobody wants is not copied. */
  #takeLine(chunk: Buffer, start: number, at: number): void {
    const isCrlf = at > start && chunk[at - 1] === 0x0d;
    if (isCrlf) this.#crlf += 1;
    else this.#lf += 1;
    const end = isCrlf ? at - 1 : at;
    const isWanted = this.#wanted();
    this.#endLine(end - start);
    if (isWanted)
      this.#keep(Buffer.from(chunk.subarray(start, Math.min(end, start + anchorPrefixBytes))), end - start);
  }

  #endLine(lengthBytes: number): void {
    this.#totalLines += 1;
    if (lengthBytes > anchorPrefixBytes) this.#longLines += 1;
  }

  /** Keeps the line that was counted last, if it is chosen by its text too. */
  #keep(prefix: Buffer, lengthBytes: number): void {
    const number = this.#totalLines;
    if (this.#choice.matches?.(prefix, number) === false) return;
    this.#lines.push({
      number,
      anchor: anchorOf(prefix, lengthBytes),
      prefix,
      lengthBytes,
      byteOffset: this.#lineOffset,
    });
  }

  #grow(part: Buffer): void {
    if (part.length === 0) return;
    // One byte more than the anchor looks at, since a carriage return before the line end is taken off again.
    const room = anchorPrefixBytes + 1 - this.#prefixBytes;
    if (room > 0 && this.#wanted()) {
      const kept = Buffer.from(part.subarray(0, room));
      this.#prefix.push(kept);
      this.#prefixBytes += kept.length;
    }
    this.#lineBytes += part.length;
    this.#beforeLast = part[part.length - 1] ?? -1;
  }

  #closeLine(terminated: boolean): void {
    const isCrlf = terminated && this.#lineBytes > 0 && this.#beforeLast === 0x0d;
    if (terminated) {
      if (isCrlf) this.#crlf += 1;
      else this.#lf += 1;
    }
    const lengthBytes = this.#lineBytes - (isCrlf ? 1 : 0);
    const isWanted = this.#wanted();
    this.#endLine(lengthBytes);
    if (isWanted)
      this.#keep(
        Buffer.concat(this.#prefix).subarray(0, Math.min(lengthBytes, anchorPrefixBytes)),
        lengthBytes,
      );
    this.#prefix = [];
    this.#prefixBytes = 0;
    this.#lineBytes = 0;
    this.#beforeLast = -1;
  }

  #checkEncoding(chunk: Buffer): void {
    if (!this.#binary && chunk.includes(0)) this.#binary = true;
    if (!this.#utf8) return;
    const joined = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    const cut = trailingIncomplete(joined);
    this.#utf8 = isUtf8(joined.subarray(0, joined.length - cut));
    this.#carry = Buffer.from(joined.subarray(joined.length - cut));
  }

  end(): FileScan {
    if (this.#lineBytes > 0) this.#closeLine(false);
    return {
      revision: this.#hash.digest("hex").slice(0, revisionLength),
      totalBytes: this.#totalBytes,
      totalLines: this.#totalLines,
      lines: this.#lines,
      binary: this.#binary,
      utf8: this.#utf8 && this.#carry.length === 0,
      lineEnds: { lf: this.#lf, crlf: this.#crlf },
      endsWithNewline: this.#lastByte === 0x0a,
      hasMark: this.#hasMark,
      longLines: this.#longLines,
    };
  }
}
