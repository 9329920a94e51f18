/** EQL, EQUAL and EQUALP. Deep structures are compared with a stack of their own; circular ones end at a bound. */
import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { storageError } from "../data/error.ts";
import { LHashTable } from "../data/hash-table.ts";
import { LStruct } from "../data/instance.ts";
import { eqlNumbers } from "../data/number.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import type { LispValue } from "../data/value.ts";
import { isNumber, numbersEqual } from "../numbers/arithmetic.ts";
import { samePathname } from "../pathnames/components.ts";
import { downcaseCode } from "../characters/char-case.ts";
import { hashEntries } from "../hash/hash-entries.ts";
import { getEntry } from "../hash/hash-table-operations.ts";

/** EQL. */
export function eql(a: LispValue, b: LispValue): boolean {
  return a === b || (typeof a !== "number" && eqlNumbers(a, b));
}

/** More pairs of conses than the heap can hold: who compares that many goes round in circles (or through shared parts). */
const MAX_STEPS = 134_217_728;
/** Most pairs that may wait for their turn: nesting in the CARs. */
const MAX_WAITING = 20_000_000;

type Leaf = (a: LispValue, b: LispValue, later: (a: LispValue, b: LispValue) => void) => boolean;

/** Compares conses iteratively and everything else by `leaf`, which may ask for further pairs to be compared later. */
export class Comparison {
  private x: LispValue;
  private y: LispValue;
  private readonly leaf: Leaf;
  private readonly stack: LispValue[] = [];
  /** Pairs of conses compared so far. */
  steps = 0;
  private readonly later = (x: LispValue, y: LispValue): void => void this.stack.push(x, y);

  constructor(x: LispValue, y: LispValue, leaf: Leaf) {
    this.x = x;
    this.y = y;
    this.leaf = leaf;
  }

  /** Goes on for some pairs of conses; the result, or undefined when there are more. */
  run(pairs: number): boolean | undefined {
    const { leaf, later, stack } = this;
    let { x, y, steps } = this;
    const pause = steps + pairs;
    for (;;) {
      if (x !== y) {
        // Whatever is compared counts: vectors and structures may hold themselves as well.
        if (steps >= pause) {
          Object.assign(this, { x, y, steps });
          return undefined;
        }
        if (++steps > MAX_STEPS)
          throw storageError("A comparison met more than ~D conses; the objects are circular.", MAX_STEPS);
        if (x instanceof Cons && y instanceof Cons) {
          const { car: xCar, cdr: xCdr }: Cons = x;
          const { car: yCar, cdr: yCdr }: Cons = y;
          if (xCar instanceof Cons && yCar instanceof Cons) {
            if (stack.length > 2 * MAX_WAITING)
              throw storageError("A comparison nested deeper than ~D conses.", MAX_WAITING);
            stack.push(xCdr, yCdr);
          } else if (xCar !== yCar && !leaf(xCar, yCar, later)) {
            this.steps = steps;
            return false;
          }
          [x, y] = xCar instanceof Cons && yCar instanceof Cons ? [xCar, yCar] : [xCdr, yCdr];
          continue;
        }
        if (!leaf(x, y, later)) return false;
      }
      if (stack.length === 0) {
        this.steps = steps;
        return true;
      }
      y = stack.pop() as LispValue;
      x = stack.pop() as LispValue;
    }
  }
}

function compareDeep(a: LispValue, b: LispValue, leaf: Leaf): boolean {
  return new Comparison(a, b, leaf).run(Number.POSITIVE_INFINITY)!;
}

function stringsEqual(a: LString, b: LString): boolean {
  return a.length === b.length && a.toJS() === b.toJS();
}

function isBitVector(x: LispValue): x is LArray {
  return x instanceof LArray && x.type === "bit" && x.rank === 1;
}

function bitsEqual(a: LArray, b: LArray): boolean {
  if (a.length !== b.length) return false;
  if (a.displacement === null && b.displacement === null) {
    const [p, q] = [a.storage as Uint8Array, b.storage as Uint8Array];
    return Buffer.compare(p.subarray(0, a.length), q.subarray(0, b.length)) === 0;
  }
  for (let i = 0; i < a.length; i++) if (a.ref(i) !== b.ref(i)) return false;
  return true;
}

