/** What the reader needs of its image: the symbols it makes and the variables that steer it. */
import { Cons } from "../data/cons.ts";
import type { LeafHost } from "../data/leaf.ts";
import { LPackage, type LSymbol, NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { DOUBLE, type FloatFormat, SINGLE } from "../numbers/float-bits.ts";
import { Readtable } from "./readtable.ts";
import { TokenCache } from "./token-cache.ts";

/** One per image. */
export class ReaderContext {
  readonly host: LeafHost;
  readonly nil: LSymbol = NIL;
  readonly quote: LSymbol;
  readonly functionSymbol: LSymbol;
  readonly quasiquote: LSymbol;
  readonly unquote: LSymbol;
  readonly unquoteSplicing: LSymbol;
  readonly evalSymbol: LSymbol;
  readonly makeStructure: LSymbol;
  readonly parseNamestring: LSymbol;
  readonly keywordPackage: LPackage;
  readonly standard: Readtable;
  readonly tokens: TokenCache;
  private readonly readtable: LSymbol;
  private readonly packageVariable: LSymbol;
  private readonly base: LSymbol;
  private readonly suppress: LSymbol;
  private readonly evaluate: LSymbol;
  private readonly format: LSymbol;
  private readonly featureList: LSymbol;
  private readonly doubleNames: ReadonlySet<LispValue>;

  constructor(host: LeafHost) {
    this.host = host;
    this.quote = host.symbol("QUOTE");
    this.functionSymbol = host.symbol("FUNCTION");
    this.quasiquote = host.symbol("SYS:QUASIQUOTE");
    this.unquote = host.symbol("SYS:UNQUOTE");
    this.unquoteSplicing = host.symbol("SYS:UNQUOTE-SPLICING");
    this.evalSymbol = host.symbol("EVAL");
    this.makeStructure = host.symbol("SYS:MAKE-STRUCTURE-FROM-PLIST");
    this.parseNamestring = host.symbol("PARSE-NAMESTRING");
    this.keywordPackage = host.symbol(":KEYWORD").pkg as LPackage;
    this.tokens = new TokenCache(this.keywordPackage);
    this.standard = Readtable.standard();
    this.standard.locked = true;
    this.readtable = special(host, "*READTABLE*", Readtable.standard());
    this.packageVariable = host.symbol("*PACKAGE*");
    this.base = special(host, "*READ-BASE*", 10);
    this.suppress = special(host, "*READ-SUPPRESS*", NIL);
    this.evaluate = special(host, "*READ-EVAL*", host.symbol("T"));
    this.format = special(host, "*READ-DEFAULT-FLOAT-FORMAT*", host.symbol("SINGLE-FLOAT"));
    this.featureList = host.symbol("*FEATURES*");
    this.doubleNames = new Set([host.symbol("DOUBLE-FLOAT"), host.symbol("LONG-FLOAT")]);
  }

  // The values of the reader's variables now; values of a wrong type count as the standard ones.

  currentReadtable(): Readtable {
    const { value } = this.readtable;
    return value instanceof Readtable ? value : this.standard;
  }

  currentPackage(): LPackage {
    const { value } = this.packageVariable;
    return value instanceof LPackage ? value : this.host.currentPackage();
  }

  currentBase(): number {
    const { value } = this.base;
    return typeof value === "number" && value >= 2 && value <= 36 ? value : 10;
  }

  isSuppressed(): boolean {
    return this.suppress.value !== NIL;
  }

  mayEvaluate(): boolean {
    return this.evaluate.value !== NIL;
  }

  /** Format of floats without exponent marker. */
  defaultFormat(): FloatFormat {
    return this.doubleNames.has(this.format.value) ? DOUBLE : SINGLE;
  }

  /** The value of *FEATURES*. */
  features(): LispValue {
    const { value } = this.featureList;
    return value instanceof Cons ? value : NIL;
  }
}

function special(host: LeafHost, name: string, value: LispValue): LSymbol {
  const symbol = host.symbol(name);
  symbol.kind = "special";
  if (symbol.value === UNBOUND) symbol.value = value;
  return symbol;
}
