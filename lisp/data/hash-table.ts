import type { LispValue } from "./value.ts";

/** Test of a hash table. */
export type HashTest = "eq" | "eql" | "equal" | "equalp";

/**
 * A hash table. For "eq" and "eql" keys that JavaScript compares as EQL does (fixnums, characters, symbols, objects) are their
 * own map key; `lisp/hash` computes the map key of the others (bignums, floats, structures under EQUAL) and keeps entries with
 * the same map key in a bucket.
 */
export class LHashTable {
  readonly test: HashTest;
  /** Map key to entry, or to a bucket of entries whose map keys collide. Insertion order is iteration order. */
  readonly map = new Map<unknown, HashEntry>();
  /** Number of entries. */
  count = 0;
  rehashSize: LispValue;
  rehashThreshold: LispValue;
  /** Size asked for at creation. */
  size: number;
  /** Comparison of keys by `test`; part of the table so that `lisp/hash` needs not know equality, which knows hash tables. */
  readonly same: (a: LispValue, b: LispValue) => boolean;
  constructor(
    test: HashTest,
    same: (a: LispValue, b: LispValue) => boolean,
    size: number,
    rehashSize: LispValue,
    rehashThreshold: LispValue,
  ) {
    this.test = test;
    this.same = same;
    this.size = size;
    this.rehashSize = rehashSize;
    this.rehashThreshold = rehashThreshold;
  }
}

/** Entry of a hash table; `next` chains entries whose map keys are the same. */
export interface HashEntry {
  readonly key: LispValue;
  value: LispValue;
  next: HashEntry | null;
}
