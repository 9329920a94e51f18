import { typeError } from "../data/error.ts";
import { type HashEntry, LHashTable } from "../data/hash-table.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { SHARE, inShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";

/** Keys and values of a table in iteration order: key, value, key, value … */
export function hashEntries(table: LHashTable): LispValue[] {
  const collecting = collectEntries(table);
  for (;;) {
    const step = collecting.next();
    if (step.done === true) return step.value;
  }
}

/** Collects them, yielding after each share of the entries. */
function* collectEntries(table: LHashTable): Generator<void, LispValue[]> {
  const entries: LispValue[] = [];
  let left = SHARE;
  for (const [key, value] of table.directEntries) {
    entries.push(key, value);
    if (--left === 0) {
      left = SHARE;
      yield;
    }
  }
  for (const map of [table.texts, table.hashed]) {
    if (map === null) continue;
    for (const first of map.values()) {
      for (let entry: HashEntry | null = first; entry !== null; entry = entry.next) {
        entries.push(entry.key, entry.value);
      }
      if (--left <= 0) {
        left = SHARE;
        yield;
      }
    }
  }
  return entries;
}

/** The leaf that iteration over hash tables rests on: a snapshot, so that the body may remove and replace entries. */
export const installHashEntries: LeafInstaller = (define, host) => {
  define("SYS:HASH-TABLE-ENTRIES", "table", (table: LispValue) => {
    if (table instanceof LHashTable) {
      host.charge(table.count % SHARE);
      return inShares(collectEntries(table));
    }
    throw typeError(table, "HASH-TABLE");
  });
};
