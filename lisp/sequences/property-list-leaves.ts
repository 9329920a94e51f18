import { arrayToList, Cons } from "../data/cons.ts";
import { LispError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { requireEnd, requireList, walkCells } from "./list-walking.ts";

/** Pairs that GETF looks at before it works in shares. */
const quickPairs = 1_000;

/** The value of `then` for the cell of a property list whose key is the indicator, or null. */
function withProperty(
  plist: LispValue,
  indicator: LispValue,
  then: (cell: Cons | null) => LispValue,
): LispValue {
  let isKey = false;
  const seek = (cell: Cons): boolean => {
    isKey = !isKey;
    // An odd element at the end, or a dotted end, is what is wrong, so that is the datum.
    if (isKey && !(cell.cdr instanceof Cons)) throw malformed(plist, cell.cdr);
    return !(isKey && cell.car === indicator);
  };
  return walkCells(requireList(plist), seek, (end) => {
    if (end instanceof Cons) return then(end);
    requireEnd(end);
    return then(null);
  });
}

/** The value of `then` for the cell whose key is the indicator, or null, and the cell before it; an odd end is left alone. */
function withPlace(
  plist: LispValue,
  indicator: LispValue,
  then: (cell: Cons | null, before: Cons | null) => LispValue,
): LispValue {
  let isKey = false;
  let before: Cons | null = null;
  const seek = (cell: Cons): boolean => {
    isKey = !isKey;
    if (isKey && cell.cdr instanceof Cons && cell.car === indicator) return false;
    if (!isKey) before = cell;
    return true;
  };
  return walkCells(plist, seek, (end) => then(end instanceof Cons ? end : null, before));
}

/** What (SETF GETF) and REMF are made of: the new list. */
const installPropertyChanges: LeafInstaller = (define, host) => {
  define("SYS:%PUT-IN-PLIST", "plist indicator value", (plist: LispValue, key: LispValue, value: LispValue) =>
    withPlace(plist, key, (cell) => {
      if (cell === null) return new Cons(key, new Cons(value, plist));
      (cell.cdr as Cons).car = value;
      return plist;
    }),
  );
  define(
    "SYS:%REMOVE-FROM-PLIST",
    "plist indicator",
    (plist: LispValue, key: LispValue) =>
      withPlace(plist, key, (cell, before) => {
        if (cell === null) return host.values(plist, NIL);
        const rest = (cell.cdr as Cons).cdr;
        if (before === null) return host.values(rest, T);
        before.cdr = rest;
        return host.values(plist, T);
      }),
    { values: true },
  );
};

/** TYPE-ERROR for a property list whose last indicator has no value. */
function malformed(plist: LispValue, end: LispValue): LispError {
  return new LispError("SIMPLE-TYPE-ERROR", [
    ["DATUM", end],
    ["EXPECTED-TYPE", "CONS"],
    ["FORMAT-CONTROL", "The property list ~S is malformed: its last indicator has no value."],
    ["FORMAT-ARGUMENTS", arrayToList([plist])],
  ]);
}

/** Property lists: GETF, GET-PROPERTIES and what changes them. */
export const installPropertyLists: LeafInstaller = (define, host) => {
  installPropertyChanges(define, host);
  define(
    "GETF",
    "plist indicator &optional default",
    (plist: LispValue, key: LispValue, otherwise: LispValue = NIL) => {
      let rest = requireList(plist);
      for (let pairs = 0; rest instanceof Cons && pairs < quickPairs; pairs++) {
        const value: LispValue = rest.cdr;
        if (!(value instanceof Cons)) throw malformed(plist, value);
        if (rest.car === key) return value.car;
        rest = value.cdr;
      }
      if (!(rest instanceof Cons)) {
        requireEnd(rest);
        return otherwise;
      }
      return withProperty(plist, key, (cell) => (cell === null ? otherwise : (cell.cdr as Cons).car));
    },
  );
  define(
    "GET-PROPERTIES",
    "plist indicator-list",
    (plist: LispValue, indicators: LispValue) => {
      const wanted = new Set<LispValue>();
      const want = (cell: Cons): undefined => void wanted.add(cell.car);
      let isKey = false;
      const seek = (cell: Cons): boolean => {
        isKey = !isKey;
        if (isKey && !(cell.cdr instanceof Cons)) throw malformed(plist, cell.cdr);
        return !(isKey && wanted.has(cell.car));
      };
      return walkCells(requireList(indicators), want, (endOfIndicators) => {
        requireEnd(endOfIndicators);
        return walkCells(requireList(plist), seek, (end) => {
          if (end instanceof Cons) return host.values(end.car, (end.cdr as Cons).car, end);
          requireEnd(end);
          return host.values(NIL, NIL, NIL);
        });
      });
    },
    { values: true },
  );
};
