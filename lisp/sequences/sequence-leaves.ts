/** Registers the sequence functions without function arguments (chapter 17) as leaves. */
import { LArray } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
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
import { SHARE, forShares } from "../data/unfinished.ts";
import { listOfItems } from "./sequence-conversion.ts";
import { properLength, turnOnto, walkCells, withLength } from "./list-walking.ts";

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

/** The value of `then` for the cell of a list at an index. */
function withCellAt(list: LispValue, index: LispValue, then: (cell: Cons) => LispValue): LispValue {
  if (typeof index !== "number" || index < 0) throw typeError(index, `(INTEGER 0 (${properLength(list)}))`);
  let left = index;
  return walkCells(
    list,
    () => left-- > 0,
    (end) => {
      if (end instanceof Cons) return then(end);
      throw typeError(index, `(INTEGER 0 (${properLength(list)}))`);
    },
  );
}

function installElements(define: DefineLeaf, host: LeafHost): void {
  define("LENGTH", "sequence", (x: LispValue) => {
    if (!(x instanceof Cons)) return sequenceLength(x);
    let rest: LispValue = x.cdr;
    let cells = 1;
    for (; rest instanceof Cons && cells < 1_000; cells++) rest = rest.cdr;
    if (rest === NIL) {
      host.charge(cells >> 4);
      return cells;
    }
    return withLength(x, (length) => {
      host.charge(length % SHARE);
      return length;
    });
  });
  define("ELT", "sequence index", (x: LispValue, index: LispValue) => {
    if (isVectorValue(x)) return elementAt(x, checkIndex(index, x.length));
    if (x instanceof Cons || x === NIL) return withCellAt(x, index, (cell) => cell.car);
    throw typeError(x, "SEQUENCE");
  });
  define("(SETF ELT)", "value sequence index", (value: LispValue, x: LispValue, index: LispValue) => {
    if (x instanceof Cons || x === NIL) return withCellAt(x, index, (cell) => (cell.car = value));
    if (!isVectorValue(x)) throw typeError(x, "SEQUENCE");
    storeAt(x, checkIndex(index, x.length), value);
    return value;
  });
}

/** The value of `then` for the items of a sequence from start to end, after checking them against its length. */
function withPart(
  x: LispValue,
  start: LispValue | undefined,
  end: LispValue | undefined,
  then: (items: LispValue[]) => LispValue,
): LispValue {
  return withSequenceLength(sequence(x), (length) => {
    const [from, to] = bounds(start, end, length);
    if (Array.isArray(x)) return then(x.slice(from, to));
    const items: LispValue[] = [];
    if (isVectorValue(x)) {
      const add = (first: number, stop: number): void => {
        for (let i = first; i < stop; i++) items.push(elementAt(x, i));
      };
      return forShares(from, to, add, () => then(items));
    }
    let index = 0;
    const add = (cell: Cons): boolean => {
      if (index >= to) return false;
      if (index++ >= from) items.push(cell.car);
      return true;
    };
    return walkCells(x, add, () => then(items));
  });
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
  return withPart(x, start, end, listOfItems);
}

function sequence(x: LispValue): LispValue {
  if (x instanceof Cons || x === NIL || isVectorValue(x)) return x;
  throw typeError(x, "SEQUENCE");
}

function installCopying(define: DefineLeaf, host: LeafHost): void {
  define("SUBSEQ", "sequence start &optional end", (x: LispValue, start: LispValue, end?: LispValue) => {
    const result = subsequence(x, start, end);
    if (isVectorValue(result)) host.charge(result.length);
    return result;
  });
  define("COPY-SEQ", "sequence", (x: LispValue) => {
    const result = subsequence(x, 0, NIL);
    if (isVectorValue(result)) host.charge(result.length);
    return result;
  });
  define("REVERSE", "sequence", (x: LispValue) => {
    if (isVectorValue(x)) {
      const copy = subsequence(x, 0, NIL) as LispArray;
      host.charge(copy.length);
      return reverseVector(copy);
    }
    let result: LispValue = NIL;
    const add = (cell: Cons): undefined => void (result = new Cons(cell.car, result));
    return walkCells(sequence(x), add, (end, cells) => {
      host.charge(cells % SHARE);
      if (end !== NIL) throw typeError(end, "LIST");
      return result;
    });
  });
  define("NREVERSE", "sequence", (x: LispValue) => {
    if (isVectorValue(x)) {
      host.charge(x.length);
      return reverseVector(x);
    }
    return turnOnto(host, sequence(x), NIL, (rest) => {
      if (rest instanceof Cons || rest === NIL) return rest;
      throw typeError(rest, "LIST");
    });
  });
}

