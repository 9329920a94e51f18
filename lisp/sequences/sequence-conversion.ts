import { isArray, isVector, vectorItems } from "../arrays/array-access.ts";
import { arrayToList, Cons } from "../data/cons.ts";
import { TOTAL_SIZE_LIMIT, arrayTooLarge } from "../arrays/array-making.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { properLength } from "./list-walking.ts";

/** The elements of any sequence in a new JavaScript array. TYPE-ERROR for improper lists and other objects. */
export function sequenceItems(sequence: LispValue): LispValue[] {
  if (isArray(sequence) && isVector(sequence)) return [...vectorItems(sequence)];
  if (!(sequence instanceof Cons) && sequence !== NIL) throw typeError(sequence, "SEQUENCE");
  properLength(sequence);
  const items: LispValue[] = [];
  let rest: LispValue = sequence;
  for (; rest instanceof Cons; rest = rest.cdr) items.push(rest.car);
  return items;
}

const surrogate = /[\ud800-\udfff]/;

/** Joins strings by their codes: JavaScript would make one character of two surrogates that meet. */
function joinCodes(strings: LispValue): LString {
  const codes: number[] = [];
  for (let rest = strings; rest instanceof Cons; rest = rest.cdr) {
    const part = rest.car as LString;
    for (let i = 0; i < part.length; i++) codes.push(part.code(i));
  }
  return LString.fromCodes(Uint32Array.from(codes));
}

/** Leaves under COERCE, CONCATENATE, SORT and others that copy whole sequences. */
export const installSequenceConversion: LeafInstaller = (define, host) => {
  const itemsOf = (sequence: LispValue): LispValue[] => {
    const items = sequenceItems(sequence);
    host.charge(items.length);
    return items;
  };
  define("SYS:SEQUENCE-TO-LIST", "sequence", (sequence: LispValue) => arrayToList(itemsOf(sequence)));
  define("SYS:SEQUENCE-TO-SIMPLE-VECTOR", "sequence", itemsOf);
  define(
    "SYS:ALL-STRINGS-P",
    "list",
    (list: LispValue) => {
      let rest = list;
      while (rest instanceof Cons && rest.car instanceof LString) rest = rest.cdr;
      return bool(rest === NIL);
    },
    { total: true },
  );
  define("SYS:JOIN-STRING-LIST", "strings", (strings: LispValue) => {
    let total = 0;
    for (let rest = strings; rest instanceof Cons; rest = rest.cdr) total += (rest.car as LString).length;
    if (total >= TOTAL_SIZE_LIMIT) throw arrayTooLarge(total, TOTAL_SIZE_LIMIT - 1);
    let text = "";
    for (let rest = strings; rest instanceof Cons; rest = rest.cdr) text += (rest.car as LString).toJS();
    host.charge(text.length);
    return surrogate.test(text) ? joinCodes(strings) : LString.from(text);
  });
};
