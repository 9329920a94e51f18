import { wrongArgumentCount } from "../runtime/argument-count.ts";
import type { CompilerHost, NameUse, SpecialOperator } from "../compiler/analysis.ts";
import { instantiate } from "../compiler/code-unit.ts";
import { Unit } from "../compiler/emit-unit.ts";
import type { FunctionNode, InlineCall } from "../compiler/ir.ts";
import { bindingOperators } from "../compiler/special-binding.ts";
import { controlOperators } from "../compiler/special-control.ts";
import { arrayToList } from "../data/cons.ts";
import type { LispError } from "../data/error.ts";
import type { LFunction, SourceLocation } from "../data/function.ts";
import type { LibraryUnit } from "../compiler/compiled-file.ts";
import type { DefineLeaf, LeafHost } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { LPackage, LSymbol, NIL, SetfCell, T, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { GenericFunction } from "../objects/class.ts";
import { type LeafEntry, leafShape } from "../runtime/leaf-entry.ts";
import { leafFunction } from "../runtime/leaf-function.ts";
import { Runtime } from "../runtime/runtime.ts";
import { DefinitionJournal } from "./definition-journal.ts";
import { heapWatch } from "./heap-watch.ts";
import { hostBoundError } from "./host-bounds.ts";
import { standardSymbols } from "./standard-symbols.ts";

/** One Lisp heap: packages, symbols, runtime and compiler. Nothing of it is shared with another image but immutable singletons. */
export class Image implements CompilerHost, LeafHost {
  readonly packages = new Map<string, LPackage>();
  readonly runtime: Runtime;
  readonly commonLisp: LPackage;
  readonly system: LPackage;
  readonly keywords: LPackage;
  private readonly names = new Map<string, LSymbol>();
  private readonly leaves = new Map<LSymbol, LeafEntry>();
  private readonly specials = new Map<LSymbol, SpecialOperator>();
  private readonly packageVariable: LSymbol;
  private readonly signaller: LSymbol;
  /** The last number given out. */
  serial = 0;
  /** Reads the text of a type specifier or lambda list in COMMON-LISP. */
  private readonly typeTexts = new Map<string, LispValue>();
  readText: (text: string) => LispValue = () => NIL;
  /** Functions of the library that are not loaded yet, and how to load them. */
  readonly stubs = new WeakMap<LFunction, () => void>();
  /** Units of the library by name. */
  readonly libraryUnits = new Map<string, LibraryUnit>();
  /** Key of the engine and library this image runs: images with the same key boot to the same heap. */
  buildKey: () => string = () => "unbooted";
  /** Boots another image over the same machine. */
  bootAnother: () => Image = () => {
    throw new TypeError("an image that was not booted cannot boot another");
  };
  /** The definitions made in this image, with their source. */
  readonly journal = new DefinitionJournal();
  nameUses: NameUse[] | null = null;
  /** The library is loaded: from here on COMMON-LISP is locked. */
  booted = false;
  /** Where the form being loaded was read, for definitions. */
  location: SourceLocation | null = null;

  constructor() {
    this.commonLisp = this.addPackage(new LPackage("COMMON-LISP", ["CL"]));
    this.system = this.addPackage(new LPackage("AUTOLITH-SYSTEM", ["SYS"]));
    this.keywords = this.addPackage(new LPackage("KEYWORD", [], true));
    const { commonLisp } = this;
    for (const name of standardSymbols.trim().split(/\s+/))
      commonLisp.external.set(name, new LSymbol(name, commonLisp));
    commonLisp.external.set("NIL", NIL).set("T", T);
    use(this.system, this.commonLisp);
    const user = this.addPackage(new LPackage("COMMON-LISP-USER", ["CL-USER"]));
    use(user, this.commonLisp);
    const autolith = this.addPackage(new LPackage("AUTOLITH", []));
    use(autolith, this.commonLisp);
    // The name of a command there.
    const trace = autolith.internExternalOwn("TRACE");
    autolith.shadowing.add(trace);
    const extensions = this.addPackage(new LPackage("SB-EXT", []));
    use(extensions, this.commonLisp);
    use(user, extensions);
    this.packageVariable = this.symbol("*PACKAGE*");
    this.packageVariable.kind = "special";
    this.packageVariable.value = this.system;
    this.signaller = this.symbol("SYS:SIGNAL-LEAF-ERROR");
    const makeCondition = this.symbol("MAKE-CONDITION");
    this.runtime = new Runtime({
      heapExcess: heapWatch(),
      allowOtherKeys: this.keyword("ALLOW-OTHER-KEYS"),
      signalFunction: () => (symbolFunction(makeCondition) === null ? null : symbolFunction(this.signaller)),
      hostBound: hostBoundError,
      describeError: (error) => this.describeError(error),
    });
    for (const [name, operator] of [...bindingOperators, ...controlOperators]) {
      this.specials.set(this.symbol(name), operator);
    }
  }

  private addPackage(pkg: LPackage): LPackage {
    this.packages.set(pkg.name, pkg);
    return pkg;
  }

  // ---------------------------------------------------------------- symbols

  symbol(name: string): LSymbol {
    let symbol = this.names.get(name);
    if (symbol === undefined) {
      symbol = this.resolve(name);
      this.names.set(name, symbol);
    }
    return symbol;
  }

  private resolve(name: string): LSymbol {
    if (name.startsWith(":")) return this.keywords.intern(name.slice(1));
    const colon = name.indexOf(":");
    if (colon <= 0) return this.commonLisp.internExternal(name);
    const pkg = this.findPackage(name.slice(0, colon));
    if (pkg === null) throw new TypeError(`no package is called ${name.slice(0, colon)} (in ${name})`);
    return pkg.internExternal(name.slice(colon).replace(/^:+/, ""));
  }

  keyword(name: string): LSymbol {
    return this.keywords.intern(name);
  }

  gensym(prefix: string): LSymbol {
    return new LSymbol(`${prefix}${++this.serial}`, null);
  }

  charge(steps: number): void {
    this.runtime.budget -= steps;
  }

  nextSerial(): number {
    return ++this.serial;
  }

  setfCell(symbol: LSymbol): LSymbol {
    symbol.setf ??= new SetfCell(symbol);
    return symbol.setf;
  }

  symbolPackage(symbol: LSymbol): LPackage | null {
    return symbol === NIL || symbol === T ? this.commonLisp : symbol.pkg;
  }

  findPackage(name: string): LPackage | null {
    const current = this.packageVariable?.value;
    const local = current instanceof LPackage ? current.localNicknames.get(name) : undefined;
    const found = local ?? this.packages.get(name);
    if (found !== undefined) return found;
    for (const pkg of this.packages.values()) if (pkg.nicknames.includes(name)) return pkg;
    return null;
  }

  currentPackage(): LPackage {
    const { value } = this.packageVariable;
    return value instanceof LPackage ? value : this.commonLisp;
  }

  // ---------------------------------------------------------------- leaves

  values(...values: readonly LispValue[]): LispValue {
    this.runtime.mv = values.length === 1 ? null : (values as LispValue[]);
    return values[0] ?? NIL;
  }

  /** Symbol with the function cell of a registered name. */
  cell(name: string): LSymbol {
    return name.startsWith("(SETF ") ? this.setfCell(this.symbol(name.slice(6, -1))) : this.symbol(name);
  }

  readonly define: DefineLeaf = (name, lambdaList, code, traits = {}) => {
    const symbol = this.cell(name);
    const shape = leafShape(lambdaList);
    const doc = traits.doc === undefined ? NIL : LString.from(traits.doc);
    const fn = leafFunction(symbol, name, lambdaList, shape, code, doc, this);
    const entry: LeafEntry = { symbol, name, lambdaList, shape, code, traits, fn };
    symbol.fn = fn;
    this.leaves.set(symbol, entry);
  };

  /** Registers an operator that waits for the host: the green thread is suspended until the promise settles. */
  defineWaiting(name: string, lambdaList: string, start: (...args: LispValue[]) => Promise<LispValue>): void {
    this.define(name, lambdaList, () => NIL, { caller: true });
    const { required, optional, rest } = leafShape(lambdaList);
    const cell = this.cell(name);
    cell.fn!.code = (_self: LFunction, ...args: LispValue[]) => {
      if (args.length < required || (!rest && args.length > required + optional)) {
        return this.runtime.trap(wrongArgumentCount({ name: cell, lambdaList }));
      }
      try {
        return this.runtime.wait(start(...args));
      } catch (error) {
        return this.runtime.trap(error);
      }
    };
  }

  leafOf(symbol: LSymbol): LeafEntry | null {
    const entry = this.leaves.get(symbol);
    return entry !== undefined && entry.fn === symbol.fn ? entry : null;
  }

  isStandard(symbol: LSymbol): boolean {
    return this.booted && symbol.pkg === this.commonLisp;
  }

  inlineCall(symbol: LSymbol, count: number): InlineCall | undefined {
    const base = symbol instanceof SetfCell ? symbol.base : symbol;
    // What the system defines is compiled before its methods are known.
    if (base.pkg === this.commonLisp || base.pkg === this.system) return undefined;
    return symbol.fn instanceof GenericFunction ? symbol.fn.inlineCall(count) : undefined;
  }

  /** The leaf registered under that name, even when a Lisp definition has replaced it. */
  registeredLeaf(symbol: LSymbol): LeafEntry | null {
    return this.leaves.get(symbol) ?? null;
  }

  specialOperator(symbol: LSymbol): SpecialOperator | null {
    return this.specials.get(symbol) ?? null;
  }

  instantiate(fn: FunctionNode): LFunction {
    const unit = new Unit(true);
    unit.include(fn);
    return instantiate(unit, this.runtime);
  }

  // ---------------------------------------------------------------- errors

  /** Value of an initarg given as text: types and operations are names, everything else is a string. */
  private initargOf(key: string, text: string): LispValue {
    if (key === "OPERATION") return this.symbol(text);
    if (key !== "EXPECTED-TYPE") return LString.from(text);
    let type = this.typeTexts.get(text);
    if (type === undefined) {
      type = this.readText(text);
      this.typeTexts.set(text, type);
    }
    return type;
  }

  private conditionSymbol(name: string): LSymbol {
    return this.names.get(name) ?? this.symbol(name.replace("AUTOLITH-SYSTEM::", "SYS:"));
  }

  private describeError(error: Pick<LispError, "conditionType" | "initargs">): {
    type: LispValue;
    initargs: LispValue;
  } {
    const initargs: LispValue[] = [];
    for (const [key, value] of error.initargs) {
      initargs.push(this.keyword(key));
      const isList = (key === "FORMAT-ARGUMENTS" || key === "OPERANDS") && Array.isArray(value);
      if (isList) initargs.push(arrayToList(value as LispValue[]));
      else if (value instanceof SetfCell) initargs.push(arrayToList([this.symbol("SETF"), value.base]));
      else if (typeof value !== "string") initargs.push(value);
      else initargs.push(this.initargOf(key, value));
    }
    return {
      type: this.conditionSymbol(error.conditionType),
      initargs: arrayToList(initargs),
    };
  }
}

function use(pkg: LPackage, used: LPackage): void {
  pkg.uses.push(used);
  used.usedBy.push(pkg);
  pkg.changed();
}
