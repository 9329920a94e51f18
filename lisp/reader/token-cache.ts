/** Remembers what symbol a token stood for, so that a token read again needs one look-up and no case conversion. */
import type { LPackage, LSymbol } from "../data/symbol.ts";
import type { ReadtableCase } from "./readtable.ts";

/** Tokens remembered before starting over. */
const MAX_TOKENS = 20_000;

/** Tokens of the current package and readtable case; emptied when either changes or a package redefines its names. */
export class TokenCache {
  private readonly symbols = new Map<string, LSymbol>();
  private readonly keywords: LPackage;
  private pkg: LPackage | null = null;
  private version = 0;
  private keywordVersion = 0;
  private mode: ReadtableCase = "UPCASE";

  constructor(keywords: LPackage) {
    this.keywords = keywords;
  }

  /** The symbol the token stood for in that package under that case mode, or undefined. */
  find(pkg: LPackage, mode: ReadtableCase, token: string): LSymbol | undefined {
    if (!this.valid(pkg, mode)) return undefined;
    return this.symbols.get(token);
  }

  private valid(pkg: LPackage, mode: ReadtableCase): boolean {
    return (
      pkg === this.pkg &&
      pkg.version === this.version &&
      mode === this.mode &&
      this.keywords.version === this.keywordVersion
    );
  }

  /** Remembers the symbol of a token without package prefix, or of a keyword. */
  remember(pkg: LPackage, mode: ReadtableCase, token: string, symbol: LSymbol): void {
    if (!this.valid(pkg, mode) || this.symbols.size >= MAX_TOKENS) this.symbols.clear();
    this.pkg = pkg;
    this.version = pkg.version;
    this.keywordVersion = this.keywords.version;
    this.mode = mode;
    this.symbols.set(token, symbol);
  }
}
