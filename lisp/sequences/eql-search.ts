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
function position(item: LispValue, vector: LispArray, start: number, end: number, fromEnd: boolean): number {
  const matches = matcher(item, vector);
  if (matches === null) return -1;
  if (fromEnd) {
    for (let i = end - 1; i >= start; i--) if (matches(i)) return i;
  } else {
    for (let i = start; i < end; i++) if (matches(i)) return i;
  }
  return -1;
}

function count(item: LispValue, vector: LispArray, start: number, end: number): number {
  const matches = matcher(item, vector);
  let total = 0;
  if (matches !== null) for (let i = start; i < end; i++) if (matches(i)) total++;
  return total;
}

/** Index in `text` where the codes of `pattern` begin, or -1. */
function searchString(
  pattern: LString,
  [patternStart, patternEnd]: readonly [number, number],
  text: LString,
  [start, end]: readonly [number, number],
): number {
  const length = patternEnd - patternStart;
  for (let at = start; at + length <= end; at++) {
    let i = 0;
    while (i < length && pattern.code(patternStart + i) === text.code(at + i)) i++;
    if (i === length) return at;
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
      const found = position(item, asVector(vector), start, end, fromEnd !== NIL);
      return found < 0 ? NIL : found;
    },
  );
  define(
    "SYS:EQL-COUNT",
    "item vector start end",
    (item: LispValue, vector: LispValue, start: number, end: number) => {
      host.charge(end - start);
      return count(item, asVector(vector), start, end);
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
