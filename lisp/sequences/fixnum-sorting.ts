import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Most elements sorted at once: that takes less than a time slice may. */
const MOST_ELEMENTS = 200_000;

/** Keys below this in size leave room for the index of an element in a safe integer. */
const MOST_KEY = 2 ** 34;
const INDEX_ROOM = 2 ** 18;

/** The elements as doubles, or null when one of them is no fixnum or there are too many. */
function fixnums(vector: readonly LispValue[]): Float64Array | null {
  const { length } = vector;
  if (length > MOST_ELEMENTS) return null;
  const numbers = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const item = vector[i];
    if (typeof item !== "number") return null;
    numbers[i] = item;
  }
  return numbers;
}

/** Sorts a simple-vector in place when all elements are fixnums. */
function sortFixnums(vector: LispValue[], descending: boolean): boolean {
  const numbers = fixnums(vector);
  if (numbers === null) return false;
  numbers.sort();
  const last = numbers.length - 1;
  for (let i = 0; i <= last; i++) vector[i] = numbers[descending ? last - i : i]!;
  return true;
}

/** The elements in the stable order of their keys, when all keys are fixnums of moderate size; else null. */
function sortByFixnums(
  keys: readonly LispValue[],
  elements: readonly LispValue[],
  descending: boolean,
): LispValue[] | null {
  const numbers = fixnums(keys);
  if (numbers === null) return null;
  const sign = descending ? -1 : 1;
  for (let i = 0; i < numbers.length; i++) {
    const key = numbers[i]! * sign;
    if (key >= MOST_KEY || key <= -MOST_KEY) return null;
    // Key and index in one number: the order of these is the stable order of the keys.
    numbers[i] = key * INDEX_ROOM + i;
  }
  numbers.sort();
  const sorted: LispValue[] = [];
  for (const number of numbers) {
    const index = number % INDEX_ROOM;
    sorted.push(elements[index < 0 ? index + INDEX_ROOM : index]!);
  }
  return sorted;
}

/** Leaves under SORT for elements or keys that are all fixnums. The bounds keep one call short. */
export const installFixnumSorting: LeafInstaller = (define, host: LeafHost) => {
  define("SYS:%SORT-FIXNUMS", "simple-vector descending", (vector: LispValue, descending: LispValue) => {
    const items = vector as LispValue[];
    host.charge(items.length * 4);
    return sortFixnums(items, descending !== NIL) ? T : NIL;
  });
  define(
    "SYS:%SORT-BY-FIXNUMS",
    "keys simple-vector descending",
    (keys: LispValue, vector: LispValue, descending: LispValue) => {
      host.charge((keys as LispValue[]).length * 4);
      return sortByFixnums(keys as LispValue[], vector as LispValue[], descending !== NIL) ?? NIL;
    },
  );
};
