import type { LispValue } from "../data/value.ts";

/** Continues a captured frame: runs from resume point `pc` with the saved `locals`, the awaited call having returned `value`. */
export type SlowCode = (pc: number, locals: readonly unknown[], value: LispValue) => LispValue;

/** Static half of a frame: names the function and knows how to get its slow version, which is made when first needed. */
export class FrameCode {
  /** Name of the function, for backtraces. */
  readonly name: LispValue;
  private readonly make: () => SlowCode;
  private made: SlowCode | null = null;
  constructor(name: LispValue, make: () => SlowCode) {
    this.name = name;
    this.make = make;
  }
  get slow(): SlowCode {
    this.made ??= this.make();
    return this.made;
  }
}
