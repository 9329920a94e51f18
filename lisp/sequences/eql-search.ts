import { elementAt, isArray, isVector, type LispArray } from "../arrays/array-access.ts";
import { Char } from "../data/character.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { eql } from "../equality/equality.ts";

function asVector(value: LispValue): LispArray {
  if (isArray(value) && isVector(value)) return value;
  throw typeError(value, "VECTOR");
}

/** A test for the elements of a vector that are EQL to the item; null when none can be. */
function matcher(item: LispValue, vector: LispArray): ((index: number) => boolean) | null {
  if (vector instanceof LString) {
    if (!(item instanceof Char)) return null;
    const { code } = item;
    return (index) => vector.code(index) === code;
  }
  if (Array.isArray(vector)) {
    const identical = typeof item === "number" || item instanceof Char;
    return identical ? (index) => vector[index] === item : (index) => eql(vector[index]!, item);
  }
  return (index) => eql(elementAt(vector, index), item);
}

/** Index of the first (last when `fromEnd`) element from start up to end that is EQL to the item, or -1. */
export function eqlPosition(
  item: LispValue,
  vector: LispArray,
  start: number,
  end: number,
  fromEnd: boolean,
): number {
  const matches = matcher(item, vector);
  if (matches === null) return -1;
  if (fromEnd) {
    for (let i = end - 1; i >= start; i--) if (matches(i)) return i;
  } else {
    for (let i = start; i < end; i++) if (matches(i)) return i;
  }
  return -1;
}

/** Number of elements from start up to end that are EQL to the item. */
export function eqlCount(item: LispValue, vector: LispArray, start: number, end: number): number {
  const matches = matcher(item, vector);
  let total = 0;
  if (matches !== null) for (let i = start; i < end; i++) if (matches(i)) total++;
  return total;
}

/** Longest pattern that is compared at each place of the text; longer ones are prepared, so that no text takes long. */
const PLAIN_PATTERN = 32;

/** Index in `text` where the codes of `pattern` begin, or -1. */
function searchString(
  pattern: LString,
  [patternStart, patternEnd]: readonly [number, number],
  text: LString,
  [start, end]: readonly [number, number],
): number {
  const length = patternEnd - patternStart;
  if (length > PLAIN_PATTERN) return searchPrepared(pattern, [patternStart, patternEnd], text, [start, end]);
  const wanted = pattern.slice(patternStart, patternEnd);
  const where = text.toJS();
  // Only then do indices of the two kinds of string agree.
  if (wanted.length === length && where.length === text.length) {
    const found =
      end === where.length ? where.indexOf(wanted, start) : where.slice(0, end).indexOf(wanted, start);
    return found;
  }
  for (let at = start; at + length <= end; at++) {
    let i = 0;
    while (i < length && pattern.code(patternStart + i) === text.code(at + i)) i++;
    if (i === length) return at;
  }
  return -1;
}

/** The search of Knuth, Morris and Pratt: one look at each code of the text, whatever the pattern is. */
function searchPrepared(
  pattern: LString,
  [patternStart, patternEnd]: readonly [number, number],
  text: LString,
  [start, end]: readonly [number, number],
): number {
  const length = patternEnd - patternStart;
  const code = (i: number): number => pattern.code(patternStart + i);
  /** Length of the longest beginning of the pattern that ends what was matched so far. */
  const borders = new Int32Array(length);
  for (let i = 1, k = 0; i < length; i++) {
    while (k > 0 && code(i) !== code(k)) k = borders[k - 1]!;
    if (code(i) === code(k)) k++;
    borders[i] = k;
  }
  for (let at = start, k = 0; at < end; at++) {
    const here = text.code(at);
    while (k > 0 && here !== code(k)) k = borders[k - 1]!;
    if (here === code(k)) k++;
    if (k === length) return at - length + 1;
  }
  return -1;
}

/** Leaves under FIND, POSITION, COUNT and SEARCH for vectors, the test EQL and no key. Bounds are checked by the caller. */
export const installEqlSearch: LeafInstaller = (define, host) => {
  define(
    "SYS:EQL-POSITION",
    "item vector start end from-end",
    (item: LispValue, vector: LispValue, start: number, end: number, fromEnd: LispValue) => {
      host.charge(end - start);
      const found = eqlPosition(item, asVector(vector), start, end, fromEnd !== NIL);
      return found < 0 ? NIL : found;
    },
  );
  define(
    "SYS:EQL-COUNT",
    "item vector start end",
    (item: LispValue, vector: LispValue, start: number, end: number) => {
      host.charge(end - start);
      return eqlCount(item, asVector(vector), start, end);
    },
  );
  define(
    "SYS:STRING-SEARCH",
    "pattern start1 end1 text start2 end2",
    (pattern: LString, start1: number, end1: number, text: LString, start2: number, end2: number) => {
      host.charge(end2 - start2);
      const found = searchString(pattern, [start1, end1], text, [start2, end2]);
      return found < 0 ? NIL : found;
    },
  );
};
