import { elementAt, isArray, isVector } from "../arrays/array-access.ts";
import { Cons } from "../data/cons.ts";
import { TOTAL_SIZE_LIMIT, arrayTooLarge } from "../arrays/array-making.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { SHARE, forShares } from "../data/unfinished.ts";
import { requireList, walkCells } from "./list-walking.ts";

/** The value of `then` for the elements of any sequence in a new JavaScript array. TYPE-ERROR for improper lists and other objects. */
export function withItems(sequence: LispValue, then: (items: LispValue[]) => LispValue): LispValue {
  const items: LispValue[] = [];
  if (Array.isArray(sequence)) return then(sequence.slice());
  if (isArray(sequence) && isVector(sequence)) {
    const add = (from: number, to: number): void => {
      for (let i = from; i < to; i++) items.push(elementAt(sequence, i));
    };
    return forShares(0, sequence.length, add, () => then(items));
  }
  if (!(sequence instanceof Cons) && sequence !== NIL) throw typeError(sequence, "SEQUENCE");
  const add = (cell: Cons): undefined => void items.push(cell.car);
  return walkCells(sequence, add, (end) => {
    if (end !== NIL) throw typeError(end, "LIST");
    return then(items);
  });
}

/** A list of the items, which is made in shares from the back. */
export function listOfItems(items: readonly LispValue[]): LispValue {
  const last = items.length - 1;
  let list: LispValue = NIL;
  const add = (from: number, to: number): void => {
    for (let i = from; i < to; i++) list = new Cons(items[last - i]!, list);
  };
  return forShares(0, items.length, add, () => list);
}

const surrogate = /[\ud800-\udfff]/;

/** Joins strings by their codes: JavaScript would make one character of two surrogates that meet. */
function joinCodes(strings: LispValue): LString {
  let total = 0;
  for (let rest = strings; rest instanceof Cons; rest = rest.cdr) total += (rest.car as LString).length;
  const codes = new Uint32Array(total);
  let at = 0;
  for (let rest = strings; rest instanceof Cons; rest = rest.cdr) {
    const part = rest.car as LString;
    for (let i = 0; i < part.length; i++) codes[at++] = part.code(i);
  }
  return LString.fromCodes(codes);
}

/** Leaves under COERCE, CONCATENATE, SORT and others that copy whole sequences. */
export const installSequenceConversion: LeafInstaller = (define, host) => {
  const items = (sequence: LispValue, then: (items: LispValue[]) => LispValue): LispValue =>
    withItems(sequence, (all) => {
      host.charge(all.length % SHARE);
      return then(all);
    });
  define("SYS:SEQUENCE-TO-LIST", "sequence", (sequence: LispValue) => items(sequence, listOfItems));
  define("SYS:SEQUENCE-TO-SIMPLE-VECTOR", "sequence", (sequence: LispValue) => items(sequence, (all) => all));
  define("SYS:LIST-TO-SIMPLE-VECTOR", "list", (list: LispValue) => items(requireList(list), (all) => all));
  define("SYS:VECTOR-TO-LIST", "vector", (vector: LispValue) => {
    if (!isArray(vector) || !isVector(vector)) throw typeError(vector, "VECTOR");
    return items(vector, listOfItems);
  });
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
