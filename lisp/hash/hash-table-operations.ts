/**
 * Look-up, insertion and removal. A key goes to one of three places: `directEntries` where JavaScript compares as the test does,
 * `texts` for strings under EQUAL, `hashed` for everything else.
 */
import { LArray } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
import { storageError } from "../data/error.ts";
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

/** Finds the entry of a key in a chain. */
function findInChain(table: LHashTable, chain: HashEntry | undefined, key: LispValue): HashEntry | null {
  for (let entry = chain ?? null; entry !== null; entry = entry.next) {
    if (entry.key === key || table.same(entry.key, key)) return entry;
  }
  return null;
}

/** Strings under EQUAL have a map of their own. */
function isText(table: LHashTable, key: LispValue): key is LString {
  return key instanceof LString && table.test === "equal";
}

/** The value of a key, or undefined. */
export function getEntry(table: LHashTable, key: LispValue): LispValue | undefined {
  const value = table.directEntries.get(key);
  if (value !== undefined || table.chained === 0) return value;
  if (isText(table, key)) return findInChain(table, table.texts?.get(key.toJS()), key)?.value;
  if (table.hashed === null || isDirect(table, key)) return undefined;
  return findInChain(table, table.hashed.get(codeOf(table, key)), key)?.value;
}

/** Most keys of one of the maps a table is made of: V8's bound. */
const MAX_KEYS = 16_777_216;

function checkRoom(size: number): void {
  if (size >= MAX_KEYS) throw storageError("A hash table is full: the bound is ~D keys.", MAX_KEYS);
}

/** Stores a value under a key of one of the two maps of chains. */
function putInMap<K>(
  table: LHashTable,
  map: Map<K, HashEntry>,
  at: K,
  key: LispValue,
  value: LispValue,
): void {
  const first = map.get(at);
  const entry = findInChain(table, first, key);
  if (entry !== null) {
    entry.value = value;
    return;
  }
  checkRoom(map.size);
  table.chained++;
  if (first === undefined) map.set(at, new HashEntry(key, value, null));
  else first.next = new HashEntry(key, value, first.next);
}

/** Stores a value under a key. */
export function putEntry(table: LHashTable, key: LispValue, value: LispValue): void {
  if (isText(table, key)) {
    table.texts ??= new Map();
    putInMap(table, table.texts, key.toJS(), key, value);
  } else if (isDirect(table, key)) {
    if (table.directEntries.size >= MAX_KEYS && !table.directEntries.has(key)) checkRoom(MAX_KEYS);
    table.directEntries.set(key, value);
  } else {
    table.hashed ??= new Map();
    putInMap(table, table.hashed, codeOf(table, key), key, value);
  }
}

function removeFromMap<K>(table: LHashTable, map: Map<K, HashEntry> | null, at: K, key: LispValue): boolean {
  const first = map?.get(at);
  const entry = findInChain(table, first, key);
  if (map === null || first === undefined || entry === null) return false;
  if (entry !== first) {
    let before = first;
    while (before.next !== entry && before.next !== null) before = before.next;
    before.next = entry.next;
  } else if (entry.next === null) {
    map.delete(at);
  } else {
    map.set(at, entry.next);
  }
  table.chained--;
  return true;
}

/** Removes a key; false when it was not there. */
export function removeEntry(table: LHashTable, key: LispValue): boolean {
  if (isText(table, key)) return removeFromMap(table, table.texts, key.toJS(), key);
  if (isDirect(table, key)) return table.directEntries.delete(key);
  return removeFromMap(table, table.hashed, codeOf(table, key), key);
}

/** Removes everything. */
export function clearTable(table: LHashTable): void {
  table.directEntries.clear();
  table.texts = null;
  table.hashed = null;
  table.chained = 0;
}