function reverseVector(x: LispArray): LispValue {
  const last = x.length - 1;
  const swap = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const item = elementAt(x, i);
      storeAt(x, i, elementAt(x, last - i));
      storeAt(x, last - i, item);
    }
  };
  return forShares(0, x.length >> 1, swap, () => x);
}

/** The value of `then` for the length of any sequence; that of a list is found in shares. */
function withSequenceLength(x: LispValue, then: (length: number) => LispValue): LispValue {
  return x instanceof Cons ? withLength(x, then) : then(sequenceLength(x));
}

function installFilling(define: DefineLeaf, host: LeafHost): void {
  define(
    "FILL",
    "sequence item &key start end",
    (x: LispValue, item: LispValue, start?: LispValue, end?: LispValue) => {
      return withSequenceLength(x, (length) => {
        const [from, to] = bounds(start, end, length);
        host.charge(to - from);
        if (isVectorValue(x)) {
          const put = (first: number, stop: number): void => {
            for (let i = first; i < stop; i++) storeAt(x, i, item);
          };
          return forShares(from, to, put, () => x);
        }
        let index = 0;
        const visit = (cell: Cons): boolean => {
          if (index >= to) return false;
          if (index++ >= from) cell.car = item;
          return true;
        };
        return walkCells(x, visit, () => x);
      });
    },
  );
  define(
    "REPLACE",
    "target source &key start1 end1 start2 end2",
    (...args: [LispValue, LispValue, LispValue?, LispValue?, LispValue?, LispValue?]) => {
      const [target, source, start1, end1, start2, end2] = args;
      return withSequenceLength(target, (length1) => {
        const [from1, to1] = bounds(start1, end1, length1);
        return withSequenceLength(source, (length2) => {
          const [from2, to2] = bounds(start2, end2, length2);
          const count = Math.min(to1 - from1, to2 - from2);
          host.charge(count);
          if (copyStorage(target, from1, source, from2, count)) return target;
          return withPart(source, from2, from2 + count, (items) => putItems(target, from1, items, target));
        });
      });
    },
  );
  define(
    "(SETF SUBSEQ)",
    "value sequence start &optional end",
    (value: LispValue, x: LispValue, start: LispValue, end?: LispValue) =>
      withSequenceLength(x, (length) => {
        const [from, to] = bounds(start, end, length);
        return withSequenceLength(value, (size) => {
          const count = Math.min(to - from, size);
          host.charge(count);
          return withPart(value, 0, count, (items) => putItems(x, from, items, value));
        });
      }),
  );
}

/** Copies between specialised vectors of one type at once; false when the arguments are others. */
function copyStorage(target: LispValue, to: number, source: LispValue, from: number, count: number): boolean {
  if (!(target instanceof LArray) || !(source instanceof LArray)) return false;
  if (target.displacement !== null || source.displacement !== null) return false;
  if (target.type !== source.type || target.type === "t" || target.characters || source.characters)
    return false;
  (target.storage as Uint8Array).set((source.storage as Uint8Array).subarray(from, from + count), to);
  return true;
}

/** Stores items in a sequence from an index on; gives `result`. */
function putItems(
  target: LispValue,
  from: number,
  items: readonly LispValue[],
  result: LispValue,
): LispValue {
  if (isVectorValue(target)) {
    const put = (first: number, stop: number): void => {
      for (let i = first; i < stop; i++) storeAt(target, from + i, items[i]!);
    };
    return forShares(0, items.length, put, () => result);
  }
  let index = -from;
  const put = (cell: Cons): boolean => {
    if (index >= items.length) return false;
    if (index >= 0) cell.car = items[index]!;
    index++;
    return true;
  };
  return walkCells(target, put, () => result);
}

/** Length, elements, copies, reversal, filling and replacing. */
export const installSequences: LeafInstaller = (define, host) => {
  installElements(define, host);
  installCopying(define, host);
  installFilling(define, host);
};
