import type { LeafHost } from "../data/leaf.ts";
import { type LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Property lists of NIL and T by image: the symbols themselves are shared. */
const lists = new WeakMap<LeafHost, Map<LSymbol, LispValue>>();

/** Property lists of NIL and T in one image. */
export function sharedPlists(host: LeafHost): Map<LSymbol, LispValue> {
  let found = lists.get(host);
  if (found === undefined) lists.set(host, (found = new Map()));
  return found;
}

/** SYMBOL-PLIST. */
export function symbolPlist(host: LeafHost, symbol: LSymbol): LispValue {
  if (symbol === NIL || symbol === T) return sharedPlists(host).get(symbol) ?? NIL;
  return symbol.plist;
}

/** SETF of SYMBOL-PLIST. */
export function setSymbolPlist(host: LeafHost, symbol: LSymbol, plist: LispValue): void {
  if (symbol === NIL || symbol === T) sharedPlists(host).set(symbol, plist);
  else symbol.plist = plist;
}
