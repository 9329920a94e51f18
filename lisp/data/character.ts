/**
 * A character: a Unicode code point. Halves of surrogate pairs come only from host texts that are not Unicode: the Lisp makes none.
 * Interned, so `===` is EQ. Get one with `char`.
 */
export class Char {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}

/** Exclusive upper bound of character codes (CHAR-CODE-LIMIT). */
export const CHAR_CODE_LIMIT = 0x110000;

/** True for half of a surrogate pair, which is no character: two of them in a row would be taken for one. */
export function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

const low: readonly Char[] = Array.from({ length: 256 }, (_, code) => new Char(code));
const high = new Map<number, Char>();

/** The character with a code in 0 … CHAR_CODE_LIMIT - 1. */
export function char(code: number): Char {
  if (code < 256) return low[code]!;
  let found = high.get(code);
  if (found === undefined) {
    found = new Char(code);
    high.set(code, found);
  }
  return found;
}
