import type { LFunction } from "./function.ts";
import { NIL } from "./symbol.ts";
import type { LispValue } from "./value.ts";

/** What a cache holds before anything was found: no object has this layout, and it is never in force. */
const NOWHERE = { obsolete: true };

/** Times an entry is replaced before a place of the program counts as one that sees many classes. */
const MOST_REPLACED = 8;

/**
 * What one place of compiled code found out about the objects it meets: the layout of the last one, and what followed from it. It
 * belongs to the code in this process: a saved image has none of it. Compiled code reads the fields.
 */
export class CallCache {
  /** Layout the entry is for. It holds while the layout is not obsolete. */
  layout: { readonly obsolete: boolean } = NOWHERE;
  /** For calls of a generic function: its table of effective methods, which is another one after each change. */
  table: unknown = NOWHERE;
  /** Index of the slot. */
  index = 0;
  /** The effective method. */
  fn: LFunction | null = null;
  /** For new instances: the epoch of the object system, the slots to begin with, and where each argument goes. */
  epoch: LispValue = NIL;
  initial: readonly LispValue[] = [];
  places: readonly number[] = [];
  private replaced = 0;

  /** True when it is not worth while to look for another entry. */
  settled(table: unknown): boolean {
    return this.replaced > MOST_REPLACED && this.table === table;
  }

  /** Takes a new entry. */
  store(layout: { readonly obsolete: boolean }, table: unknown): void {
    if (this.table !== table) this.replaced = 0;
    this.replaced++;
    this.layout = layout;
    this.table = table;
  }

  /** Notes that there is nothing to remember as long as the table is this one. */
  refuse(table: unknown): void {
    this.layout = NOWHERE;
    this.table = table;
    this.replaced = MOST_REPLACED + 1;
  }
}
