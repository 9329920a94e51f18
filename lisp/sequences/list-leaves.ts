/** Registers the list functions without function arguments (chapter 14) as leaves. */
import { arrayToList, Cons } from "../data/cons.ts";
import { storageError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { bool, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { eql } from "../equality/equality.ts";
import { circularList, ListBuilder, measure, properLength, requireList, walkCells } from "./list-walking.ts";

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
    define(name, "list", (x: LispValue) => car(nthCdr(index, x)));
    define(`(SETF ${name})`, "value list", (value: LispValue, x: LispValue) => {
      requireCons(nthCdr(index, x)).car = value;
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

/** The n-th cdr of any list; going round a circular one costs no more than a few rounds. */
function nthCdr(n: number | bigint, list: LispValue): LispValue {
  let rest = list;
  let left = n;
  const quick = Number(n < 1000 ? n : 1000);
  for (let i = 0; i < quick; i++) {
    if (rest === NIL) return NIL;
    rest = cdr(rest);
  }
  left = typeof left === "bigint" ? left - BigInt(quick) : left - quick;
  if (left <= 0 || rest === NIL) return rest;
  const { cells, end, circular } = measure(rest);
  if (!circular) {
    if (left > cells) return end === NIL ? NIL : cdr(end);
    return stepCells(rest, Number(left));
  }
  const start = stepCells(rest, cells);
  let period = 1;
  for (let cell = (start as Cons).cdr; cell !== start; cell = (cell as Cons).cdr) period++;
  if (left <= cells) return stepCells(rest, Number(left));
  return stepCells(start, Number((BigInt(left) - BigInt(cells)) % BigInt(period)));
}

function stepCells(list: LispValue, n: number): LispValue {
  let rest = list;
  for (let i = 0; i < n; i++) rest = cdr(rest);
  return rest;
}

/** Argument as a non-negative integer, or a type error. */
function requireNatural(x: LispValue): number | bigint {
  if ((typeof x === "number" || typeof x === "bigint") && x >= 0) return x;
  throw typeError(x, "UNSIGNED-BYTE");
}

function installPositions(define: DefineLeaf): void {
  define("NTHCDR", "n list", (n: LispValue, x: LispValue) => nthCdr(requireNatural(n), requireList(x)));
  define("NTH", "n list", (n: LispValue, x: LispValue) => car(nthCdr(requireNatural(n), requireList(x))));
  define("(SETF NTH)", "value n list", (value: LispValue, n: LispValue, x: LispValue) => {
    requireCons(nthCdr(requireNatural(n), x)).car = value;
    return value;
  });
  define("LAST", "list &optional n", (x: LispValue, n: LispValue = 1) =>
    lastCells(requireList(x), requireNatural(n)),
  );
  define("BUTLAST", "list &optional n", (x: LispValue, n: LispValue = 1) => {
    const keep = measureFinite(x) - Number(requireNatural(n));
    const result = new ListBuilder();
    let rest: LispValue = x;
    for (let i = 0; i < keep; i++) {
      result.add((rest as Cons).car);
      rest = (rest as Cons).cdr;
    }
    return result.head;
  });
  define("NBUTLAST", "list &optional n", (x: LispValue, n: LispValue = 1) => {
    const keep = measureFinite(x) - Number(requireNatural(n));
    if (keep <= 0) return NIL;
    (stepCells(x, keep - 1) as Cons).cdr = NIL;
    return x;
  });
  define("LDIFF", "list object", (x: LispValue, tail: LispValue) => ldiff(requireList(x), tail));
  define("TAILP", "object list", (tail: LispValue, x: LispValue) => {
    const stop = walkCells(requireList(x), (cell) => cell !== tail);
    return bool(stop instanceof Cons ? stop === tail : eql(stop, tail));
  });
}

function measureFinite(list: LispValue): number {
  requireList(list);
  let cells = 0;
  walkCells(list, () => {
    cells++;
    return true;
  });
  return cells;
}

function lastCells(list: LispValue, n: number | bigint): LispValue {
  if (n === 1) {
    let last: LispValue = list;
    walkCells(list, (cell) => {
      last = cell;
      return true;
    });
    return last;
  }
  const cells = measureFinite(list);
  return n >= cells ? list : stepCells(list, cells - Number(n));
}

function ldiff(list: LispValue, tail: LispValue): LispValue {
  const result = new ListBuilder();
  const end = walkCells(list, (cell) => {
    if (cell === tail) return false;
    result.add(cell.car);
    return true;
  });
  return end === tail || eql(end, tail) ? result.head : result.endWith(end);
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
    for (let i = 0; i < size; i++) result = new Cons(element, result);
    return result;
  });
  define("COPY-LIST", "list", (x: LispValue) => {
    const result = new ListBuilder();
    let cells = 0;
    const end = walkCells(requireList(x), (cell) => {
      result.add(cell.car);
      cells++;
      return true;
    });
    host.charge(cells);
    return result.endWith(end);
  });
  define("COPY-ALIST", "alist", (x: LispValue) => {
    const result = new ListBuilder();
    const end = walkCells(requireList(x), ({ car: entry }) => {
      result.add(entry instanceof Cons ? new Cons(entry.car, entry.cdr) : entry);
      return true;
    });
    if (end !== NIL) throw typeError(end, "LIST");
    return result.head;
  });
  define("COPY-TREE", "tree", (x: LispValue) => copyTree(x));
  define(
    "ACONS",
    "key datum alist",
    (key: LispValue, datum: LispValue, alist: LispValue) => new Cons(new Cons(key, datum), alist),
  );
}

/** Copies conses; goes down cars with a stack of its own, so depth is bounded by memory only. */
function copyTree(tree: LispValue): LispValue {
  if (!(tree instanceof Cons)) return tree;
  const root = new Cons(tree, NIL);
  const work: [target: Cons, part: "car" | "cdr"][] = [[root, "car"]];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const [target, part] = item;
    const source = target[part];
    if (!(source instanceof Cons)) continue;
    const copy = new Cons(source.car, source.cdr);
    target[part] = copy;
    if (copy.cdr instanceof Cons) work.push([copy, "cdr"]);
    if (copy.car instanceof Cons) work.push([copy, "car"]);
  }
  return root.car;
}

function installJoining(define: DefineLeaf): void {
  define("APPEND", "&rest lists", (...lists: LispValue[]) => {
    let result: LispValue = lists.at(-1) ?? NIL;
    for (let i = lists.length - 2; i >= 0; i--) result = appendTwo(lists[i] as LispValue, result);
    return result;
  });
  define("NCONC", "&rest lists", (...lists: LispValue[]) => {
    let result: LispValue = NIL;
    let last: Cons | null = null;
    lists.forEach((x, index) => {
      if (index < lists.length - 1) requireList(x);
      if (x === NIL && index < lists.length - 1) return;
      if (last === null) result = x;
      else last.cdr = x;
      if (x instanceof Cons && index < lists.length - 1) last = lastCells(x, 1) as Cons;
    });
    return result;
  });
  const reverseOnto = (x: LispValue, tail: LispValue): LispValue => {
    let result = tail;
    const end = walkCells(requireList(x), (cell) => {
      result = new Cons(cell.car, result);
      return true;
    });
    if (end !== NIL) throw typeError(end, "LIST");
    return result;
  };
  define("REVAPPEND", "list tail", reverseOnto);
  define("NRECONC", "list tail", (x: LispValue, tail: LispValue) => {
    let result = tail;
    let rest = requireList(x);
    while (rest instanceof Cons) {
      const next: LispValue = rest.cdr;
      rest.cdr = result;
      result = rest;
      rest = requireList(next);
    }
    return result;
  });
}

function appendTwo(list: LispValue, tail: LispValue): LispValue {
  if (list === NIL) return tail;
  const result = new ListBuilder();
  const end = walkCells(requireList(list), (cell) => {
    result.add(cell.car);
    return true;
  });
  if (end !== NIL) throw typeError(end, "LIST");
  return result.endWith(tail);
}

function installTests(define: DefineLeaf): void {
  define("CONSP", "object", (x: LispValue) => bool(x instanceof Cons), { total: true });
  define("ATOM", "object", (x: LispValue) => bool(!(x instanceof Cons)), { total: true });
  define("LISTP", "object", (x: LispValue) => bool(x instanceof Cons || x === NIL), { total: true });
  define("NULL", "object", (x: LispValue) => bool(x === NIL), { total: true });
  define("ENDP", "list", (x: LispValue) => bool(requireList(x) === NIL));
  define("LIST-LENGTH", "list", (x: LispValue) => {
    const { cells, end, circular } = measure(requireList(x));
    if (circular) return NIL;
    if (end !== NIL) throw typeError(end, "LIST");
    return cells;
  });
  define("SYS:PROPER-LIST-LENGTH", "list", (x: LispValue) => properLength(x));
}

/** Cell of a property list whose key is the indicator, or null. */
function findProperty(plist: LispValue, indicator: LispValue): Cons | null {
  let rest: LispValue = requireList(plist);
  let steps = 0;
  while (rest instanceof Cons) {
    const value: LispValue = rest.cdr;
    // An odd element at the end, or a dotted end, is what is wrong, so that is the datum.
    if (!(value instanceof Cons)) throw typeError(value, "CONS");
    if (rest.car === indicator) return rest;
    rest = value.cdr;
    if (++steps > 10_000 && steps % 10_000 === 0 && measure(plist).circular) return circularList(plist);
  }
  if (rest !== NIL) throw typeError(rest, "LIST");
  return null;
}

const installPropertyLists: LeafInstaller = (define, host) => {
  define(
    "GETF",
    "plist indicator &optional default",
    (plist: LispValue, key: LispValue, otherwise: LispValue = NIL) => {
      const cell = findProperty(plist, key);
      return cell === null ? otherwise : (cell.cdr as Cons).car;
    },
  );
  define(
    "GET-PROPERTIES",
    "plist indicator-list",
    (plist: LispValue, indicators: LispValue) => {
      const wanted = new Set<LispValue>();
      walkCells(requireList(indicators), (cell) => {
        wanted.add(cell.car);
        return true;
      });
      if (measure(plist).circular) return circularList(plist);
      for (let rest: LispValue = requireList(plist); rest instanceof Cons; rest = rest.cdr.cdr) {
        if (!(rest.cdr instanceof Cons)) throw typeError(rest.cdr, "CONS");
        if (wanted.has(rest.car)) return host.values(rest.car, rest.cdr.car, rest);
      }
      return host.values(NIL, NIL, NIL);
    },
    { values: true },
  );
};

/** List access, construction, joining, tests and property lists. */
export const installLists: LeafInstaller = (define, host) => {
  installAccess(define);
  installPositions(define);
  installMaking(define, host);
  installJoining(define);
  installTests(define);
  installPropertyLists(define, host);
};
