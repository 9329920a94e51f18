/** Case and digit properties of character codes. Two characters are a case pair only when each maps to the other alone. */

interface CasePair {
  readonly upper: number;
  readonly lower: number;
}

const NO_CASE: CasePair = { upper: -1, lower: -1 };

function onlyCodePoint(text: string): number {
  const code = text.codePointAt(0) as number;
  return text.length === (code > 0xffff ? 2 : 1) ? code : -1;
}

function computePair(code: number): CasePair {
  if (code >= 0xd800 && code < 0xe000) return NO_CASE;
  const text = String.fromCodePoint(code);
  const upper = onlyCodePoint(text.toUpperCase());
  const lower = onlyCodePoint(text.toLowerCase());
  if (upper < 0 || lower < 0 || upper === lower) return NO_CASE;
  const mutual = (c: number): boolean =>
    onlyCodePoint(String.fromCodePoint(c).toUpperCase()) === upper &&
    onlyCodePoint(String.fromCodePoint(c).toLowerCase()) === lower;
  return mutual(upper) && mutual(lower) && (code === upper || code === lower) ? { upper, lower } : NO_CASE;
}

/** Pairs of the Latin-1 codes, computed once; a constant table. */
const latinUpper = new Uint16Array(256);
const latinLower = new Uint16Array(256);
for (let code = 0; code < 256; code++) {
  const pair = computePair(code);
  latinUpper[code] = pair.upper < 0 ? code : pair.upper;
  latinLower[code] = pair.lower < 0 ? code : pair.lower;
}

/** CHAR-UPCASE of a code. */
export function upcaseCode(code: number): number {
  if (code < 256) return latinUpper[code] as number;
  const { upper } = computePair(code);
  return upper < 0 ? code : upper;
}

/** CHAR-DOWNCASE of a code. */
export function downcaseCode(code: number): number {
  if (code < 256) return latinLower[code] as number;
  const { lower } = computePair(code);
  return lower < 0 ? code : lower;
}

/** UPPER-CASE-P: the code has a lower-case partner. */
export function isUpperCode(code: number): boolean {
  return downcaseCode(code) !== code;
}

/** LOWER-CASE-P: the code has an upper-case partner. */
export function isLowerCode(code: number): boolean {
  return upcaseCode(code) !== code;
}

/** Weight of a digit code in a radix of 2 … 36, or -1. Decimal digits of other scripts count as digits. */
export function digitWeight(code: number, radix: number): number {
  let weight = -1;
  if (code < 128) {
    if (code >= 48 && code <= 57) weight = code - 48;
    else if (code >= 65 && code <= 90) weight = code - 55;
    else if (code >= 97 && code <= 122) weight = code - 87;
  } else {
    weight = foreignDigit(code);
  }
  return weight < radix ? weight : -1;
}

const graphic = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]$/u;

/** GRAPHIC-CHAR-P: the character prints as something. */
export function isGraphicCode(code: number): boolean {
  if (code < 127) return code >= 32;
  return (code < 0xd800 || code > 0xdfff) && graphic.test(String.fromCodePoint(code));
}

const decimalDigit = /^\p{Nd}$/u;

/** Decimal digits come in runs of ten with the zero at a code whose predecessor is no digit. */
function foreignDigit(code: number): number {
  const isDigit = (c: number): boolean =>
    (c < 0xd800 || c > 0xdfff) && decimalDigit.test(String.fromCodePoint(c));
  if (!isDigit(code)) return -1;
  let start = code;
  while (isDigit(start - 1)) start--;
  return (code - start) % 10;
}

function mapCodes(text: string, map: (code: number) => number): string {
  const parts: string[] = [];
  for (const c of text) parts.push(String.fromCodePoint(map(c.codePointAt(0)!)));
  return parts.join("");
}

/** Upper-case form of a JavaScript string, character by character (never changing its length). */
export function upcaseText(text: string): string {
  if (isAscii(text)) return text.toUpperCase();
  return mapCodes(text, upcaseCode);
}

/** Lower-case form of a JavaScript string, character by character (never changing its length). */
export function downcaseText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return mapCodes(text, downcaseCode);
}

const foreign = /[^\0-\x7f]/;

function isAscii(text: string): boolean {
  return !foreign.test(text);
}
