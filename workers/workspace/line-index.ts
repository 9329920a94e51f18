import { hash } from "node:crypto";

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes of a line its anchor looks at; longer lines also count by their length. */
export const anchorPrefixBytes = 65_536;

/** One line as byte offsets of a file. A lone carriage return is part of a line, not its end. */
export interface LineSpan {
  readonly start: number;
  /** End of the text, without its terminator. */
  readonly end: number;
  /** End of the terminator (`\n` or `\r\n`); equal to `end` for a last line without one. */
  readonly next: number;
}

/** Length of a UTF-8 byte order mark at the beginning: 3 or 0. It belongs to no line. */
export function markLength(bytes: Buffer): 0 | 3 {
  return bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
}

/** All lines of a text. An empty text has none; a terminator at the end opens no further line. */
export function lineSpans(bytes: Buffer): readonly LineSpan[] {
  const spans: LineSpan[] = [];
  for (let start: number = markLength(bytes); start < bytes.length;) {
    const at = bytes.indexOf(newline, start);
    const next = at < 0 ? bytes.length : at + 1;
    const textEnd = at < 0 ? bytes.length : at;
    const end = at > start && bytes[at - 1] === carriageReturn ? textEnd - 1 : textEnd;
    spans.push({ start, end, next });
    start = next;
  }
  return spans;
}

/** Four hex digits that change when a line's text does. `prefix` holds its first {@link anchorPrefixBytes} bytes at least. */
export function anchorOf(prefix: Uint8Array, lengthBytes = prefix.length): string {
  const looked = prefix.subarray(0, anchorPrefixBytes);
  const digest = hash("sha256", looked, "hex").slice(0, 4);
  return lengthBytes <= anchorPrefixBytes
    ? digest
    : hash("sha256", `${digest}:${lengthBytes}`, "hex").slice(0, 4);
}

/** Revision of a content: opaque, equal for equal bytes. */
export function revisionOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, revisionLength);
}

/** Hex digits of a revision. */
export const revisionLength = 32;

/** Revision of a file that does not exist. */
export const absentRevision = "absent";
