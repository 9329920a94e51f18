import type { TextPosition } from "./data-form-error.ts";

const newline = 0x0a;

/** The start of a text. */
export const textStart: TextPosition = { offset: 0, line: 1, column: 1 };

/** Is the byte a UTF-8 continuation, that is, not the first of its character? */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The place of byte `index` of `bytes`, which start at `origin` of a larger text. */
export function positionAt(bytes: Uint8Array, index: number, origin: TextPosition = textStart): TextPosition {
  let { line, column } = origin;
  const end = Math.min(index, bytes.length);
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === newline) {
      line++;
      column = 1;
    } else if (!isContinuation(byte)) {
      column++;
    }
  }
  return { offset: origin.offset + index, line, column };
}

/** Index of the first byte that does not continue or start a valid UTF-8 sequence; -1 when all are valid. */
export function invalidUtf8Index(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return -1;
}

/** Length of the valid sequence at `at` (Unicode table 3-7: no overlong forms, no surrogates), or 0. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  const [low, high] = secondByteRange(first);
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (second < low || second > high) return 0;
  for (let next = 2; next < length; next++) if (!isContinuation(bytes[at + next] ?? 0)) return 0;
  return length;
}

function secondByteRange(first: number): readonly [number, number] {
  if (first < 0xc2 || first > 0xf4) return [1, 0];
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  if (first === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}
