/** Turns a finished token into an object: number, symbol, dot, character, bit-vector. */
import { LArray, makeStorage } from "../data/array.ts";
import { char } from "../data/character.ts";
import { LString } from "../data/string.ts";
import { inSteps } from "../data/long-work.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { TOTAL_SIZE_LIMIT } from "../arrays/array-making.ts";
import { codeOfName } from "../characters/char-names.ts";
import { BadNumber, mayStartNumber, parseNumberToken, type ReadNumber } from "./number-token.ts";
import type { ReaderState } from "./reader-state.ts";
import {
  convertCase,
  convertCodes,
  findMarker,
  internCurrent,
  internKeyword,
  internQualified,
} from "./symbol-token.ts";

/** The token consisting of a single dot: no object, but part of a list. */
export const DOT = Symbol("dot");

/** The token is a number that takes steps to make: `reader.number` makes it. */
export const LONG_NUMBER = Symbol("long number");

/** Digits of a number that are converted at once. */
const QUICK_DIGITS = 20_000;

/** Characters that a token may have: more than the digits of any integer in a radix above 3. */
export const MAX_TOKEN = 8_388_608;

/** Refuses tokens that are too long. */
export function checkTokenLength(reader: ReaderState, length: number): void {
  if (length > MAX_TOKEN) reader.fail("a token has more than ~D characters", MAX_TOKEN);
}

/** Object of a token without escapes. */
export function plainToken(reader: ReaderState, token: string): LispValue | typeof DOT | typeof LONG_NUMBER {
  if (token === ".") return dotToken(reader);
  if (reader.suppress > 0) return suppressed(reader);
  // In base ten no token that was once a symbol is a number.
  const cached = reader.cacheable
    ? reader.context.tokens.find(reader.pkg, reader.readtable.caseMode, token)
    : undefined;
  if (cached !== undefined) return cached;
  if (mayStartNumber(token.charCodeAt(0), reader.base)) {
    if (token.length > QUICK_DIGITS) {
      const { base, defaultFormat } = reader;
      const read = inSteps(() => parseNumberToken(token, base, defaultFormat));
      reader.number = { token, read };
      return LONG_NUMBER;
    }
    return numberOrSymbol(reader, token, parseNumberToken(token, reader.base, reader.defaultFormat));
  }
  return plainSymbol(reader, token);
}

/** Object of a token that may be a number: the number, if it is one. */
export function numberOrSymbol(reader: ReaderState, token: string, number: ReadNumber): LispValue {
  if (number instanceof BadNumber)
    return reader.fail("the number ~A cannot be read: ~A", text(shortened(token)), text(number.reason));
  if (number !== undefined) {
    reader.report("number");
    return number;
  }
  if (/^\.+$/.test(token)) return reader.fail("a token of only dots");
  return plainSymbol(reader, token);
}

/** A token as a message shows it. */
function shortened(token: string): string {
  return token.length <= 100 ? token : `${token.slice(0, 100)}…`;
}

function text(x: string): LString {
  return LString.from(x);
}

function suppressed(reader: ReaderState): LispValue {
  reader.report("symbol");
  return NIL;
}

function dotToken(reader: ReaderState): typeof DOT {
  reader.report("symbol");
  return DOT;
}

function plainSymbol(reader: ReaderState, token: string): LSymbol {
  const mode = reader.readtable.caseMode;
  const colon = token.indexOf(":");
  if (colon < 0) {
    reader.report("symbol");
    return remember(reader, token, internCurrent(reader, convertCase(token, mode)));
  }
  const { at, colons } = findMarker(reader, codeUnits(token), null);
  const name = token.slice(at + colons);
  if (name === "") return reader.fail("a symbol has no name after its package marker");
  if (at === 0) {
    reader.report("keyword");
    return remember(reader, token, internKeyword(reader, convertCase(name, mode)));
  }
  reader.report("symbol");
  return internQualified(reader, convertCase(token.slice(0, at), mode), convertCase(name, mode), colons);
}

function remember(reader: ReaderState, token: string, symbol: LSymbol): LSymbol {
  if (reader.cacheable) reader.context.tokens.remember(reader.pkg, reader.readtable.caseMode, token, symbol);
  return symbol;
}

function codeUnits(token: string): number[] {
  return Array.from({ length: token.length }, (_, i) => token.charCodeAt(i));
}

function isStandardWhitespace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11);
}

