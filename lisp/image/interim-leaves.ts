import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Interim. */
export const installInterim: LeafInstaller = (define) => {
  define("NTH", "n list", (n: number, list: LispValue) => {
    let rest = list;
    for (let i = 0; i < n && rest instanceof Cons; i++) rest = rest.cdr;
    return rest instanceof Cons ? rest.car : NIL;
  });
  define("LENGTH", "sequence", (s: LispValue) => {
    if (Array.isArray(s)) return s.length;
    if (s instanceof LString) return s.length;
    const items = listToArray(s);
    if (items === null) throw typeError(s, "SEQUENCE");
    return items.length;
  });
  const reverse = (s: LispValue): LispValue => arrayToList(listToArray(s)!.toReversed());
  define("REVERSE", "sequence", reverse);
  define("NREVERSE", "sequence", reverse);
  define("GETF", "plist indicator &optional default", (p: LispValue, i: LispValue, d?: LispValue) => {
    for (let rest = p; rest instanceof Cons && rest.cdr instanceof Cons; rest = rest.cdr.cdr)
      if (rest.car === i) return rest.cdr.car;
    return d ?? NIL;
  });
  define("SYMBOL-NAME", "symbol", (s: LispValue) => {
    if (!(s instanceof LSymbol)) throw typeError(s, "SYMBOL");
    return LString.from(s.name);
  });
  define("MAKE-SYMBOL", "name", (name: LispValue) => new LSymbol((name as LString).toJS(), null));
  define("VECTOR", "&rest items", (...items: LispValue[]) => items);
  ["FOURTH", "FIFTH", "SIXTH", "SEVENTH"].forEach((name, index) =>
    define(name, "list", (s: LispValue) => listToArray(s)![index + 3] ?? NIL),
  );
};
