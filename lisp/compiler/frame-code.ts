import type { LispValue } from "../data/value.ts";

/** Continues a captured frame: runs from resume point `pc` with the saved `locals`, the awaited call having returned `value`. */
export type SlowCode = (pc: number, locals: readonly unknown[], value: LispValue) => LispValue;

/** Fast version of a function that begins at a loop head. */
export type EntryCode = (locals: readonly unknown[]) => LispValue;

/** Static half of a frame: names the function and knows how to get its slow version, which is made when first needed. */
export class FrameCode {
  /** Name of the function, for backtraces. */
  readonly name: LispValue;
  private readonly make: () => SlowCode;
  private made: SlowCode | null = null;
  private readonly makeEntry: ((key: string, live: string) => EntryCode) | null;
  private readonly entries = new Map<string, EntryCode>();
  constructor(
    name: LispValue,
    make: () => SlowCode,
    makeEntry: ((key: string, live: string) => EntryCode) | null = null,
  ) {
    this.name = name;
    this.make = make;
    this.makeEntry = makeEntry;
  }
  /** Goes on in the fast version at a loop head with the values of the names `live`. */
  enter(key: string, live: string, locals: readonly unknown[]): LispValue {
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = this.makeEntry!(key, live);
      this.entries.set(key, entry);
    }
    return entry(locals);
  }
  get slow(): SlowCode {
    this.made ??= this.make();
    return this.made;
  }
}
