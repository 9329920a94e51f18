/** Making and adjusting arrays. */
import { LArray, makeStorage } from "../data/array.ts";
import { char, Char } from "../data/character.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { type LispError, simpleError, storageError, typeError } from "../data/error.ts";
import { type CodeStore, LString } from "../data/string.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import {
  elementAt,
  isArray,
  isVector,
  kindOf,
  type LispArray,
  requireArray,
  storeAt,
  totalSize,
  vectorItems,
} from "./array-access.ts";
import { type ArrayKind, checkElement, defaultElement } from "./element-types.ts";

/** Exclusive bound of a dimension and of the number of elements, so that no operation on whole arrays takes long at once. */
export const TOTAL_SIZE_LIMIT = 33_554_432;
/** Exclusive bound of the number of dimensions. */
export const RANK_LIMIT = 65_529;

/** What MAKE-ARRAY and ADJUST-ARRAY were told; `undefined` where nothing was said. */
export interface ArrayOptions {
  readonly initialElement?: LispValue | undefined;
  readonly initialContents?: LispValue | undefined;
  readonly adjustable?: LispValue | undefined;
  readonly fillPointer?: LispValue | undefined;
  readonly displacedTo?: LispValue | undefined;
  readonly displacedIndexOffset?: LispValue | undefined;
}

/** Dimensions from an integer or a list of integers. */
export function parseDimensions(x: LispValue): number[] {
  const items = typeof x === "number" || typeof x === "bigint" ? [x] : listToArray(x);
  if (items === null)
    throw typeError(x instanceof Cons ? x.cdr : x, x instanceof Cons ? "LIST" : "(OR UNSIGNED-BYTE LIST)");
  const dims = items.map((dim) => {
    if (typeof dim === "number" && dim >= 0 && dim < TOTAL_SIZE_LIMIT) return dim;
    if ((typeof dim === "number" || typeof dim === "bigint") && dim > 0)
      throw arrayTooLarge(dim, TOTAL_SIZE_LIMIT - 1);
    throw typeError(dim, `(INTEGER 0 (${TOTAL_SIZE_LIMIT}))`);
  });
  if (dims.length >= RANK_LIMIT)
    throw storageError("An array may have at most ~D dimensions.", RANK_LIMIT - 1);
  return dims;
}

/** STORAGE-CONDITION: an array or string of so many elements cannot be made. */
export function arrayTooLarge(total: LispValue, limit: number): LispError {
  return storageError("An array of ~D elements is too large; the bound is ~D.", total, limit);
}

function productOf(dims: readonly number[]): number {
  const total = dims.reduce((product, dim) => product * dim, 1);
  if (total >= TOTAL_SIZE_LIMIT) throw arrayTooLarge(total, TOTAL_SIZE_LIMIT - 1);
  return total;
}

function fillPointerOf(x: LispValue | undefined, dims: readonly number[]): number {
  if (x === undefined || x === NIL) return -1;
  if (dims.length !== 1) throw simpleError("SIMPLE-ERROR", "Only vectors can have a fill pointer.");
  const size = dims[0] as number;
  if (x === T) return size;
  if (typeof x === "number" && x >= 0 && x <= size) return x;
  throw typeError(x, `(OR (MEMBER T NIL) (INTEGER 0 ${size}))`);
}

/** Items of any sequence. */
function sequenceItems(x: LispValue): LispValue[] {
  if (isArray(x) && isVector(x)) return vectorItems(x);
  const items = listToArray(x);
  if (items === null) throw typeError(x, "SEQUENCE");
  return items;
}

/** All elements of nested contents in row-major order. */
function flattenContents(contents: LispValue, dims: readonly number[]): LispValue[] {
  let level: LispValue[] = [contents];
  for (const dim of dims) {
    const next: LispValue[] = [];
    for (const row of level) {
      const items = sequenceItems(row);
      if (items.length !== dim) {
        throw simpleError(
          "SIMPLE-ERROR",
          "The initial contents ~S do not have the length ~D of their dimension.",
          row,
          dim,
        );
      }
      for (const item of items) next.push(item);
    }
    level = next;
  }
  return level;
}

function isCharacterKind(kind: ArrayKind): boolean {
  return kind === "character" || kind === "base-char" || kind === "nil";
}

/** Elements of a new array: contents, an element many times, or the default. */
function initialItems(
  total: number,
  dims: readonly number[],
  options: ArrayOptions,
): LispValue[] | LispValue | undefined {
  if (options.initialContents === undefined) return options.initialElement;
  if (options.initialElement !== undefined) {
    throw simpleError("SIMPLE-ERROR", "Both an initial element and initial contents were given.");
  }
  const items = flattenContents(options.initialContents, dims);
  return items.length === total ? new Contents(items) : NIL;
}

