/** Registers symbol properties and making of symbols (chapter 10) as leaves. */
import { Cons } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, T, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { requireString } from "../characters/string-leaves.ts";
import { setSymbolPlist, symbolPlist } from "./shared-plists.ts";

function requireSymbol(x: LispValue): LSymbol {
  if (x instanceof LSymbol) return x;
  throw typeError(x, "SYMBOL");
}

/** Cell of a property list whose key is the indicator, or null. */
function propertyCell(plist: LispValue, indicator: LispValue): Cons | null {
  let rest = plist;
  while (rest instanceof Cons && rest.cdr instanceof Cons) {
    if (rest.car === indicator) return rest;
    rest = rest.cdr.cdr;
  }
  return null;
}

function removeProperty(host: LeafHost, symbol: LSymbol, indicator: LispValue): boolean {
  const plist = symbolPlist(host, symbol);
  const cell = propertyCell(plist, indicator);
  if (cell === null) return false;
  const after = (cell.cdr as Cons).cdr;
  if (plist === cell) {
    setSymbolPlist(host, symbol, after);
    return true;
  }
  for (let rest = plist; rest instanceof Cons; rest = rest.cdr) {
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
  define("SYMBOL-PLIST", "symbol", (x: LispValue) => symbolPlist(host, requireSymbol(x)));
  define("(SETF SYMBOL-PLIST)", "value symbol", (value: LispValue, x: LispValue) => {
    setSymbolPlist(host, requireSymbol(x), value);
    return value;
  });
  define(
    "GET",
    "symbol indicator &optional default",
    (x: LispValue, indicator: LispValue, otherwise: LispValue = NIL) => {
      const cell = propertyCell(symbolPlist(host, requireSymbol(x)), indicator);
      return cell === null ? otherwise : (cell.cdr as Cons).car;
    },
  );
  define(
    "(SETF GET)",
    "value symbol indicator &optional default",
    (value: LispValue, x: LispValue, indicator: LispValue) => {
      const symbol = requireSymbol(x);
      const plist = symbolPlist(host, symbol);
      const cell = propertyCell(plist, indicator);
      if (cell !== null) (cell.cdr as Cons).car = value;
      else setSymbolPlist(host, symbol, new Cons(indicator, new Cons(value, plist)));
      return value;
    },
  );
  define("REMPROP", "symbol indicator", (x: LispValue, indicator: LispValue) =>
    removeProperty(host, requireSymbol(x), indicator) ? T : NIL,
  );
  define("MAKE-SYMBOL", "name", (name: LispValue) => new LSymbol(requireString(name).toJS(), null));
  define("COPY-SYMBOL", "symbol &optional copy-properties", (x: LispValue, copy: LispValue = NIL) => {
    const symbol = requireSymbol(x);
    const result = new LSymbol(symbol.name, null);
    if (copy === NIL) return result;
    if (symbol.value !== UNBOUND) result.value = symbol.value;
    result.fn = symbol.fn;
    result.macro = symbol.macro;
    result.plist = copyPlist(symbolPlist(host, symbol));
    return result;
  });
};

function copyPlist(plist: LispValue): LispValue {
  const items: LispValue[] = [];
  for (let rest = plist; rest instanceof Cons; rest = rest.cdr) items.push(rest.car);
  return items.reduceRight<LispValue>((tail, item) => new Cons(item, tail), NIL);
}
