/** Completeness and tokens of Lisp text without an image: standard syntax, nothing interned, nothing evaluated. For prompts and displays. */
import type { LeafHost } from "../data/leaf.ts";
import { LPackage, type LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { ReaderContext } from "./context.ts";
import { type Completeness, type TextToken, probeText, tokenizeText } from "./probe.ts";

export type { Completeness, TextToken };

let context: ReaderContext | undefined;

/** Is the text whole objects, does it need more, or is it wrong? */
export function plainCompleteness(text: string): Completeness {
  return probeText((context ??= new ReaderContext(new NoImage())), text);
}

/** The tokens of a text in order, by UTF-16 units; what is wrong is a token of kind `invalid`, and reading goes on behind it. */
export function plainTokens(text: string): readonly TextToken[] {
  // The reader counts characters: letters of one unit each stand for those beyond the basic plane, which are constituents too.
  const units = text.replaceAll(/[\ud800-\udfff]/g, "\ue000");
  return tokenizeText((context ??= new ReaderContext(new NoImage())), units);
}

/** The few names that reading needs, in packages of their own. */
class NoImage implements LeafHost {
  readonly packages = new Map<string, LPackage>();
  readonly #lisp = this.#package("COMMON-LISP", ["CL"]);
  readonly #keywords = this.#package("KEYWORD", [], true);
  readonly #system = this.#package("AUTOLITH-SYSTEM", ["SYS"]);
  readonly #user = this.#package("COMMON-LISP-USER", ["CL-USER"]);
  #serial = 0;

  constructor() {
    this.#lisp.external.set("NIL", NIL);
    this.#lisp.external.set("T", T);
    this.#user.uses.push(this.#lisp);
    this.symbol("*FEATURES*").value = NIL;
  }

  symbol(name: string): LSymbol {
    if (name.startsWith(":")) return this.#keywords.intern(name.slice(1));
    if (name.startsWith("SYS:")) return this.#system.internExternal(name.slice(4));
    return this.#lisp.internExternal(name);
  }

  values(...values: readonly LispValue[]): LispValue {
    return values[0] ?? NIL;
  }

  symbolPackage(symbol: LSymbol): LPackage | null {
    return symbol === NIL || symbol === T ? this.#lisp : symbol.pkg;
  }

  findPackage(name: string): LPackage | null {
    return this.packages.get(name) ?? null;
  }

  currentPackage(): LPackage {
    return this.#user;
  }

  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  charge(): void {
    // Nothing is evaluated, so nothing is counted.
  }

  #package(name: string, nicknames: readonly string[], keywords = false): LPackage {
    const made = new LPackage(name, nicknames, keywords);
    for (const key of [name, ...nicknames]) this.packages.set(key, made);
    return made;
  }
}
