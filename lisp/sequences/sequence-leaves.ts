/** Registers the sequence functions without function arguments (chapter 17) as leaves. */
import { LArray } from "../data/array.ts";
import { arrayToList, Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import {
  checkIndex,
  elementAt,
  isArray,
  isVector,
  kindOf,
  type LispArray,
  storeAt,
  vectorItems,
} from "../arrays/array-access.ts";
import { makeArray } from "../arrays/array-making.ts";
import { bounds } from "../characters/string-leaves.ts";
import { properLength, requireList, walkCells } from "./list-walking.ts";

/** Length of any sequence. */
function sequenceLength(x: LispValue): number {
  if (Array.isArray(x)) return x.length;
  if (x instanceof Cons || x === NIL) return properLength(x);
  if (x instanceof LString) return x.length;
  if (x instanceof LArray && x.rank === 1) return x.length;
  throw typeError(x, "SEQUENCE");
}

function isVectorValue(x: LispValue): x is LispArray {
  return isArray(x) && isVector(x);
}

function cellAt(list: LispValue, index: LispValue): Cons {
  if (typeof index !== "number" || index < 0) throw typeError(index, `(INTEGER 0 (${properLength(list)}))`);
  let rest = list;
  for (let i = 0; i < index && rest instanceof Cons; i++) rest = rest.cdr;
  if (rest instanceof Cons) return rest;
  throw typeError(index, `(INTEGER 0 (${properLength(list)}))`);
}

function installElements(define: DefineLeaf, host: LeafHost): void {
  define("LENGTH", "sequence", (x: LispValue) => {
    const length = sequenceLength(x);
    if (x instanceof Cons) host.charge(length);
    return length;
  });
  define("ELT", "sequence index", (x: LispValue, index: LispValue) => {
    if (isVectorValue(x)) return elementAt(x, checkIndex(index, x.length));
    if (x instanceof Cons || x === NIL) return cellAt(x, index).car;
    throw typeError(x, "SEQUENCE");
  });
  define("(SETF ELT)", "value sequence index", (value: LispValue, x: LispValue, index: LispValue) => {
    if (isVectorValue(x)) storeAt(x, checkIndex(index, x.length), value);
    else if (x instanceof Cons || x === NIL) cellAt(x, index).car = value;
    else throw typeError(x, "SEQUENCE");
    return value;
  });
}

/** Items of a list from start to end, after checking them against its length. */
function listItems(list: LispValue, start: LispValue | undefined, end: LispValue | undefined): LispValue[] {
  const [from, to] = bounds(start, end, properLength(requireList(list)));
  const items: LispValue[] = [];
  let rest = list;
  for (let i = 0; i < to; i++) {
    const cell = rest as Cons;
    if (i >= from) items.push(cell.car);
    rest = cell.cdr;
  }
  return items;
}

/** A simple vector of the same element kind. */
function vectorLike(x: LispArray, items: LispValue[]): LispValue {
  if (kindOf(x) === "t") return items;
  return makeArray([items.length], kindOf(x), { initialContents: items });
}

function subsequence(x: LispValue, start: LispValue | undefined, end: LispValue | undefined): LispValue {
  if (x instanceof LString) {
    const [from, to] = bounds(start, end, x.length);
    const result = x.substring(from, to);
    result.base = x.base;
    result.barren = x.barren;
    return result;
  }
  if (isVectorValue(x)) {
    const [from, to] = bounds(start, end, x.length);
    if (x instanceof LArray && x.type !== "t" && x.displacement === null) {
      return new LArray([to - from], x.type, (x.storage as Uint8Array).slice(from, to));
    }
    return vectorLike(x, vectorItems(x, from, to));
  }
  return arrayToList(listItems(sequence(x), start, end));
}

function sequence(x: LispValue): LispValue {
  if (x instanceof Cons || x === NIL || isVectorValue(x)) return x;
  throw typeError(x, "SEQUENCE");
}

function installCopying(define: DefineLeaf, host: LeafHost): void {
  define("SUBSEQ", "sequence start &optional end", (x: LispValue, start: LispValue, end?: LispValue) => {
    const result = subsequence(x, start, end);
    host.charge(sequenceLength(result));
    return result;
  });
  define("COPY-SEQ", "sequence", (x: LispValue) => {
    const result = subsequence(x, 0, NIL);
    host.charge(sequenceLength(result));
    return result;
  });
  define("REVERSE", "sequence", (x: LispValue) => {
    if (isVectorValue(x)) {
      const copy = subsequence(x, 0, NIL) as LispArray;
      host.charge(copy.length);
      reverseVector(copy);
      return copy;
    }
    let result: LispValue = NIL;
    let cells = 0;
    const end = walkCells(sequence(x), (cell) => {
      result = new Cons(cell.car, result);
      cells++;
      return true;
    });
    host.charge(cells);
    if (end !== NIL) throw typeError(end, "LIST");
    return result;
  });
  define("NREVERSE", "sequence", (x: LispValue) => {
    if (isVectorValue(x)) {
      reverseVector(x);
      return x;
    }
    let result: LispValue = NIL;
    let rest = sequence(x);
    while (rest instanceof Cons) {
      const next: LispValue = rest.cdr;
      rest.cdr = result;
      result = rest;
      rest = next;
    }
    if (rest !== NIL) throw typeError(rest, "LIST");
    return result;
  });
}

function reverseVector(x: LispArray): void {
  if (Array.isArray(x)) {
    x.reverse();
    return;
  }
  for (let i = 0, j = x.length - 1; i < j; i++, j--) {
    const item = elementAt(x, i);
    storeAt(x, i, elementAt(x, j));
    storeAt(x, j, item);
  }
}

function installFilling(define: DefineLeaf, host: LeafHost): void {
  define(
    "FILL",
    "sequence item &key start end",
    (x: LispValue, item: LispValue, start?: LispValue, end?: LispValue) => {
      const [from, to] = bounds(start, end, sequenceLength(x));
      host.charge(to - from);
      if (isVectorValue(x)) {
        for (let i = from; i < to; i++) storeAt(x, i, item);
        return x;
      }
      let rest = x;
      for (let i = 0; i < to; i++) {
        const cell = rest as Cons;
        if (i >= from) cell.car = item;
        rest = cell.cdr;
      }
      return x;
    },
  );
  define(
    "REPLACE",
    "target source &key start1 end1 start2 end2",
    (...args: [LispValue, LispValue, LispValue?, LispValue?, LispValue?, LispValue?]) => {
      const [target, source, start1, end1, start2, end2] = args;
      const [from1, to1] = bounds(start1, end1, sequenceLength(target));
      const [from2, to2] = bounds(start2, end2, sequenceLength(source));
      const count = Math.min(to1 - from1, to2 - from2);
      host.charge(count);
      const items = isVectorValue(source)
        ? vectorItems(source, from2, from2 + count)
        : listItems(source, from2, from2 + count);
      putItems(target, from1, items);
      return target;
    },
  );
  define(
    "(SETF SUBSEQ)",
    "value sequence start &optional end",
    (value: LispValue, x: LispValue, start: LispValue, end?: LispValue) => {
      const [from, to] = bounds(start, end, sequenceLength(x));
      const count = Math.min(to - from, sequenceLength(value));
      putItems(x, from, isVectorValue(value) ? vectorItems(value, 0, count) : listItems(value, 0, count));
      return value;
    },
  );
}

function putItems(target: LispValue, from: number, items: readonly LispValue[]): void {
  if (isVectorValue(target)) {
    items.forEach((item, i) => {
      storeAt(target, from + i, item);
    });
    return;
  }
  let rest = target;
  for (let i = 0; i < from; i++) rest = (rest as Cons).cdr;
  for (const item of items) {
    (rest as Cons).car = item;
    rest = (rest as Cons).cdr;
  }
}

/** Conversions other parts build on. */
function installConversions(define: DefineLeaf): void {
  define("SYS:LIST-TO-SIMPLE-VECTOR", "list", (x: LispValue) => listItems(x, 0, NIL));
  define("SYS:VECTOR-TO-LIST", "vector", (x: LispValue) => {
    if (!isVectorValue(x)) throw typeError(x, "VECTOR");
    return arrayToList(vectorItems(x));
  });
}

/** Length, elements, copies, reversal, filling and replacing. */
export const installSequences: LeafInstaller = (define, host) => {
  installElements(define, host);
  installCopying(define, host);
  installFilling(define, host);
  installConversions(define);
};
