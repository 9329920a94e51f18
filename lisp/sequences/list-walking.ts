/** Walks along lists that notice dotted ends and circles, so that no leaf runs for ever. */
import { Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafHost } from "../data/leaf.ts";
import { NIL } from "../data/symbol.ts";
import { SHARE, Unfinished } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";

/** Argument as a list (cons or NIL), or a type error. */
export function requireList(x: LispValue): LispValue {
  if (x instanceof Cons || x === NIL) return x;
  throw typeError(x, "LIST");
}

/** NIL, the end of a proper list; anything else is a type error. */
export function requireEnd(end: LispValue): LispValue {
  if (end !== NIL) throw typeError(end, "LIST");
  return NIL;
}

/** A list without end where one with an end is needed. */
export function circularList(list: LispValue): never {
  throw typeError(list, "(AND LIST (SATISFIES LIST-LENGTH))");
}

/** Cells that are walked along before anything is noted. */
const quickCells = 64;

/** Where a walk along a list stands (Brent's method: one comparison a cell finds a circle). */
interface Walk {
  readonly list: LispValue;
  readonly visit: (cell: Cons) => boolean | undefined;
  readonly atEnd: (end: LispValue, cells: number) => LispValue;
  readonly onCircle: (list: LispValue, cells: number, cell: Cons) => LispValue;
  rest: LispValue;
  mark: LispValue;
  steps: number;
  limit: number;
}

/**
 * Calls `visit` for each cell of a list until it returns false; gives the value of `then` for the atom at the end (or the
 * cell at which visiting stopped) and the number of cells before it. A circular list is a type error once the walk has come
 * around, unless `onCircle` says otherwise. Long walks are made in shares: see `Unfinished`.
 */
export function walkCells(
  list: LispValue,
  visit: Walk["visit"],
  then: Walk["atEnd"],
  onCircle: Walk["onCircle"] = circularList,
): LispValue {
  let rest = list;
  let steps = 0;
  // Most lists are short.
  while (rest instanceof Cons && steps < quickCells) {
    if (visit(rest) === false) return then(rest, steps);
    rest = rest.cdr;
    steps++;
  }
  if (!(rest instanceof Cons)) return then(rest, steps);
  return walkShare({ list, visit, atEnd: then, onCircle, rest, mark: rest, steps, limit: 2 * steps });
}

function walkShare(walk: Walk): LispValue {
  const { list, visit, atEnd, onCircle } = walk;
  let { rest, mark, steps, limit } = walk;
  const pause = steps + SHARE;
  while (rest instanceof Cons) {
    if (visit(rest) === false) return atEnd(rest, steps);
    rest = rest.cdr;
    steps++;
    if (rest === mark && rest instanceof Cons) return onCircle(list, steps, rest);
    if (steps === limit) {
      mark = rest;
      limit *= 2;
    }
    if (steps === pause) {
      Object.assign(walk, { rest, mark, steps, limit });
      throw new Unfinished(() => walkShare(walk));
    }
  }
  return atEnd(rest, steps);
}

const visitAll = (): undefined => undefined;

/** The value of `then` for the extent of any list, which is found in shares. */
export function withExtent(list: LispValue, then: (extent: ListExtent) => LispValue): LispValue {
  return walkCells(
    list,
    visitAll,
    (end, cells) => then({ cells, end, circular: false }),
    (_list, cells, end) => then({ cells, end, circular: true }),
  );
}

/** The value of `then` for the length of a proper list, which is found in shares; anything else is a type error. */
export function withLength(list: LispValue, then: (length: number) => LispValue): LispValue {
  return walkCells(requireList(list), visitAll, (end, cells) => {
    if (end !== NIL) throw typeError(cells === 0 ? list : end, "LIST");
    return then(cells);
  });
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

  add(item: LispValue): undefined {
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

/** Turns the cells of a list round in place, in shares, and puts them before `tail`; `check` looks at each cdr. */
export function turnOnto(
  host: Pick<LeafHost, "charge">,
  list: LispValue,
  tail: LispValue,
  check: (rest: LispValue) => LispValue,
): LispValue {
  let result = tail;
  let rest = list;
  let steps = 0;
  while (rest instanceof Cons && steps < SHARE) {
    const next: LispValue = rest.cdr;
    rest.cdr = result;
    result = rest;
    rest = check(next);
    steps++;
  }
  if (rest instanceof Cons) throw new Unfinished(() => turnOnto(host, rest, result, check));
  host.charge(steps);
  return result;
}
