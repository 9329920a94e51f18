/** What compiled code calls for MEMBER, ASSOC, FIND and the like with the test EQL and neither key nor bounds. */
import { elementAt, isArray, isVector, type LispArray } from "../arrays/array-access.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import { SHARE, Unfinished } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { eql } from "../equality/equality.ts";
import { eqlCount, eqlPosition } from "./eql-search.ts";
import { requireEnd, walkCells } from "./list-walking.ts";

/** Cells that are looked at before circles and time count. */
const QUICK_CELLS = 2_048;

/** Steps that a loop may make before it looks again whether its list has an end. */
const NEXT_LOOK = 1_048_576;

function carOf(pair: LispValue): LispValue {
  if (pair instanceof Cons) return pair.car;
  throw typeError(pair, "LIST");
}

function cdrOf(pair: LispValue): LispValue {
  if (pair instanceof Cons) return pair.cdr;
  throw typeError(pair, "LIST");
}

/** True for objects of which EQL finds no other one. */
function isIdentity(item: LispValue): boolean {
  return (
    typeof item === "number" ||
    item instanceof LSymbol ||
    item instanceof Char ||
    item instanceof Cons ||
    item instanceof LString
  );
}

/** What a search gives for the cell it found and the number of cells before, or for the end of the list. */
type Found = (end: LispValue, index: number) => LispValue;

/** Gives `found` for the first cell whose element is EQL to the item, or for the end of the list. Each loop has one comparison. */
function searchCells(host: LeafHost, item: LispValue, list: LispValue, found: Found): LispValue {
  let rest = list;
  let i = 0;
  if (isIdentity(item))
    for (; i < QUICK_CELLS && rest instanceof Cons && rest.car !== item; i++) rest = rest.cdr;
  else for (; i < QUICK_CELLS && rest instanceof Cons && !eql(rest.car, item); i++) rest = rest.cdr;
  host.charge(i);
  if (i < QUICK_CELLS) return found(rest, i);
  return walkCells(
    rest,
    (cell) => !eql(cell.car, item),
    (end, more) => found(end, i + more),
  );
}

const cellFound: Found = (end) => (end instanceof Cons ? end : requireEnd(end));
const elementFound: Found = (end) => (end instanceof Cons ? end.car : requireEnd(end));
const indexFound: Found = (end, index) => (end instanceof Cons ? index : requireEnd(end));

function assocPair(
  host: LeafHost,
  item: LispValue,
  list: LispValue,
  part: (pair: LispValue) => LispValue,
): LispValue {
  const matches = (pair: LispValue): boolean => pair !== NIL && eql(part(pair), item);
  let rest = list;
  for (let i = 0; i < QUICK_CELLS; i++) {
    if (!(rest instanceof Cons)) {
      host.charge(i);
      return requireEnd(rest);
    }
    if (matches(rest.car)) return rest.car;
    rest = rest.cdr;
  }
  return walkCells(
    rest,
    (cell) => !matches(cell.car),
    (end) => (end instanceof Cons ? end.car : requireEnd(end)),
  );
}

/** ASSOC for items that are EQL to nothing but themselves. */
function assocIdentical(host: LeafHost, item: LispValue, list: LispValue): LispValue {
  let rest = list;
  for (let i = 0; i < QUICK_CELLS; i++) {
    if (!(rest instanceof Cons)) {
      host.charge(i);
      return requireEnd(rest);
    }
    const pair = rest.car;
    if (pair instanceof Cons ? pair.car === item : pair !== NIL && carOf(pair) === item) return pair;
    rest = rest.cdr;
  }
  return assocPair(host, item, rest, carOf);
}

function asVector(value: LispValue): LispArray {
  if (isArray(value) && isVector(value)) return value;
  throw typeError(value, "SEQUENCE");
}

/** Index of a character in a string that is not long, or -1. */
function codeIndex(string: LString, item: LispValue): number {
  if (!(item instanceof Char)) return -1;
  const { code } = item;
  const { length } = string;
  for (let i = 0; i < length; i++) if (string.code(i) === code) return i;
  return -1;
}

/** The first element of a vector that is EQL to the item, looked for in shares. */
function findInVector(
  host: LeafHost,
  vector: LispArray,
  item: LispValue,
  start: number,
  found: (index: number) => LispValue,
): LispValue {
  const { length } = vector;
  const end = Math.min(length, start + SHARE);
  const index = eqlPosition(item, vector, start, end, false);
  host.charge((index < 0 ? end : index) - start);
  if (index >= 0) return found(index);
  if (end >= length) return NIL;
  throw new Unfinished(() => findInVector(host, vector, item, end, found), 0);
}

function countInVector(
  host: LeafHost,
  vector: LispArray,
  item: LispValue,
  start: number,
  before: number,
): LispValue {
  const end = Math.min(vector.length, start + SHARE);
  const total = before + eqlCount(item, vector, start, end);
  host.charge(end - start);
  if (end >= vector.length) return total;
  throw new Unfinished(() => countInVector(host, vector, item, end, total), 0);
}

function installSequenceSearch(define: DefineLeaf, host: LeafHost): void {
  define("SYS:%FIND-EQL", "item sequence", (item: LispValue, sequence: LispValue) => {
    if (sequence instanceof Cons || sequence === NIL) return searchCells(host, item, sequence, elementFound);
    if (sequence instanceof LString && sequence.length <= QUICK_CELLS)
      return codeIndex(sequence, item) < 0 ? NIL : item;
    const vector = asVector(sequence);
    return findInVector(host, vector, item, 0, (index) => elementAt(vector, index));
  });
  define("SYS:%POSITION-EQL", "item sequence", (item: LispValue, sequence: LispValue) => {
    if (sequence instanceof Cons || sequence === NIL) return searchCells(host, item, sequence, indexFound);
    if (sequence instanceof LString && sequence.length <= QUICK_CELLS) {
      const index = codeIndex(sequence, item);
      return index < 0 ? NIL : index;
    }
    return findInVector(host, asVector(sequence), item, 0, (index) => index);
  });
  define("SYS:%COUNT-EQL", "item sequence", (item: LispValue, sequence: LispValue) => {
    if (!(sequence instanceof Cons) && sequence !== NIL)
      return countInVector(host, asVector(sequence), item, 0, 0);
    let total = 0;
    const visit = (cell: Cons): undefined => {
      if (eql(cell.car, item)) total++;
    };
    return walkCells(sequence, visit, (end) => {
      requireEnd(end);
      return total;
    });
  });
}

/** Leaves that stand for the plain calls of searching functions, and what loops over lists ask now and then. */
export const installDirectSearch: LeafInstaller = (define, host) => {
  define("SYS:%MEMBER-EQL", "item list", (item: LispValue, list: LispValue) =>
    searchCells(host, item, list, cellFound),
  );
  define("SYS:%ASSOC-EQL", "item list", (item: LispValue, list: LispValue) =>
    isIdentity(item) ? assocIdentical(host, item, list) : assocPair(host, item, list, carOf),
  );
  define("SYS:%RASSOC-EQL", "item list", (item: LispValue, list: LispValue) =>
    assocPair(host, item, list, cdrOf),
  );
  installSequenceSearch(define, host);
  define("SYS:%LESS-ONE", "n", (n: number) => n - 1, { total: true });
  define("SYS:%CHECK-END", "list", (list: LispValue) =>
    walkCells(
      list,
      () => undefined,
      () => NEXT_LOOK,
    ),
  );
};
