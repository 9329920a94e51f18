/** Strings made of characters that are in lists and vectors, and strings sorted by their codes. */
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Most elements handled at once: that takes less than a time slice may. */
const MOST_ELEMENTS = 100_000;

/** The string of the characters in a list that is not long, or NIL when the list is anything else. */
function stringOfList(list: LispValue): LispValue {
  const codes: number[] = [];
  let rest = list;
  for (; rest instanceof Cons && codes.length < MOST_ELEMENTS; rest = rest.cdr) {
    if (!(rest.car instanceof Char)) return NIL;
    codes.push(rest.car.code);
  }
  return rest === NIL ? stringOfCodes(codes) : NIL;
}

function stringOfCodes(codes: readonly number[]): LString {
  const result = LString.fromCodes(Uint32Array.from(codes));
  return codes.length <= SHORT ? result.substring(0, codes.length) : result;
}

/** Length up to which a string is better kept as text. */
const SHORT = 32;

/** Sorts the active elements of a string in place. */
function sortCodes(string: LString, descending: boolean): void {
  const { length } = string;
  const codes = new Uint32Array(length);
  for (let i = 0; i < length; i++) codes[i] = string.code(i);
  codes.sort();
  for (let i = 0; i < length; i++) string.setCode(i, codes[descending ? length - 1 - i : i]!);
}

/** Leaves under COERCE, MAP, REMOVE and SORT for strings. Those that answer NIL leave the work to the general way. */
export const installStringMaking: LeafInstaller = (define, host) => {
  define("SYS:%STRING-OF-LIST", "object", (object: LispValue) =>
    object instanceof Cons || object === NIL
      ? stringOfList(object)
      : object instanceof LString
        ? object
        : NIL,
  );
  define(
    "SYS:%STRING-LIKE",
    "string characters start end",
    (string: LispValue, characters: LispValue, start: number, end: number) => {
      if (!(string instanceof LString) || !Array.isArray(characters)) throw typeError(string, "STRING");
      const codes: number[] = [];
      for (let i = start; i < end; i++) codes.push((characters[i] as Char).code);
      host.charge(end - start);
      const result = stringOfCodes(codes);
      result.base = string.base;
      return result;
    },
  );
  define("SYS:%SORT-STRING", "string descending", (string: LispValue, descending: LispValue) => {
    if (!(string instanceof LString) || string.length > MOST_ELEMENTS) return NIL;
    host.charge(string.length);
    sortCodes(string, descending !== NIL);
    return bool(true);
  });
};
