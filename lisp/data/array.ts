import { DoubleFloat, SingleFloat, normalizeBigint } from "./number.ts";
import { char, type Char } from "./character.ts";
import { LString } from "./string.ts";
import type { LispValue } from "./value.ts";

/**
 * Element types with a storage of their own. "t" is a general array; CHARACTER arrays of rank 1 are `LString`, those of other
 * ranks are general arrays whose `characters` flag is set; general simple vectors are plain JavaScript arrays.
 */
export type ElementType =
  | "t"
  | "bit"
  | "u8"
  | "s8"
  | "u16"
  | "s16"
  | "u32"
  | "s32"
  | "u64"
  | "s64"
  | "fixnum"
  | "single"
  | "double";

/** Backing store by element type. "fixnum" uses Float64Array, which holds every safe integer. */
export type ArrayStorage =
  | LispValue[]
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** A simple-vector of `size` times `fill`. */
export function filledVector(size: number, fill: LispValue): LispValue[] {
  const vector: LispValue[] = [];
  vector.length = size;
  return vector.fill(fill);
}

/** New zero-filled storage (for "t": filled with `fill`). A bit takes one byte. */
export function makeStorage(type: ElementType, size: number, fill: LispValue = 0): ArrayStorage {
  switch (type) {
    case "t":
      return filledVector(size, fill);
    case "bit":
    case "u8":
      return new Uint8Array(size);
    case "s8":
      return new Int8Array(size);
    case "u16":
      return new Uint16Array(size);
    case "s16":
      return new Int16Array(size);
    case "u32":
      return new Uint32Array(size);
    case "s32":
      return new Int32Array(size);
    case "u64":
      return new BigUint64Array(size);
    case "s64":
      return new BigInt64Array(size);
    case "single":
      return new Float32Array(size);
    default:
      return new Float64Array(size);
  }
}

/**
 * Every array that is neither a string nor a general simple-vector: multi-dimensional, specialised, with fill pointer,
 * adjustable or displaced. Elements are addressed by row-major index, which the caller has checked against `total`.
 */
export class LArray {
  dims: number[];
  readonly type: ElementType;
  /** Product of `dims`. */
  total: number;
  /** Storage; of the target when displaced (kept in step by the caller through `displacement`). */
  storage: ArrayStorage;
  /** Fill pointer of a vector, or -1. */
  fillPointer = -1;
  adjustable = false;
  /** Array or LString or simple-vector this one is displaced to, and the offset; null when not displaced. */
  displacement: { readonly target: LArray | LispValue[] | LispValue; readonly offset: number } | null = null;
  /** Element type CHARACTER for ranks other than 1. */
  characters = false;

  constructor(dims: number[], type: ElementType, storage: ArrayStorage) {
    this.dims = dims;
    this.type = type;
    this.storage = storage;
    this.total = dims.reduce((product, dim) => product * dim, 1);
  }

  /** Rank. */
  get rank(): number {
    return this.dims.length;
  }

  /** Active length of a vector. */
  get length(): number {
    return this.fillPointer >= 0 ? this.fillPointer : this.total;
  }

  /** SIMPLE-ARRAY: neither fill pointer, adjustable nor displaced. */
  get simple(): boolean {
    return this.fillPointer < 0 && !this.adjustable && this.displacement === null;
  }

  /** Element at a row-major index. */
  ref(index: number): LispValue {
    const shift = this.displacement;
    if (shift !== null) {
      const { target, offset } = shift;
      if (target instanceof LArray) return target.ref(index + offset);
      if (target instanceof LString) return char(target.code(index + offset));
      return (target as LispValue[])[index + offset]!;
    }
    return decodeElement(this.type, this.storage[index]!);
  }

  /** Stores an element that is right for an array of a common kind; false, and nothing is stored, when more must be looked at. */
  put(index: number, value: LispValue): boolean {
    if (this.displacement !== null) return false;
    switch (this.type) {
      case "t":
        if (this.characters) return false;
        break;
      case "double":
        if (!(value instanceof DoubleFloat)) return false;
        (this.storage as Float64Array)[index] = value.v;
        return true;
      case "bit":
        if (value !== 0 && value !== 1) return false;
        break;
      case "u8":
        if (typeof value !== "number" || value < 0 || value > 255) return false;
        break;
      case "fixnum":
        if (typeof value !== "number") return false;
        break;
      default:
        return false;
    }
    (this.storage as LispValue[])[index] = value;
    return true;
  }

  /** Stores an element whose type the caller has checked. */
  set(index: number, value: LispValue): void {
    const shift = this.displacement;
    if (shift !== null) {
      const { target, offset } = shift;
      if (target instanceof LArray) target.set(index + offset, value);
      else if (target instanceof LString) target.setCode(index + offset, (value as Char).code);
      else (target as LispValue[])[index + offset] = value;
      return;
    }
    encodeElement(this.type, this.storage, index, value);
  }
}

function decodeElement(type: ElementType, raw: LispValue): LispValue {
  switch (type) {
    case "single":
      return new SingleFloat(raw as number);
    case "double":
      return new DoubleFloat(raw as number);
    case "u64":
    case "s64":
      return normalizeBigint(raw as bigint);
    default:
      return raw;
  }
}

function encodeElement(type: ElementType, storage: ArrayStorage, index: number, value: LispValue): void {
  switch (type) {
    case "single":
    case "double":
      (storage as Float64Array)[index] = (value as DoubleFloat).v;
      return;
    case "u64":
    case "s64":
      (storage as BigInt64Array)[index] = BigInt(value as number | bigint);
      return;
    default:
      (storage as LispValue[])[index] = value;
  }
}
