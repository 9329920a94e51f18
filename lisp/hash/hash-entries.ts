import { typeError } from "../data/error.ts";
import { type HashEntry, LHashTable } from "../data/hash-table.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import type { LispValue } from "../data/value.ts";

/** Keys and values of a table in iteration order: key, value, key, value … */
export function hashEntries(table: LHashTable): LispValue[] {
  const entries: LispValue[] = [];
  for (const [key, value] of table.directEntries) entries.push(key, value);
  for (const map of [table.texts, table.hashed]) {
    if (map === null) continue;
    for (const first of map.values()) {
      for (let entry: HashEntry | null = first; entry !== null; entry = entry.next) {
        entries.push(entry.key, entry.value);
      }
    }
  }
  return entries;
}

/** The leaf that iteration over hash tables rests on: a snapshot, so that the body may remove and replace entries. */
export const installHashEntries: LeafInstaller = (define, host) => {
  define("SYS:HASH-TABLE-ENTRIES", "table", (table: LispValue) => {
    if (table instanceof LHashTable) {
      host.charge(table.count);
      return hashEntries(table);
    }
    throw typeError(table, "HASH-TABLE");
  });
};
