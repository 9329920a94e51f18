import type { LispValue } from "./value.ts";

/** Test of a hash table. */
export type HashTest = "eq" | "eql" | "equal" | "equalp";

/** Entry whose key JavaScript cannot compare; `next` chains entries with the same code. */
export class HashEntry {
  readonly key: LispValue;
  value: LispValue;
  next: HashEntry | null;
  constructor(key: LispValue, value: LispValue, next: HashEntry | null) {
    this.key = key;
    this.value = value;
    this.next = next;
  }
}

/**
 * A hash table. Keys that JavaScript compares as the test does are keys of `directEntries`; strings under EQUAL are found by their text,
 * everything else by a hash code. `lisp/hash` decides which and keeps `chained`.
 */
export class LHashTable {
  readonly test: HashTest;
  /** Comparison of keys by `test`; part of the table so that `lisp/hash` needs not know equality, which knows hash tables. */
  readonly same: (a: LispValue, b: LispValue) => boolean;
  readonly directEntries = new Map<LispValue, LispValue>();
  texts: Map<string, HashEntry> | null = null;
  hashed: Map<number, HashEntry> | null = null;
  /** Number of entries in `texts` and `hashed`. */
  chained = 0;
  rehashSize: LispValue;
  rehashThreshold: LispValue;
  /** Size asked for at creation. */
  size: number;
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

  /** Number of entries. */
  get count(): number {
    return this.directEntries.size + this.chained;
  }
}
