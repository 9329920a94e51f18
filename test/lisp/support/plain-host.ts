/** A LeafHost without an engine: enough to install leaves and call them from tests. */
import type { LeafHost, LeafInstaller } from "../../../lisp/data/leaf.ts";
import { LPackage, LSymbol, NIL, T } from "../../../lisp/data/symbol.ts";
import { Unfinished } from "../../../lisp/data/unfinished.ts";
import type { LispValue } from "../../../lisp/data/value.ts";

export type PlainLeaf = (...args: readonly (LispValue | undefined)[]) => LispValue;

/** The value of a leaf that may work in shares. */
function finished(work: () => LispValue): LispValue {
  for (let next = work; ;) {
    try {
      return next();
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
      next = error.resume;
    }
  }
}

export class PlainHost implements LeafHost {
  readonly packages = new Map<string, LPackage>();
  readonly leaves = new Map<string, PlainLeaf>();
  readonly cl = this.make("COMMON-LISP", ["CL"]);
  readonly keyword = this.make("KEYWORD", [], true);
  readonly sys = this.make("AUTOLITH-SYSTEM", ["SYS"]);
  readonly user = this.make("COMMON-LISP-USER", ["CL-USER"]);
  /** Values of the last leaf that returned several. */
  lastValues: readonly LispValue[] = [];
  private serial = 0;

  constructor(...installers: readonly LeafInstaller[]) {
    this.cl.external.set("NIL", NIL);
    this.cl.external.set("T", T);
    this.user.uses.push(this.cl);
    this.symbol("*PACKAGE*").value = this.user;
    this.symbol("*FEATURES*").value = NIL;
    for (const install of installers) {
      install((name, _lambdaList, code) => {
        if (!name.startsWith("(")) this.symbol(name);
        const leaf = code as unknown as PlainLeaf;
        this.leaves.set(name, (...args) => finished(() => leaf(...args)));
      }, this);
    }
  }

  private make(name: string, nicknames: string[], keywords = false): LPackage {
    const pkg = new LPackage(name, nicknames, keywords);
    for (const key of [name, ...nicknames]) this.packages.set(key, pkg);
    return pkg;
  }

  /** Steps charged so far. */
  steps = 0;

  charge(steps: number): void {
    this.steps += steps;
  }

  values(...values: readonly LispValue[]): LispValue {
    this.lastValues = values;
    return values[0] ?? NIL;
  }

  symbol(name: string): LSymbol {
    if (name.startsWith(":")) return this.keyword.intern(name.slice(1));
    if (name.startsWith("SYS:")) return this.sys.internExternal(name.slice(4));
    return this.cl.internExternal(name);
  }

  symbolPackage(symbol: LSymbol): LPackage | null {
    return symbol === NIL || symbol === T ? this.cl : symbol.pkg;
  }

  findPackage(name: string): LPackage | null {
    return this.packages.get(name) ?? null;
  }

  currentPackage(): LPackage {
    return this.user;
  }

  nextSerial(): number {
    return ++this.serial;
  }
}
