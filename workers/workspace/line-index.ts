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

const [hashStart, hashPrime, hashMix1, hashMix2] = [0x811c9dc5, 0x01000193, 0x85ebca6b, 0xc2b2ae35];

/**
 * Four hex digits that change when a line's text does. `prefix` holds its first {@link anchorPrefixBytes} bytes at least. Against mistakes,
 * not against malice: a read of a file makes one for every line, which a cryptographic hash takes several times as long for.
 */
export function anchorOf(prefix: Uint8Array, lengthBytes = prefix.length): string {
  const looked = Math.min(prefix.length, anchorPrefixBytes);
  let hash = lengthBytes <= anchorPrefixBytes ? hashStart : hashStart ^ lengthBytes;
  for (let index = 0; index < looked; index += 1) hash = Math.imul(hash ^ (prefix[index] ?? 0), hashPrime);
  // Spreads what the last bytes changed over all digits.
  hash = Math.imul(hash ^ (hash >>> 16), hashMix1);
  hash = Math.imul(hash ^ (hash >>> 13), hashMix2);
  return ((hash ^ (hash >>> 16)) & 0xffff).toString(16).padStart(4, "0");
}

/** Revision of a content: opaque, equal for equal bytes. */
export function revisionOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, revisionLength);
}

/** Hex digits of a revision. */
export const revisionLength = 32;

/** Revision of a file that does not exist. */
export const absentRevision = "absent";
