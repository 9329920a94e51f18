/** Walks along lists that notice dotted ends and circles, so that no leaf runs for ever. */
import { Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Argument as a list (cons or NIL), or a type error. */
export function requireList(x: LispValue): LispValue {
  if (x instanceof Cons || x === NIL) return x;
  throw typeError(x, "LIST");
}

/** A list without end where one with an end is needed. */
export function circularList(list: LispValue): never {
  throw typeError(list, "(AND LIST (SATISFIES LIST-LENGTH))");
}

/**
 * Calls `visit` for each cell of a list until it returns false; returns the atom at the end (or the cell at which visiting
 * stopped). A circular list is a type error once the walk has come around (Brent's method, one comparison a cell).
 */
export function walkCells(list: LispValue, visit: (cell: Cons) => boolean | undefined): LispValue {
  let rest = list;
  let mark: LispValue = NIL;
  let steps = 0;
  let limit = 64;
  while (rest instanceof Cons) {
    if (visit(rest) === false) return rest;
    rest = rest.cdr;
    if (rest === mark && rest !== NIL) return circularList(list);
    if (++steps === limit) {
      mark = rest;
      limit *= 2;
    }
  }
  return rest;
}

/** Number of cells of a list and the atom at its end; `circular` when there is none. */
export interface ListExtent {
  readonly cells: number;
  readonly end: LispValue;
  readonly circular: boolean;
}

/** Measures any list. */
export function measure(list: LispValue): ListExtent {
  let rest = list;
  let mark: LispValue = NIL;
  let steps = 0;
  let limit = 64;
  while (rest instanceof Cons) {
    rest = rest.cdr;
    steps++;
    if (rest === mark && rest !== NIL) return { cells: steps, end: rest, circular: true };
    if (steps === limit) {
      mark = rest;
      limit *= 2;
    }
  }
  return { cells: steps, end: rest, circular: false };
}

/** Length of a proper list; anything else is a type error. */
export function properLength(list: LispValue): number {
  const { cells, end, circular } = measure(list);
  if (circular) return circularList(list);
  if (end !== NIL) throw typeError(cells === 0 ? list : end, "LIST");
  return cells;
}

/** Builds a list from the front. */
export class ListBuilder {
  head: LispValue = NIL;
  private tail: Cons | null = null;

  add(item: LispValue): void {
    const cell = new Cons(item, NIL);
    if (this.tail === null) this.head = cell;
    else this.tail.cdr = cell;
    this.tail = cell;
  }

  /** The list with `rest` as its last cdr. */
  endWith(rest: LispValue): LispValue {
    if (this.tail === null) return rest;
    this.tail.cdr = rest;
    return this.head;
  }
}