/** Tells contents from an initial element that is a vector. */
class Contents {
  readonly items: LispValue[];
  constructor(items: LispValue[]) {
    this.items = items;
  }
}

function makeString(kind: ArrayKind, total: number, initial: LispValue | undefined): LString {
  if (initial instanceof Contents) {
    for (const item of initial.items) checkElement(kind, item);
    const result = LString.fromCodes(Uint32Array.from(initial.items, (item) => (item as Char).code));
    result.base = kind === "base-char";
    return result;
  }
  if (initial !== undefined) checkElement(kind, initial);
  const result = LString.make(total, initial instanceof Char ? initial.code : 0);
  result.base = kind === "base-char";
  return result;
}

function fillGeneral(total: number, initial: LispValue | undefined, fallback: LispValue): LispValue[] {
  if (initial instanceof Contents) return initial.items;
  const items: LispValue[] = [];
  const element = initial ?? fallback;
  for (let i = 0; i < total; i++) items.push(element);
  return items;
}

function makeTyped(kind: ArrayKind, dims: number[], total: number, initial: LispValue | undefined): LArray {
  const type = isCharacterKind(kind) ? "t" : (kind as LArray["type"]);
  if (type === "t") {
    const result = new LArray(dims, "t", fillGeneral(total, initial, isCharacterKind(kind) ? char(0) : 0));
    result.characters = isCharacterKind(kind);
    if (result.characters) for (const item of result.storage as LispValue[]) checkElement(kind, item);
    return result;
  }
  const result = new LArray(dims, type, makeStorage(type, total));
  if (initial instanceof Contents) {
    initial.items.forEach((item, i) => {
      storeAt(result, i, item);
    });
  } else if (initial !== undefined && total > 0) {
    storeAt(result, 0, initial);
    (result.storage as Uint8Array).fill(result.storage[0] as number);
  } else if (initial !== undefined) {
    checkElement(kind, initial);
  }
  return result;
}

/** A character array of another rank, as the target of a displaced string. */
export class CharacterArrayView implements CodeStore {
  readonly array: LArray;
  constructor(array: LArray) {
    this.array = array;
  }
  code(index: number): number {
    return (this.array.ref(index) as Char).code;
  }
  setCode(index: number, code: number): void {
    this.array.set(index, char(code));
  }
  slice(start: number, end: number): string {
    let text = "";
    for (let i = start; i < end; i++) text += String.fromCodePoint(this.code(i));
    return text;
  }
}

/** The elements of a character array as the target of a displaced string. */
export function storeOf(target: LispArray): CodeStore {
  return target instanceof LString ? target : new CharacterArrayView(target as LArray);
}

interface Displacement {
  readonly target: LispArray;
  readonly offset: number;
}

function displacementOf(options: ArrayOptions, kind: ArrayKind, total: number): Displacement | null {
  const { displacedTo, displacedIndexOffset = 0 } = options;
  if (displacedTo === undefined || displacedTo === NIL) {
    if (displacedIndexOffset !== 0)
      throw simpleError("SIMPLE-ERROR", "An offset was given, but nothing to displace to.");
    return null;
  }
  const target = requireArray(displacedTo);
  if (options.initialElement !== undefined || options.initialContents !== undefined) {
    throw simpleError("SIMPLE-ERROR", "A displaced array cannot be initialised.");
  }
  if (kindOf(target) !== kind && !(isCharacterKind(kind) && isCharacterKind(kindOf(target)))) {
    throw simpleError(
      "SIMPLE-ERROR",
      "The array ~S has another element type than the array displaced to it.",
      target,
    );
  }
  const room = totalSize(target) - total;
  if (typeof displacedIndexOffset !== "number" || displacedIndexOffset < 0 || displacedIndexOffset > room) {
    throw typeError(displacedIndexOffset, `(INTEGER 0 ${room})`);
  }
  return { target, offset: displacedIndexOffset };
}

/** MAKE-ARRAY for an element kind. */
export function makeArray(dims: number[], elements: ArrayKind, options: ArrayOptions): LispArray {
  const kind = elements === "nil" && dims.length !== 1 ? "t" : elements;
  const total = productOf(dims);
  const fillPointer = fillPointerOf(options.fillPointer, dims);
  const adjustable = fillPointer >= 0 || (options.adjustable !== undefined && options.adjustable !== NIL);
  const displacement = displacementOf(options, kind, total);
  const initial = displacement === null ? initialItems(total, dims, options) : undefined;
  if (dims.length === 1 && isCharacterKind(kind)) {
    const result =
      displacement === null
        ? makeString(kind, total, initial)
        : LString.displaced(storeOf(displacement.target), displacement.offset, total);
    result.fillPointer = fillPointer;
    result.adjustable = adjustable;
    result.base = kind === "base-char";
    result.barren = kind === "nil";
    return result;
  }
  if (displacement === null && dims.length === 1 && kind === "t" && !adjustable)
    return fillGeneral(total, initial, 0);
  const result =
    displacement === null ? makeTyped(kind, dims, total, initial) : makeDisplaced(kind, dims, displacement);
  result.fillPointer = fillPointer;
  result.adjustable = adjustable;
  return result;
}

