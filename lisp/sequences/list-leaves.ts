/** Registers the list functions without function arguments (chapter 14) as leaves. */
import { arrayToList, Cons } from "../data/cons.ts";
import { storageError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { bool, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { eql } from "../equality/equality.ts";
import { SHARE, Unfinished, forShares } from "../data/unfinished.ts";
import {
  ListBuilder,
  requireEnd,
  requireList,
  turnOnto,
  walkCells,
  withExtent,
  withLength,
} from "./list-walking.ts";

/** CAR of a list. */
function car(x: LispValue): LispValue {
  if (x instanceof Cons) return x.car;
  if (x === NIL) return NIL;
  throw typeError(x, "LIST");
}

/** CDR of a list. */
function cdr(x: LispValue): LispValue {
  if (x instanceof Cons) return x.cdr;
  if (x === NIL) return NIL;
  throw typeError(x, "LIST");
}

function requireCons(x: LispValue): Cons {
  if (x instanceof Cons) return x;
  throw typeError(x, "CONS");
}

/** All words of `a` and `d` of a length. */
function accessPaths(length: number): string[] {
  if (length === 0) return [""];
  return accessPaths(length - 1).flatMap((rest) => [`A${rest}`, `D${rest}`]);
}

function follow(path: string, x: LispValue): LispValue {
  let value = x;
  for (let i = path.length - 1; i >= 0; i--) value = path[i] === "A" ? car(value) : cdr(value);
  return value;
}

function installAccess(define: DefineLeaf): void {
  for (const path of [1, 2, 3, 4].flatMap(accessPaths)) {
    const name = `C${path}R`;
    define(name, "list", path === "A" ? car : path === "D" ? cdr : (x: LispValue) => follow(path, x));
    define(`(SETF ${name})`, "value list", (value: LispValue, x: LispValue) => {
      const cell = requireCons(follow(path.slice(1), x));
      if (path.startsWith("A")) cell.car = value;
      else cell.cdr = value;
      return value;
    });
  }
  define("REST", "list", cdr);
  define("(SETF REST)", "value list", (value: LispValue, x: LispValue) => {
    requireCons(x).cdr = value;
    return value;
  });
  const ordinals = [
    "FIRST",
    "SECOND",
    "THIRD",
    "FOURTH",
    "FIFTH",
    "SIXTH",
    "SEVENTH",
    "EIGHTH",
    "NINTH",
    "TENTH",
  ];
  ordinals.forEach((name, index) => {
    define(name, "list", (x: LispValue) => withNthCdr(index, x, car));
    define(`(SETF ${name})`, "value list", (value: LispValue, x: LispValue) => {
      withNthCdr(index, x, (rest) => (requireCons(rest).car = value));
      return value;
    });
  });
  define("RPLACA", "cons object", (cell: LispValue, value: LispValue) => {
    requireCons(cell).car = value;
    return cell;
  });
  define("RPLACD", "cons object", (cell: LispValue, value: LispValue) => {
    requireCons(cell).cdr = value;
    return cell;
  });
}

/** The value of `then` for the n-th cdr of any list; going round a circular one costs no more than a few rounds. */
function withNthCdr(n: number | bigint, list: LispValue, then: (rest: LispValue) => LispValue): LispValue {
  let rest = list;
  let left = n;
  const quick = Number(n < 1000 ? n : 1000);
  for (let i = 0; i < quick; i++) {
    if (rest === NIL) return then(NIL);
    rest = cdr(rest);
  }
  left = typeof left === "bigint" ? left - BigInt(quick) : left - quick;
  if (left <= 0 || rest === NIL) return then(rest);
  return withExtent(rest, ({ cells, end, circular }) => {
    if (left <= cells) return withStep(rest, Number(left), then);
    if (!circular) return then(end === NIL ? NIL : cdr(end));
    return withStep(rest, cells, (start) => {
      const period = (count: number, cell: LispValue): LispValue =>
        walkCells(
          cell,
          (each) => each !== start,
          (_stop, steps) =>
            withStep(start, Number((BigInt(left) - BigInt(cells)) % BigInt(count + steps)), then),
        );
      return period(1, (start as Cons).cdr);
    });
  });
}

/** The value of `then` for what follows the first `n` cells. */
function withStep(list: LispValue, n: number, then: (rest: LispValue) => LispValue): LispValue {
  let rest = list;
  const steps = Math.min(n, SHARE);
  for (let i = 0; i < steps; i++) rest = cdr(rest);
  if (steps === n) return then(rest);
  throw new Unfinished(() => withStep(rest, n - steps, then));
}

/** Argument as a non-negative integer, or a type error. */
function requireNatural(x: LispValue): number | bigint {
  if ((typeof x === "number" || typeof x === "bigint") && x >= 0) return x;
  throw typeError(x, "UNSIGNED-BYTE");
}

function installPositions(define: DefineLeaf): void {
  define("NTHCDR", "n list", (n: LispValue, x: LispValue) =>
    withNthCdr(requireNatural(n), requireList(x), (rest) => rest),
  );
  define("NTH", "n list", (n: LispValue, x: LispValue) => withNthCdr(requireNatural(n), requireList(x), car));
  define("(SETF NTH)", "value n list", (value: LispValue, n: LispValue, x: LispValue) => {
    return withNthCdr(requireNatural(n), x, (rest) => (requireCons(rest).car = value));
  });
  define("LAST", "list &optional n", (x: LispValue, n: LispValue = 1) =>
    withLastCells(requireList(x), requireNatural(n), (last) => last),
  );
  define("BUTLAST", "list &optional n", (x: LispValue, n: LispValue = 1) => {
    const dropped = Number(requireNatural(n));
    return withCells(x, (cells) => {
      const result = new ListBuilder();
      let left = cells - dropped;
      const add = (cell: Cons): boolean => {
        if (left-- <= 0) return false;
        result.add(cell.car);
        return true;
      };
      return walkCells(x, add, () => result.head);
    });
  });
  define("NBUTLAST", "list &optional n", (x: LispValue, n: LispValue = 1) => {
    const dropped = Number(requireNatural(n));
    return withCells(x, (cells) => {
      if (cells - dropped <= 0) return NIL;
      return withStep(x, cells - dropped - 1, (last) => {
        (last as Cons).cdr = NIL;
        return x;
      });
    });
  });
  define("LDIFF", "list object", (x: LispValue, tail: LispValue) => ldiff(requireList(x), tail));
  define("TAILP", "object list", (tail: LispValue, x: LispValue) => {
    return walkCells(
      requireList(x),
      (cell) => cell !== tail,
      (stop) => bool(stop instanceof Cons ? stop === tail : eql(stop, tail)),
    );
  });
}

/** The value of `then` for the number of cells of a list, dotted or not. */
function withCells(list: LispValue, then: (cells: number) => LispValue): LispValue {
  return walkCells(
    requireList(list),
    () => undefined,
    (_end, cells) => then(cells),
  );
}

/** The value of `then` for the last `n` cells. */
function withLastCells(list: LispValue, n: number | bigint, then: (last: LispValue) => LispValue): LispValue {
  if (n !== 1)
    return withCells(list, (cells) => (n >= cells ? then(list) : withStep(list, cells - Number(n), then)));
  let last: LispValue = list;
  const keep = (cell: Cons): undefined => void (last = cell);
  return walkCells(list, keep, () => then(last));
}

function ldiff(list: LispValue, tail: LispValue): LispValue {
  const result = new ListBuilder();
  const add = (cell: Cons): boolean => {
    if (cell === tail) return false;
    result.add(cell.car);
    return true;
  };
  return walkCells(list, add, (end) => (end === tail || eql(end, tail) ? result.head : result.endWith(end)));
}

function installMaking(define: DefineLeaf, host: LeafHost): void {
  define("CONS", "object-1 object-2", (a: LispValue, d: LispValue) => new Cons(a, d), { total: true });
  define("LIST", "&rest objects", (...items: LispValue[]) => arrayToList(items), { total: true });
  define("LIST*", "object &rest more-objects", (...items: LispValue[]) =>
    arrayToList(items.slice(0, -1), 0, items.at(-1)),
  );
  define("MAKE-LIST", "size &key initial-element", (size: LispValue, element: LispValue = NIL) => {
    if ((typeof size === "number" || typeof size === "bigint") && size > 67_108_864)
      throw storageError("A list of ~D conses is too large; the bound is 67108864.", size);
    if (typeof size !== "number" || size < 0) throw typeError(size, "(INTEGER 0 67108864)");
    host.charge(size);
    let result: LispValue = NIL;
    const add = (from: number, to: number): void => {
      for (let i = from; i < to; i++) result = new Cons(element, result);
    };
    return forShares(0, size, add, () => result);
  });
  define("COPY-LIST", "list", (x: LispValue) =>
    copyCells(
      host,
      x,
      (item) => item,
      (end) => end,
    ),
  );
  define("COPY-ALIST", "alist", (x: LispValue) => {
    const copyEntry = (entry: LispValue): LispValue =>
      entry instanceof Cons ? new Cons(entry.car, entry.cdr) : entry;
    return copyCells(host, x, copyEntry, requireEnd);
  });
  define("COPY-TREE", "tree", (x: LispValue) => copyTree(host, x));
  define(
    "ACONS",
    "key datum alist",
    (key: LispValue, datum: LispValue, alist: LispValue) => new Cons(new Cons(key, datum), alist),
  );
}

/** A list of `copy` of each element; `endOf` gives its last cdr from that of the list. */
function copyCells(
  host: LeafHost,
  list: LispValue,
  copy: (item: LispValue) => LispValue,
  endOf: (end: LispValue) => LispValue,
): LispValue {
  const result = new ListBuilder();
  const add = (cell: Cons): undefined => result.add(copy(cell.car));
  return walkCells(requireList(list), add, (end, cells) => {
    host.charge(cells % SHARE);
    return result.endWith(endOf(end));
  });
}

/** Conses whose cdr, then whose car, still are those of the original. */
type Copies = Cons[];

/** Copies conses; goes down cars with a stack of its own, so depth is bounded by memory only. */
function copyTree(host: LeafHost, tree: LispValue): LispValue {
  if (!(tree instanceof Cons)) return tree;
  const root = new Cons(tree.car, tree.cdr);
  return copyShare(host, root, [root]);
}

function copyShare(host: LeafHost, root: Cons, open: Copies): LispValue {
  let steps = 0;
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    // Along the cdrs; cars that are conses wait.
    for (let at: Cons = cell; ;) {
      const { car: first, cdr: rest }: Cons = at;
      if (first instanceof Cons) open.push((at.car = new Cons(first.car, first.cdr)));
      steps++;
      if (!(rest instanceof Cons)) break;
      const next: Cons = new Cons(rest.car, rest.cdr);
      at.cdr = next;
      at = next;
      if (steps < SHARE) continue;
      open.push(at);
      throw new Unfinished(() => copyShare(host, root, open), steps);
    }
    if (steps >= SHARE) throw new Unfinished(() => copyShare(host, root, open), steps);
  }
  host.charge(steps);
  return root;
}

function installJoining(define: DefineLeaf, host: LeafHost): void {
  define("APPEND", "&rest lists", (...lists: LispValue[]) =>
    appendBefore(host, lists, lists.length - 2, lists.at(-1) ?? NIL),
  );
  define("NCONC", "&rest lists", (...lists: LispValue[]) => nconcFrom(lists, 0, NIL, null));
  const reverseOnto = (x: LispValue, tail: LispValue): LispValue => {
    let result = tail;
    const add = (cell: Cons): undefined => void (result = new Cons(cell.car, result));
    return walkCells(requireList(x), add, (end, cells) => {
      host.charge(cells % SHARE);
      requireEnd(end);
      return result;
    });
  };
  define("REVAPPEND", "list tail", reverseOnto);
  define("NRECONC", "list tail", (x: LispValue, tail: LispValue) =>
    turnOnto(host, requireList(x), tail, requireList),
  );
}

/** APPEND of the lists up to `index` before a tail. */
function appendBefore(
  host: LeafHost,
  lists: readonly LispValue[],
  index: number,
  tail: LispValue,
): LispValue {
  if (index < 0) return tail;
  const list = lists[index] as LispValue;
  if (list === NIL) return appendBefore(host, lists, index - 1, tail);
  const result = new ListBuilder();
  const add = (cell: Cons): undefined => result.add(cell.car);
  return walkCells(requireList(list), add, (end, cells) => {
    host.charge(cells % SHARE);
    requireEnd(end);
    return appendBefore(host, lists, index - 1, result.endWith(tail));
  });
}

/** NCONC of the lists from `index` on; `result` is what those before came to and `last` its last cell. */
function nconcFrom(
  lists: readonly LispValue[],
  index: number,
  result: LispValue,
  last: Cons | null,
): LispValue {
  if (index >= lists.length) return result;
  const list = lists[index]!;
  const isLast = index === lists.length - 1;
  if (!isLast && requireList(list) === NIL) return nconcFrom(lists, index + 1, result, last);
  const head = last === null ? list : result;
  if (last !== null) last.cdr = list;
  if (isLast) return head;
  return withLastCells(list, 1, (cell) => nconcFrom(lists, index + 1, head, cell as Cons));
}

function installTests(define: DefineLeaf, host: LeafHost): void {
  define("CONSP", "object", (x: LispValue) => bool(x instanceof Cons), { total: true });
  define("ATOM", "object", (x: LispValue) => bool(!(x instanceof Cons)), { total: true });
  define("LISTP", "object", (x: LispValue) => bool(x instanceof Cons || x === NIL), { total: true });
  define("NULL", "object", (x: LispValue) => bool(x === NIL), { total: true });
  define("ENDP", "list", (x: LispValue) => bool(requireList(x) === NIL));
  define("LIST-LENGTH", "list", (x: LispValue) =>
    withExtent(requireList(x), ({ cells, end, circular }) => {
      host.charge(cells % SHARE);
      if (circular) return NIL;
      requireEnd(end);
      return cells;
    }),
  );
  define("SYS:PROPER-LIST-LENGTH", "list", (x: LispValue) => withLength(x, (length) => length));
}

/** List access, construction, joining and tests. */
export const installLists: LeafInstaller = (define, host) => {
  installAccess(define);
  installPositions(define);
  installMaking(define, host);
  installJoining(define, host);
  installTests(define, host);
};
