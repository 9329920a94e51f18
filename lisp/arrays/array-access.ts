/** One view of the three representations of arrays: simple general vectors (JavaScript arrays), strings, and `LArray`. */
import { LArray } from "../data/array.ts";
import { char, Char } from "../data/character.ts";
import { simpleError, typeError } from "../data/error.ts";
import { DoubleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import type { LispValue } from "../data/value.ts";
import { type ArrayKind, checkElement } from "./element-types.ts";

/** Any Lisp array. */
export type LispArray = LispValue[] | LString | LArray;

export function isArray(x: LispValue): x is LispArray {
  return Array.isArray(x) || x instanceof LString || x instanceof LArray;
}

export function isVector(x: LispValue): x is LispArray {
  return Array.isArray(x) || x instanceof LString || (x instanceof LArray && x.rank === 1);
}

export function requireArray(x: LispValue): LispArray {
  if (isArray(x)) return x;
  throw typeError(x, "ARRAY");
}

export function dimensions(x: LispArray): readonly number[] {
  if (Array.isArray(x)) return [x.length];
  return x instanceof LString ? [x.total] : x.dims;
}

/** Number of elements, whatever the fill pointer. */
export function totalSize(x: LispArray): number {
  return Array.isArray(x) ? x.length : x.total;
}

/** Active length of a vector. */
function vectorLength(x: LispArray): number {
  return x.length;
}

export function kindOf(x: LispArray): ArrayKind {
  if (Array.isArray(x)) return "t";
  if (x instanceof LString) return x.barren ? "nil" : x.base ? "base-char" : "character";
  return x.characters ? "character" : x.type;
}

/** Element at a row-major index that was checked. */
export function elementAt(x: LispArray, index: number): LispValue {
  if (Array.isArray(x)) return x[index] as LispValue;
  return x instanceof LString ? char(x.code(index)) : x.ref(index);
}

/** Stores an element at a row-major index that was checked; the element is checked here. */
export function storeAt(x: LispArray, index: number, value: LispValue): void {
  if (Array.isArray(x)) {
    x[index] = value;
  } else if (x instanceof LString) {
    if (x.barren) throw typeError(value, "NIL");
    if (!(value instanceof Char)) throw typeError(value, "CHARACTER");
    x.setCode(index, value.code);
  } else if (x.type === "double" && value instanceof DoubleFloat && x.displacement === null) {
    (x.storage as Float64Array)[index] = value.v;
  } else {
    if (x.type !== "t" || x.characters) checkElement(kindOf(x), value);
    x.set(index, value);
  }
}

/** Index below a bound, or a type error whose expected type names the bound. */
export function checkIndex(index: LispValue, limit: number): number {
  if (typeof index === "number" && index >= 0 && index < limit) return index;
  throw typeError(index, `(INTEGER 0 (${limit}))`);
}

/** Row-major index of subscripts. */
export function rowMajorIndex(x: LispArray, subscripts: readonly LispValue[]): number {
  const dims = dimensions(x);
  if (subscripts.length !== dims.length) {
    throw simpleError(
      "AUTOLITH-SYSTEM::SIMPLE-PROGRAM-ERROR",
      "~D subscripts were given for an array of rank ~D.",
      subscripts.length,
      dims.length,
    );
  }
  let index = 0;
  for (let axis = 0; axis < dims.length; axis++) {
    const dim = dims[axis] as number;
    index = index * dim + checkIndex(subscripts[axis] as LispValue, dim);
  }
  return index;
}

/** Elements of a vector from start to end as a new JavaScript array. */
export function vectorItems(x: LispArray, start = 0, end = vectorLength(x)): LispValue[] {
  if (Array.isArray(x)) return x.slice(start, end);
  const items: LispValue[] = [];
  for (let i = start; i < end; i++) items.push(elementAt(x, i));
  return items;
}
