/** A character: a Unicode code point (surrogates included, as in SBCL). Interned, so `===` is EQ. Get one with `char`. */
export class Char {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}

/** Exclusive upper bound of character codes (CHAR-CODE-LIMIT). */
export const CHAR_CODE_LIMIT = 0x110000;

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
