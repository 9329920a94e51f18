/**
 * Look-up, insertion and removal. A key goes to one of three places: `directEntries` where JavaScript compares as the test does,
 * `texts` for strings under EQUAL, `hashed` for everything else.
 */
import { LArray } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
import { HashEntry, LHashTable } from "../data/hash-table.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { equalHash, equalpHash } from "./hash-codes.ts";

function isBoxedNumber(x: object): boolean {
  return x instanceof DoubleFloat || x instanceof SingleFloat || x instanceof Ratio || x instanceof Complex;
}

/** Whether JavaScript compares the key as the table's test does. */
function isDirect(table: LHashTable, key: LispValue): boolean {
  if (key instanceof LSymbol) return true;
  switch (table.test) {
    case "equalp":
      return false;
    case "equal":
      if (typeof key !== "object") return true;
      return !(
        key instanceof Cons ||
        key instanceof LString ||
        key instanceof LArray ||
        key instanceof Pathname ||
        isBoxedNumber(key)
      );
    default:
      return typeof key !== "object" || !isBoxedNumber(key);
  }
}

function codeOf(table: LHashTable, key: LispValue): number {
  return table.test === "equalp" ? equalpHash(key) : equalHash(key);
}

/** First entry of the chain in which the key belongs. */
function chainOf(table: LHashTable, key: LispValue): HashEntry | undefined {
  if (table.test === "equal" && key instanceof LString) return table.texts?.get(key.toJS());
  return table.hashed?.get(codeOf(table, key));
}

/** Puts a chain where the key belongs; null removes it. */
function setChain(table: LHashTable, key: LispValue, chain: HashEntry | null): void {
  if (table.test === "equal" && key instanceof LString) {
    table.texts ??= new Map();
    if (chain === null) table.texts.delete(key.toJS());
    else table.texts.set(key.toJS(), chain);
    return;
  }
  table.hashed ??= new Map();
  if (chain === null) table.hashed.delete(codeOf(table, key));
  else table.hashed.set(codeOf(table, key), chain);
}

function sameKey(table: LHashTable, a: LispValue, b: LispValue): boolean {
  return a === b || table.same(a, b);
}

/** The value of a key, or undefined. */
export function getEntry(table: LHashTable, key: LispValue): LispValue | undefined {
  const value = table.directEntries.get(key);
  if (value !== undefined || table.chained === 0) return value;
  if (isDirect(table, key)) return undefined;
  for (let entry = chainOf(table, key) ?? null; entry !== null; entry = entry.next) {
    if (sameKey(table, entry.key, key)) return entry.value;
  }
  return undefined;
}

/** Stores a value under a key. */
export function putEntry(table: LHashTable, key: LispValue, value: LispValue): void {
  if (isDirect(table, key)) {
    table.directEntries.set(key, value);
    return;
  }
  const first = chainOf(table, key) ?? null;
  for (let entry = first; entry !== null; entry = entry.next) {
    if (sameKey(table, entry.key, key)) {
      entry.value = value;
      return;
    }
  }
  table.chained++;
  if (first === null) setChain(table, key, new HashEntry(key, value, null));
  else first.next = new HashEntry(key, value, first.next);
}

/** Removes a key; false when it was not there. */
export function removeEntry(table: LHashTable, key: LispValue): boolean {
  if (isDirect(table, key)) return table.directEntries.delete(key);
  const first = chainOf(table, key) ?? null;
  let before: HashEntry | null = null;
  for (let entry = first; entry !== null; before = entry, entry = entry.next) {
    if (!sameKey(table, entry.key, key)) continue;
    if (before === null) setChain(table, key, entry.next);
    else before.next = entry.next;
    table.chained--;
    return true;
  }
  return false;
}

/** Removes everything. */
export function clearTable(table: LHashTable): void {
  table.directEntries.clear();
  table.texts = null;
  table.hashed = null;
  table.chained = 0;
}