/** Characters that may not stand in a token unescaped, whatever their syntax type. */
function isInvalidConstituent(code: number): boolean {
  return code === 8 || code === 127 || isStandardWhitespace(code);
}

/** Checks a token for characters with the constituent trait "invalid". */
export function checkConstituents(reader: ReaderState, token: string): void {
  for (let i = 0; i < token.length; i++) {
    if (token.charCodeAt(i) <= 32 || token.charCodeAt(i) === 127)
      checkConstituent(reader, token.charCodeAt(i));
  }
}

function checkConstituent(reader: ReaderState, code: number): void {
  if (isInvalidConstituent(code)) reader.fail("the character ~S is invalid in a token", char(code));
}

function namedBy(codes: readonly number[]): string {
  let result = "";
  for (const code of codes) result += String.fromCodePoint(code);
  return result;
}

/** Object of the token collected in `reader.codes`. */
export function collectedToken(reader: ReaderState): LispValue | typeof DOT | typeof LONG_NUMBER {
  const { codes, escaped } = reader;
  switch (reader.use) {
    case "character":
      return characterToken(reader);
    case "bits":
      return bitsToken(reader);
    case "uninterned":
      return uninternedToken(reader);
    default:
  }
  for (const [i, code] of codes.entries()) if (escaped[i] !== true) checkConstituent(reader, code);
  if (!reader.anyEscape) return plainToken(reader, namedBy(codes));
  if (reader.suppress > 0) return suppressed(reader);
  const { at, colons } = findMarker(reader, codes, escaped);
  const converted = convertCodes(codes, escaped, reader.readtable.caseMode);
  if (colons === 0) {
    reader.report("symbol");
    return internCurrent(reader, namedBy(converted));
  }
  const name = namedBy(converted.slice(at + colons));
  if (at === 0) {
    reader.report("keyword");
    return internKeyword(reader, name);
  }
  reader.report("symbol");
  return internQualified(reader, namedBy(converted.slice(0, at)), name, colons);
}

function characterToken(reader: ReaderState): LispValue {
  const { codes } = reader;
  if (reader.suppress > 0) return suppressed(reader);
  if (codes.length === 1) {
    reader.report("character");
    return char(codes[0] as number);
  }
  const name = namedBy(codes);
  const code = codeOfName(name);
  if (code === undefined) return reader.fail("there is no character named ~A", text(name));
  reader.report("character");
  return char(code);
}

function bitsToken(reader: ReaderState): LispValue {
  const { codes, sharpArgument } = reader;
  if (reader.suppress > 0) return suppressed(reader);
  if (reader.anyEscape || codes.some((c) => c !== 48 && c !== 49))
    return reader.fail("a bit-vector may contain only 0 and 1");
  let length = codes.length;
  if (sharpArgument !== null) {
    if (sharpArgument >= TOTAL_SIZE_LIMIT)
      return reader.fail("a bit-vector of more than ~D bits", TOTAL_SIZE_LIMIT - 1);
    length = Number(sharpArgument);
    if (codes.length > length) return reader.fail("a bit-vector is longer than its length ~D", length);
    if (codes.length === 0 && length > 0)
      return reader.fail("a bit-vector of length ~D needs at least one bit", length);
  }
  const bits = makeStorage("bit", length) as Uint8Array;
  for (let i = 0; i < codes.length; i++) bits[i] = codes[i]! - 48;
  bits.fill((codes.at(-1) ?? 48) - 48, codes.length);
  reader.report("number");
  return new LArray([length], "bit", bits);
}

function uninternedToken(reader: ReaderState): LispValue {
  const { codes, escaped } = reader;
  if (reader.suppress > 0) return suppressed(reader);
  if (findMarker(reader, codes, escaped).colons > 0)
    return reader.fail("an uninterned symbol has a package marker");
  if (codes.length === 0 && !reader.anyEscape) return reader.fail("an uninterned symbol has no name");
  const name = namedBy(codes);
  if (!reader.anyEscape && mayStartNumber(codes[0] as number, reader.base)) {
    if (parseNumberToken(name, reader.base, reader.defaultFormat) !== undefined) {
      return reader.fail("#: is followed by ~A, which is not a symbol", text(name));
    }
  }
  reader.report("symbol");
  return new LSymbol(namedBy(convertCodes(codes, escaped, reader.readtable.caseMode)), null);
}
