import type { LFunction, LispCode } from "../data/function.ts";
import { Cons } from "../data/cons.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { GenericFunction } from "./class.ts";

/** Definitions of classes and generic functions that are made together, when somebody asks for one of them. */
export interface DeferredGroup {
  /** Function cells that get a generic function. */
  readonly generics: readonly LSymbol[];
  /** Names that get a class. */
  readonly classes: readonly LSymbol[];
  /** The functions that define them, in order. */
  readonly thunks: () => readonly LFunction[];
}

/**
 * The generic functions, methods and classes of the library that have not been made yet. Until then each function cell holds an
 * object that makes them all when it is called or looked into, and which then is that generic function: nobody can tell.
 */
export class DeferredObjects {
  private readonly blank: (cell: LSymbol, code: LispCode) => GenericFunction;
  private run: (thunk: LFunction) => void = () => undefined;
  private readonly groups: DeferredGroup[] = [];
  private readonly classes = new Set<LSymbol>();
  private readonly blanks = new Map<LSymbol, GenericFunction>();
  /** What the cells held before: the definitions run with that in place. */
  private readonly previous = new Map<LSymbol, LFunction | null>();
  private thunks: LFunction[] = [];
  private making = false;

  /** `blank` gives a generic function object without methods for a function cell. */
  constructor(blank: (cell: LSymbol, code: LispCode) => GenericFunction) {
    this.blank = blank;
  }

  /** True when something waits to be made. */
  get waiting(): boolean {
    return this.groups.length + this.thunks.length > 0;
  }

  /** Adds definitions. `run` runs one of them as the boot would. */
  add(group: DeferredGroup, run: (thunk: LFunction) => void): void {
    this.run = run;
    this.groups.push(group);
    for (const symbol of group.classes) this.classes.add(symbol);
    for (const cell of group.generics) {
      if (this.blanks.has(cell)) continue;
      const code = (self: LFunction, ...args: LispValue[]): LispValue => {
        this.make();
        return (self.code as (...all: LispValue[]) => LispValue)(self, ...args);
      };
      this.blanks.set(cell, this.blank(cell, code));
      this.place(cell);
    }
  }

  private place(cell: LSymbol): void {
    this.previous.set(cell, cell.fn);
    cell.fn = this.blanks.get(cell)!;
  }

  /** Makes everything when the symbol names a class that has not been made. */
  wantClass(name: LSymbol): void {
    if (this.classes.has(name)) this.make();
  }

  /** Makes everything when the object is a generic function that has not been made. */
  wantGeneric(gf: GenericFunction): void {
    if (this.waiting && this.cellOf(gf) !== null) this.make();
  }

  private cellOf(gf: GenericFunction): LSymbol | null {
    for (const [cell, blank] of this.blanks) if (blank === gf) return cell;
    return null;
  }

  /** The object that stood for the generic function of that name; it must become that function now. */
  claim(name: LispValue): GenericFunction | undefined {
    const cell = functionCell(name);
    const blank = cell === null ? undefined : this.blanks.get(cell);
    if (blank !== undefined) this.blanks.delete(cell!);
    return blank;
  }

  /**
   * Makes all that waits. When a definition fails (the stack is exhausted, say) the rest waits again, beginning with
   * that one.
   */
  make(): void {
    if (this.making || !this.waiting) return;
    this.making = true;
    try {
      for (const group of this.groups.splice(0)) this.thunks.push(...group.thunks());
      for (const cell of this.blanks.keys()) cell.fn = this.previous.get(cell) ?? null;
      while (this.thunks.length > 0) {
        this.run(this.thunks[0]!);
        this.thunks.shift();
      }
      this.classes.clear();
      this.previous.clear();
    } finally {
      this.making = false;
      for (const cell of this.blanks.keys()) this.place(cell);
    }
  }
}

/** The cell of a function name, `symbol` or `(setf symbol)`; null when it has none yet. */
function functionCell(name: LispValue): LSymbol | null {
  if (name instanceof LSymbol) return name;
  if (!(name instanceof Cons) || !(name.cdr instanceof Cons)) return null;
  return name.cdr.car instanceof LSymbol ? name.cdr.car.setf : null;
}
