/** Registers symbol properties and making of symbols (chapter 10) as leaves. */
import { Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, T, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { requireString } from "../characters/string-leaves.ts";

function requireSymbol(x: LispValue): LSymbol {
  if (x instanceof LSymbol) return x;
  throw typeError(x, "SYMBOL");
}

/** Cell of the property list of a symbol whose key is the indicator, or null. */
function propertyCell(symbol: LSymbol, indicator: LispValue): Cons | null {
  let rest = symbol.plist;
  while (rest instanceof Cons && rest.cdr instanceof Cons) {
    if (rest.car === indicator) return rest;
    rest = rest.cdr.cdr;
  }
  return null;
}

function removeProperty(symbol: LSymbol, indicator: LispValue): boolean {
  const cell = propertyCell(symbol, indicator);
  if (cell === null) return false;
  const after = (cell.cdr as Cons).cdr;
  if (symbol.plist === cell) {
    symbol.plist = after;
    return true;
  }
  for (let rest = symbol.plist; rest instanceof Cons; rest = rest.cdr) {
    if (rest.cdr === cell) {
      rest.cdr = after;
      return true;
    }
  }
  return false;
}

export const installSymbols: LeafInstaller = (define, host) => {
  define("SYMBOL-NAME", "symbol", (x: LispValue) => LString.from(requireSymbol(x).name));
  define("SYMBOL-PACKAGE", "symbol", (x: LispValue) => host.symbolPackage(requireSymbol(x)) ?? NIL);
  define("SYMBOL-PLIST", "symbol", (x: LispValue) => requireSymbol(x).plist);
  define("(SETF SYMBOL-PLIST)", "value symbol", (value: LispValue, x: LispValue) => {
    requireSymbol(x).plist = value;
    return value;
  });
  define(
    "GET",
    "symbol indicator &optional default",
    (x: LispValue, indicator: LispValue, otherwise: LispValue = NIL) => {
      const cell = propertyCell(requireSymbol(x), indicator);
      return cell === null ? otherwise : (cell.cdr as Cons).car;
    },
  );
  define(
    "(SETF GET)",
    "value symbol indicator &optional default",
    (value: LispValue, x: LispValue, indicator: LispValue) => {
      const symbol = requireSymbol(x);
      const cell = propertyCell(symbol, indicator);
      if (cell !== null) (cell.cdr as Cons).car = value;
      else symbol.plist = new Cons(indicator, new Cons(value, symbol.plist));
      return value;
    },
  );
  define("REMPROP", "symbol indicator", (x: LispValue, indicator: LispValue) =>
    removeProperty(requireSymbol(x), indicator) ? T : NIL,
  );
  define("MAKE-SYMBOL", "name", (name: LispValue) => new LSymbol(requireString(name).toJS(), null));
  define("COPY-SYMBOL", "symbol &optional copy-properties", (x: LispValue, copy: LispValue = NIL) => {
    const symbol = requireSymbol(x);
    const result = new LSymbol(symbol.name, null);
    if (copy === NIL) return result;
    if (symbol.value !== UNBOUND) result.value = symbol.value;
    result.fn = symbol.fn;
    result.macro = symbol.macro;
    result.plist = copyPlist(symbol.plist);
    return result;
  });
};

function copyPlist(plist: LispValue): LispValue {
  const items: LispValue[] = [];
  for (let rest = plist; rest instanceof Cons; rest = rest.cdr) items.push(rest.car);
  return items.reduceRight<LispValue>((tail, item) => new Cons(item, tail), NIL);
}