export const equalLeaf: Leaf = (a, b) => {
  if (typeof a !== "object") return eql(a, b);
  if (a instanceof LString) return b instanceof LString && stringsEqual(a, b);
  if (isBitVector(a)) return isBitVector(b) && bitsEqual(a, b);
  if (a instanceof Pathname) return b instanceof Pathname && samePathname(a, b);
  return eql(a, b);
};

/** EQUAL. */
export function equal(a: LispValue, b: LispValue): boolean {
  if (a === b) return true;
  if (a instanceof Cons) return b instanceof Cons && compareDeep(a, b, equalLeaf);
  return equalLeaf(a, b, () => undefined);
}

/** Elements of any array in row-major order (those below the fill pointer of a vector). */
interface Elements {
  readonly dims: readonly number[];
  readonly length: number;
  readonly at: (index: number) => LispValue;
}

function elementsOf(x: LispValue): Elements | null {
  if (Array.isArray(x)) return { dims: [x.length], length: x.length, at: (i) => x[i] as LispValue };
  if (x instanceof LString) return { dims: [x.length], length: x.length, at: (i) => x.code(i) };
  if (!(x instanceof LArray)) return null;
  const length = x.rank === 1 ? x.length : x.total;
  return { dims: x.rank === 1 ? [length] : x.dims, length, at: (i) => x.ref(i) };
}

function arraysEqualp(a: LispValue, b: LispValue, later: (a: LispValue, b: LispValue) => void): boolean {
  const x = elementsOf(a);
  const y = elementsOf(b);
  if (x === null || y === null || x.dims.length !== y.dims.length) return false;
  if (x.dims.some((dim, axis) => dim !== y.dims[axis])) return false;
  if (a instanceof LString || b instanceof LString) return charactersEqualp(a, x, b, y);
  for (let i = 0; i < x.length; i++) {
    const p = x.at(i);
    const q = y.at(i);
    if (p === q) continue;
    if (p instanceof Cons || Array.isArray(p)) later(p, q);
    else if (!equalpLeaf(p, q, later)) return false;
  }
  return true;
}

/** At least one side is a string, whose elements come as codes; the other may be a vector of characters. */
function charactersEqualp(a: LispValue, x: Elements, b: LispValue, y: Elements): boolean {
  const codeAt = (owner: LispValue, elements: Elements, i: number): number => {
    const item = elements.at(i);
    if (owner instanceof LString) return downcaseCode(item as number);
    return item instanceof Char ? downcaseCode(item.code) : -1;
  };
  for (let i = 0; i < x.length; i++) if (codeAt(a, x, i) !== codeAt(b, y, i)) return false;
  return true;
}

function tablesEqualp(a: LHashTable, b: LHashTable): boolean {
  if (a.test !== b.test || a.count !== b.count) return false;
  const entries = hashEntries(a);
  for (let i = 0; i < entries.length; i += 2) {
    const other = getEntry(b, entries[i] as LispValue);
    if (other === undefined || !equalp(entries[i + 1] as LispValue, other)) return false;
  }
  return true;
}

export const equalpLeaf: Leaf = (a, b, later) => {
  if (isNumber(a)) return isNumber(b) && numbersEqual(a, b);
  if (a instanceof Char) return b instanceof Char && downcaseCode(a.code) === downcaseCode(b.code);
  if (a instanceof LStruct) {
    if (!(b instanceof LStruct) || a.layout !== b.layout) return false;
    a.slots.forEach((slot, i) => {
      later(slot, b.slots[i] as LispValue);
    });
    return true;
  }
  if (a instanceof LHashTable) return b instanceof LHashTable && tablesEqualp(a, b);
  if (a instanceof Pathname) return b instanceof Pathname && samePathname(a, b);
  if (Array.isArray(a) || a instanceof LString || a instanceof LArray) return arraysEqualp(a, b, later);
  return a === b;
};

/** EQUALP. */
export function equalp(a: LispValue, b: LispValue): boolean {
  return a === b || compareDeep(a, b, equalpLeaf);
}