function makeDisplaced(kind: ArrayKind, dims: number[], displacement: Displacement): LArray {
  const result = new LArray(dims, isCharacterKind(kind) ? "t" : (kind as LArray["type"]), []);
  result.characters = isCharacterKind(kind);
  result.displacement = displacement;
  return result;
}

/** Elements of the old array that keep their subscripts in the new dimensions, by new row-major index. */
function carriedOver(
  old: LispArray,
  oldDims: readonly number[],
  dims: readonly number[],
  fallback: LispValue,
): LispValue[] {
  const total = dims.reduce((product, dim) => product * dim, 1);
  const items: LispValue[] = [];
  const subscripts = dims.map(() => 0);
  for (let i = 0; i < total; i++) {
    const inside = subscripts.every((s, axis) => s < (oldDims[axis] as number));
    items.push(
      inside
        ? elementAt(
            old,
            subscripts.reduce((index, s, axis) => index * (oldDims[axis] as number) + s, 0),
          )
        : fallback,
    );
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      subscripts[axis] = (subscripts[axis] as number) + 1;
      if ((subscripts[axis] as number) < (dims[axis] as number)) break;
      subscripts[axis] = 0;
    }
  }
  return items;
}

function defaultFor(kind: ArrayKind): LispValue {
  return isCharacterKind(kind) ? char(0) : defaultElement(kind);
}

/** ADJUST-ARRAY: changes an adjustable array in place, and makes a new one of any other. */
export function adjustArray(
  old: LispArray,
  oldDims: readonly number[],
  dims: number[],
  options: ArrayOptions,
): LispArray {
  const kind = kindOf(old);
  if (dims.length !== oldDims.length) {
    throw simpleError(
      "SIMPLE-ERROR",
      "ADJUST-ARRAY cannot change the number of dimensions from ~D to ~D.",
      oldDims.length,
      dims.length,
    );
  }
  const hadFillPointer = !Array.isArray(old) && old.fillPointer >= 0;
  if (options.fillPointer !== undefined && options.fillPointer !== NIL && !hadFillPointer) {
    throw simpleError("SIMPLE-ERROR", "The array ~S has no fill pointer to set.", old);
  }
  const kept = hadFillPointer ? (old as LString).fillPointer : undefined;
  const fillPointer =
    options.fillPointer !== undefined && options.fillPointer !== NIL ? options.fillPointer : kept;
  const displaced = options.displacedTo !== undefined && options.displacedTo !== NIL;
  let contents = options.initialContents;
  if (!displaced && contents === undefined) {
    if (options.initialElement !== undefined) checkElement(kind, options.initialElement);
    productOf(dims);
    const items = carriedOver(old, oldDims, dims, options.initialElement ?? defaultFor(kind));
    contents = nest(items, dims);
  }
  const fresh = makeArray(dims, kind, {
    initialContents: displaced ? options.initialContents : contents,
    fillPointer,
    adjustable: options.adjustable,
    displacedTo: options.displacedTo,
    displacedIndexOffset: options.displacedIndexOffset,
  });
  if (Array.isArray(old) || !old.adjustable) return fresh;
  takeOver(old, fresh, dims);
  return old;
}

/** Nested vectors of row-major items, the form `initialContents` wants. */
function nest(items: LispValue[], dims: readonly number[]): LispValue {
  if (dims.length === 0) return items[0] as LispValue;
  let level = items;
  for (let axis = dims.length - 1; axis > 0; axis--) {
    const dim = dims[axis] as number;
    const count = dims.slice(0, axis).reduce((product, d) => product * d, 1);
    const row = level;
    level = Array.from({ length: count }, (_, i) => row.slice(i * dim, (i + 1) * dim));
  }
  return level;
}

/** Makes the adjustable array `old` be what `fresh` is. */
function takeOver(old: LString | LArray, fresh: LispArray, dims: number[]): void {
  if (old instanceof LString) {
    const source = fresh as LString;
    if (source.displacement !== null) {
      old.displaceTo(source.displacement.target, source.displacement.offset, source.total);
    } else {
      old.resize(source.total);
      for (let i = 0; i < source.total; i++) old.setCode(i, source.code(i));
    }
    old.fillPointer = source.fillPointer;
    return;
  }
  old.dims = dims;
  old.total = totalSize(fresh);
  old.storage = Array.isArray(fresh) ? fresh : (fresh as LArray).storage;
  old.displacement = Array.isArray(fresh) ? null : (fresh as LArray).displacement;
  old.fillPointer = Array.isArray(fresh) ? -1 : (fresh as LArray).fillPointer;
}
