/**
 * Look-up, insertion and removal. The map key of an entry is the Lisp key itself where JavaScript compares as the test does, the
 * text of a string, or a hash code plus one half, which no integer equals; entries with one map key are chained.
 */
import { Cons } from "../data/cons.ts";
import { type HashEntry, LHashTable } from "../data/hash-table.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { equalHash, equalpHash } from "./hash-codes.ts";

function isBoxedNumber(x: LispValue): boolean {
  return x instanceof DoubleFloat || x instanceof SingleFloat || x instanceof Ratio || x instanceof Complex;
}

/** Map key under EQ and EQL (numbers are compared by value in both). */
function identityKey(key: LispValue): unknown {
  return typeof key === "object" && isBoxedNumber(key) ? equalHash(key) + 0.5 : key;
}

function mapKey(table: LHashTable, key: LispValue): unknown {
  if (table.test === "equalp") return equalpHash(key) + 0.5;
  if (table.test === "equal" && typeof key === "object" && !(key instanceof LSymbol)) {
    if (key instanceof LString) return key.toJS();
    return key instanceof Cons || isHashedByContent(key) ? equalHash(key) + 0.5 : key;
  }
  return identityKey(key);
}

/** Under EQUAL: everything that EQUAL does not compare by identity, besides strings and conses. */
function isHashedByContent(key: object): boolean {
  const { name } = key.constructor;
  return name === "LArray" || name === "Pathname" || isBoxedNumber(key);
}

function sameKey(table: LHashTable, a: LispValue, b: LispValue): boolean {
  return a === b || table.same(a, b);
}

/** The entry of a key, or null. */
export function findEntry(table: LHashTable, key: LispValue): HashEntry | null {
  // Under EQ and EQL most keys are their own map key, and no other value is stored under it.
  if (table.test === "eq" || table.test === "eql") {
    const entry = table.map.get(key);
    if (entry !== undefined) return entry;
    if (typeof key !== "object" || !isBoxedNumber(key)) return null;
  }
  let entry: HashEntry | null = table.map.get(mapKey(table, key)) ?? null;
  while (entry !== null && !sameKey(table, entry.key, key)) entry = entry.next;
  return entry;
}

/** Stores a value under a key. */
export function putEntry(table: LHashTable, key: LispValue, value: LispValue): void {
  const at = mapKey(table, key);
  const first = table.map.get(at);
  for (let entry = first ?? null; entry !== null; entry = entry.next) {
    if (sameKey(table, entry.key, key)) {
      entry.value = value;
      return;
    }
  }
  table.count++;
  if (first === undefined) table.map.set(at, { key, value, next: null });
  else first.next = { key, value, next: first.next };
}

/** Removes a key; false when it was not there. */
export function removeEntry(table: LHashTable, key: LispValue): boolean {
  const at = mapKey(table, key);
  const first = table.map.get(at);
  if (first === undefined) return false;
  let before: HashEntry | null = null;
  for (let entry: HashEntry | null = first; entry !== null; before = entry, entry = entry.next) {
    if (!sameKey(table, entry.key, key)) continue;
    if (before !== null) before.next = entry.next;
    else if (entry.next === null) table.map.delete(at);
    else table.map.set(at, entry.next);
    table.count--;
    return true;
  }
  return false;
}

/** Removes everything. */
export function clearTable(table: LHashTable): void {
  table.map.clear();
  table.count = 0;
}
