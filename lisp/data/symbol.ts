import { type LFunction, UndefinedFunction } from "./function.ts";
import type { LispValue } from "./value.ts";

/** Marks an unbound variable or slot. Never handed to Lisp code. */
export class UnboundMarker {
  readonly kind = "unbound";
}

/** The only UnboundMarker. */
export const UNBOUND = new UnboundMarker();

/** How a symbol is proclaimed as a variable. */
export type VariableKind = "lexical" | "special" | "constant" | "symbol-macro" | "global";

/**
 * A symbol. Dynamic binding is shallow: `value` is the current value in the running green thread (UNBOUND when none).
 * For the kind "symbol-macro" `value` stays UNBOUND and the expansion is in `props`.
 */
export class LSymbol {
  readonly name: string;
  /** Home package; null for an uninterned symbol and for NIL and T (home COMMON-LISP in every image: ask `symbolPackage` of the image). */
  pkg: LPackage | null;
  value: LispValue = UNBOUND;
  /** Function cell. Null or an UndefinedFunction when not fbound: read it through `symbolFunction`. */
  fn: LFunction | null = null;
  /** Macro function, or null. */
  macro: LFunction | null = null;
  kind: VariableKind = "lexical";
  plist: LispValue;
  /** Hash code of the name, 0 until somebody asked (see `lisp/hash`). */
  hash = 0;
  /** Holds the function named `(setf symbol)` in its own `fn`; null until somebody needs it. */
  setf: LSymbol | null = null;
  /** Data of the system about this name (type definition, class, setf expander, compiler macro …) keyed by a word; null when none. */
  props: Map<string, LispValue> | null = null;

  constructor(name: string, pkg: LPackage | null, plist?: LispValue) {
    this.name = name;
    this.pkg = pkg;
    this.plist = plist ?? NIL;
  }
}

/** Hidden symbol whose function cell is that of `(setf base)`. */
export class SetfCell extends LSymbol {
  readonly base: LSymbol;
  constructor(base: LSymbol) {
    super(`(SETF ${base.name})`, null);
    this.base = base;
  }
}

/** The symbol NIL, which is also the empty list: CAR and CDR of it are itself. */
export class NilSymbol extends LSymbol {
  readonly car: LispValue;
  readonly cdr: LispValue;
  constructor() {
    super("NIL", null, UNBOUND);
    this.car = this;
    this.cdr = this;
    this.plist = this;
    this.value = this;
    this.kind = "constant";
  }
}

/** NIL, shared by all images. */
export const NIL = new NilSymbol();

function makeTrue(): LSymbol {
  const symbol = new LSymbol("T", null);
  symbol.value = symbol;
  symbol.kind = "constant";
  return symbol;
}

/** T, shared by all images. */
export const T = makeTrue();

/** Lisp boolean of a JavaScript boolean. */
export function bool(value: boolean): LSymbol {
  return value ? T : NIL;
}

/** The function in the function cell, or null when the symbol is not fbound as a function. */
export function symbolFunction(symbol: LSymbol): LFunction | null {
  const fn = symbol.fn;
  return fn === null || fn instanceof UndefinedFunction ? null : fn;
}

/** System datum of a symbol, or NIL. */
export function symbolProperty(symbol: LSymbol, key: string): LispValue {
  return symbol.props?.get(key) ?? NIL;
}

/** Sets a system datum of a symbol. */
export function setSymbolProperty(symbol: LSymbol, key: string, value: LispValue): void {
  symbol.props ??= new Map();
  symbol.props.set(key, value);
}

/** How a symbol is accessible in a package. */
export type SymbolStatus = "internal" | "external" | "inherited";

/** A package. Symbols are keyed by name; inherited symbols are found through `uses`. */
export class LPackage {
  name: string;
  nicknames: string[];
  readonly internal = new Map<string, LSymbol>();
  readonly external = new Map<string, LSymbol>();
  readonly shadowing = new Set<LSymbol>();
  readonly uses: LPackage[] = [];
  readonly usedBy: LPackage[] = [];
  /** Package-local nicknames: nickname to package. */
  readonly localNicknames = new Map<string, LPackage>();
  /** A locked package refuses definitions on its symbols and changes to itself. */
  locked = false;
  /** Grows whenever a name may have come to mean another symbol here than before. */
  version = 0;
  /** The keyword package: every interned symbol is external, constant and its own value. */
  readonly keywords: boolean;
  documentation: LispValue = NIL;
  deleted = false;

  constructor(name: string, nicknames: readonly string[] = [], keywords = false) {
    this.name = name;
    this.nicknames = [...nicknames];
    this.keywords = keywords;
  }

  /** To be called after a change of what names mean, other than making new symbols: caches of names are out of date. */
  changed(): void {
    this.version++;
    for (let i = 0; i < this.usedBy.length; i++) this.usedBy[i]!.version++;
  }

  /** FIND-SYMBOL: the symbol and its status, or null. */
  find(name: string): { symbol: LSymbol; status: SymbolStatus } | null {
    const own = this.external.get(name);
    if (own !== undefined) return { symbol: own, status: "external" };
    const hidden = this.internal.get(name);
    if (hidden !== undefined) return { symbol: hidden, status: "internal" };
    for (const used of this.uses) {
      const inherited = used.external.get(name);
      if (inherited !== undefined) return { symbol: inherited, status: "inherited" };
    }
    return null;
  }

  /** The accessible symbol of that name, or undefined (the fast half of `find`). */
  lookup(name: string): LSymbol | undefined {
    const own = this.external.get(name) ?? this.internal.get(name);
    if (own !== undefined) return own;
    for (const used of this.uses) {
      const inherited = used.external.get(name);
      if (inherited !== undefined) return inherited;
    }
    return undefined;
  }

  /** INTERN: the accessible symbol of that name, made internal here (external in the keyword package) when there is none. */
  intern(name: string): LSymbol {
    const found = this.lookup(name);
    if (found !== undefined) return found;
    const symbol = new LSymbol(name, this);
    if (this.keywords) {
      symbol.value = symbol;
      symbol.kind = "constant";
      this.external.set(name, symbol);
    } else {
      this.internal.set(name, symbol);
    }
    return symbol;
  }

  /** A new external symbol of this package, whatever it inherits under that name. */
  internExternalOwn(name: string): LSymbol {
    const symbol = new LSymbol(name, this);
    this.external.set(name, symbol);
    this.changed();
    return symbol;
  }

  /** Makes an own symbol external, creating it when needed. */
  internExternal(name: string): LSymbol {
    const known = this.external.get(name);
    if (known !== undefined) return known;
    const symbol = this.intern(name);
    this.internal.delete(name);
    this.external.set(name, symbol);
    this.changed();
    return symbol;
  }
}
