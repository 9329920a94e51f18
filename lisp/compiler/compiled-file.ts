import { LArray, type ElementType, makeStorage } from "../data/array.ts";
import { char } from "../data/character.ts";
import { arrayToList } from "../data/cons.ts";
import { type CodeHolder, type FunctionInfo, type LispCode, LFunction } from "../data/function.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { type LPackage, LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { ConstantWriter } from "./constant-text.ts";
import { PARAMETERS, Unit, type UnitRuntime, unitArguments } from "./emit-unit.ts";
import { FrameCode, type SlowCode } from "./frame-code.ts";
import type { FunctionNode } from "./ir.ts";

/** What loading a compiled file needs of the image. */
export interface FileHost {
  readonly runtime: UnitRuntime;
  findPackage(name: string): LPackage | null;
  /** Code of a leaf by registered name; throws when there is none (the file is stale then). */
  leafCode(name: string): unknown;
  symbolPackage(symbol: LSymbol): LPackage | null;
  setfCell(symbol: LSymbol): LSymbol;
  /** Notes a function whose code is loaded by `load`, when it is called or somebody wants to know more of it. */
  addStub(stub: LFunction, load: () => void): void;
  /** Notes that the code of such a function has been loaded. */
  dropStub(stub: LFunction): void;
  /** Notes a unit, by which the code of functions is found again. */
  addUnit(unit: LibraryUnit): void;
  /** Notes definitions of objects that are made when somebody asks for one of them. */
  defer(definitions: DeferredDefinitions): void;
  /** Value of a load-time form. */
  evaluateNow(form: LispValue): LispValue;
}

/** The part of a file that defines generic functions, methods and classes, run late. */
export interface DeferredDefinitions {
  /** Function cells that get a generic function. */
  readonly generics: readonly LSymbol[];
  /** Names that get a class. */
  readonly classes: readonly LSymbol[];
  /** The thunks, in order; loads their code. */
  readonly thunks: () => readonly LFunction[];
}

/** Text of one unit: a JavaScript expression for the fast half, and one for the slow versions of its functions. */
export interface CompiledText {
  readonly fast: string;
  readonly slow: string;
}

/**
 * Text of a compiled file: what runs when it is loaded, its definitions, which are loaded when one of them is called, and its
 * classes and generic functions, which are made when one of them is asked for.
 */
export interface CompiledFile {
  readonly eager: CompiledText;
  readonly lazy: CompiledText;
  readonly deferred: CompiledText;
}

/** A definition of a file: the function `id` of the lazy unit goes into the cell of `symbol`. */
interface Definition {
  readonly symbol: LSymbol;
  readonly macro: boolean;
  readonly id: number;
  readonly lambdaList: LispValue;
}

/** What the expression of a fast half evaluates to. */
interface FastHalf {
  readonly build: (helpers: ConstantBuilder) => {
    readonly K: unknown[];
    readonly I: Record<number, InfoRow>;
    readonly D: readonly StubRow[];
    readonly G: readonly LSymbol[];
    readonly Z: readonly LSymbol[];
    /** Number of deferred thunks. */
    readonly L: number;
  };
  readonly code: (...parameters: unknown[]) => Record<number, LispCode>;
  /** Thunks to call, in order. */
  readonly order: readonly number[];
}

type InfoRow = readonly [name: LispValue, lambdaList: LispValue | string, documentation: LispValue];
type StubRow = readonly [symbol: LSymbol, macro: 0 | 1, id: number, lambdaList: string];
type SlowHalf = (...parameters: unknown[]) => Record<number, () => SlowCode>;

/** What the head of a file names besides its own constants. */
interface FileNames {
  readonly definitions: readonly Definition[];
  readonly generics: readonly LSymbol[];
  readonly classes: readonly LSymbol[];
  /** Number of deferred thunks. */
  readonly late: number;
}

const noNames: FileNames = { definitions: [], generics: [], classes: [], late: 0 };

/** Collects the top-level thunks of a file. Plain definitions of functions and macros go to a unit of their own. */
export class FileWriter {
  private readonly eager = new Unit(false);
  private readonly lazy = new Unit(false);
  private readonly deferred = new Unit(false);
  private readonly order: number[] = [];
  private readonly deferredOrder: number[] = [];
  private readonly definitions: Definition[] = [];
  private readonly generics: LSymbol[] = [];
  private readonly classes: LSymbol[] = [];

  /** Adds a top-level thunk. */
  add(thunk: FunctionNode): void {
    const definition = definitionOf(thunk);
    if (definition !== null) {
      const { fn, ...rest } = definition;
      this.lazy.include(fn);
      this.definitions.push({ ...rest, id: fn.id });
      return;
    }
    this.eager.include(thunk);
    this.order.push(thunk.id);
  }

  /** Adds a top-level thunk that is run late, with the function cells and class names it has filled. */
  addDeferred(thunk: FunctionNode, generics: readonly LSymbol[], classes: readonly LSymbol[]): void {
    this.deferred.include(thunk);
    this.deferredOrder.push(thunk.id);
    this.generics.push(...generics);
    this.classes.push(...classes);
  }

  /** Text of the file. Throws ConstantError when a constant cannot be written. */
  write(host: Pick<FileHost, "symbolPackage">, lambdaListText: (list: LispValue) => string): CompiledFile {
    const context = { host, lambdaListText };
    const { definitions, generics, classes } = this;
    return {
      eager: unitText(
        this.eager,
        this.order,
        { definitions, generics, classes, late: this.deferredOrder.length },
        context,
      ),
      lazy: unitText(this.lazy, [], noNames, context),
      deferred: unitText(this.deferred, this.deferredOrder, noNames, context),
    };
  }
}

/** Set when the thunk does nothing but define one global function or macro that closes over nothing. */
function definitionOf(thunk: FunctionNode): (Omit<Definition, "id"> & { readonly fn: FunctionNode }) | null {
  const { body } = thunk;
  if (body.op !== "leaf") return null;
  const [name, lambda] = body.args;
  if (name?.op !== "const" || lambda?.op !== "lambda" || !(name.value instanceof LSymbol)) return null;
  if (lambda.fn.free.length > 0) return null;
  const symbol = name.value;
  if (body.leaf.name === "SYS:%DEFUN") {
    return { symbol, macro: false, fn: lambda.fn, lambdaList: lambda.fn.lambdaList };
  }
  const [, , lambdaList, documentation] = body.args;
  if (body.leaf.name !== "SYS:%DEFMACRO" || lambdaList?.op !== "const" || documentation?.op !== "const")
    return null;
  lambda.fn.documentation = documentation.value;
  return { symbol, macro: true, fn: lambda.fn, lambdaList: lambdaList.value };
}

function unitText(
  unit: Unit,
  order: readonly number[],
  names: FileNames,
  context: {
    readonly host: Pick<FileHost, "symbolPackage">;
    readonly lambdaListText: (list: LispValue) => string;
  },
): CompiledText {
  const body = unit.text();
  const writer = new ConstantWriter();
  const constants = unit.constants.map((constant) => writer.constant(constant));
  const infos = unit.functions.map((fn) => {
    const list = JSON.stringify(context.lambdaListText(fn.lambdaList));
    return `${fn.id}:[${writer.value(fn.name)},${list},${writer.value(fn.documentation)}]`;
  });
  const stubs = names.definitions.map(({ symbol, macro, id, lambdaList }) => {
    const list = JSON.stringify(context.lambdaListText(lambdaList));
    return `[${writer.value(symbol)},${macro ? 1 : 0},${id},${list}]`;
  });
  const [generics, classes] = [names.generics, names.classes].map((symbols) =>
    symbols.map((symbol) => writer.value(symbol)).join(","),
  );
  const table = writer.table((symbol) => context.host.symbolPackage(symbol));
  const rows = `K:[${constants.join(",\n")}],I:{${infos.join(",\n")}},D:[${stubs.join(",\n")}],G:[${generics}],Z:[${classes}],L:${names.late}`;
  const parameters = PARAMETERS.join(",");
  return {
    fast: `({build(H){const Y=${table};return {${rows}}},\ncode(${parameters}){"use strict";${body}},order:[${order.join(",")}]})`,
    slow: `(function(${parameters}){"use strict";${unit.slowTable()}})`,
  };
}

/** The two halves of a unit, each evaluated when it is first needed. */
export interface UnitHalves {
  readonly fast: () => unknown;
  readonly slow: () => unknown;
}

/** The units of a file. */
export interface FileHalves {
  readonly eager: UnitHalves;
  readonly lazy: UnitHalves;
  readonly deferred: UnitHalves;
}

/** A unit in an image: code and descriptions of its functions. */
interface LoadedUnit {
  readonly codes: Record<number, LispCode>;
  readonly infos: Record<number, FunctionInfo>;
  readonly stubs: readonly StubRow[];
  readonly generics: readonly LSymbol[];
  readonly classes: readonly LSymbol[];
  readonly late: number;
  readonly order: readonly number[];
}

/** A unit of the library: its code is loaded when it is first asked for, under a name that is the same in every image. */
export class LibraryUnit implements CodeHolder {
  /** `FILE/PART`. */
  readonly name: string;
  private readonly halves: UnitHalves;
  private readonly host: FileHost;
  private loaded: LoadedUnit | null = null;

  constructor(name: string, halves: UnitHalves, host: FileHost) {
    this.name = name;
    this.halves = halves;
    this.host = host;
  }

  code(id: number): LispCode {
    return this.load().codes[id]!;
  }

  /** Description of one of its functions as the library made it. */
  info(id: number): FunctionInfo {
    return this.load().infos[id]!;
  }

  load(): LoadedUnit {
    return (this.loaded ??= loadUnit(this, this.halves, this.host));
  }
}

function loadUnit(unit: LibraryUnit, halves: UnitHalves, host: FileHost): LoadedUnit {
  const file = halves.fast() as FastHalf;
  const { runtime } = host;
  const { K, I: rows, D: stubs, G: generics, Z: classes, L: late } = file.build(new ConstantBuilder(host));
  const infos: Record<number, FunctionInfo> = {};
  const frames: Record<number, FrameCode> = {};
  let codes: Record<number, LispCode> = {};
  let slowTable: Record<number, () => SlowCode> | null = null;
  const slow = (id: number): SlowCode => {
    slowTable ??= (halves.slow() as SlowHalf)(...unitArguments(runtime, K, frames, infos, codes));
    return slowTable[id]!();
  };
  for (const key in rows) {
    const id = Number(key);
    const [name, lambdaList, documentation] = rows[id]!;
    const origin = { unit, id };
    infos[id] = { name, lambdaList, documentation, location: null, leaf: false, source: null, origin };
    frames[id] = new FrameCode(name, () => slow(id));
  }
  codes = file.code(...unitArguments(runtime, K, frames, infos, codes));
  return { codes, infos, stubs, generics, classes, late, order: file.order };
}

/** Loads a compiled file into an image: its definitions as stubs that load the rest when called, then its other forms. */
export function runCompiled(
  name: string,
  halves: FileHalves,
  host: FileHost,
  run: (thunk: LFunction) => void,
): void {
  const [eager, lazy, deferred] = (["eager", "lazy", "deferred"] as const).map((part) => {
    const made = new LibraryUnit(`${name}/${part}`, halves[part], host);
    host.addUnit(made);
    return made;
  }) as [LibraryUnit, LibraryUnit, LibraryUnit];
  const unit = eager.load();
  addStubs(unit.stubs, lazy, host);
  const { generics, classes, late } = unit;
  if (late > 0) host.defer({ generics, classes, thunks: () => thunksOf(deferred.load()) });
  for (const thunk of thunksOf(unit)) run(thunk);
}

/** Puts a function into each function cell that a file fills, which loads the unit with the code when it is called. */
function addStubs(stubs: readonly StubRow[], unit: LibraryUnit, host: FileHost): void {
  const pending = new Map<number, LFunction>();
  const load = (): void => {
    if (pending.size === 0) return;
    const { codes, infos } = unit.load();
    for (const [id, stub] of pending) {
      stub.code = codes[id]!;
      stub.info = { ...infos[id]!, name: stub.info.name, lambdaList: stub.info.lambdaList };
      host.dropStub(stub);
    }
    pending.clear();
  };
  const stubCode = (self: LFunction, ...args: LispValue[]): LispValue => {
    load();
    return (self.code as (...all: LispValue[]) => LispValue)(self, ...args);
  };
  for (const [symbol, macro, id, lambdaList] of stubs) {
    const origin = { unit, id };
    const info = {
      name: symbol,
      lambdaList,
      documentation: NIL,
      location: null,
      leaf: false,
      source: null,
      origin,
    };
    const stub = new LFunction(stubCode, [], info);
    pending.set(id, stub);
    host.addStub(stub, load);
    if (macro === 1) symbol.macro = stub;
    else symbol.macro = null;
    symbol.fn = macro === 1 ? null : stub;
  }
}

function thunksOf({ codes, infos, order }: LoadedUnit): LFunction[] {
  return order.map((id) => new LFunction(codes[id]!, [], infos[id]!));
}

/** The helpers that constant expressions call. */
class ConstantBuilder {
  readonly nil = NIL;
  readonly t = T;
  private readonly host: FileHost;
  constructor(host: FileHost) {
    this.host = host;
  }
  symbols(packages: readonly string[], rows: readonly (number | string)[]): LSymbol[] {
    const found = packages.map((name) => (name === "" ? null : this.pkg(name)));
    const table: LSymbol[] = [];
    for (let i = 0; i < rows.length; i += 2) {
      const pkg = found[rows[i] as number]!;
      const name = rows[i + 1] as string;
      table.push(pkg === null ? new LSymbol(name, null) : pkg.intern(name));
    }
    return table;
  }
  pkg(name: string): LPackage {
    const pkg = this.host.findPackage(name);
    if (pkg === null) throw new TypeError(`a compiled file needs the package ${name}, which does not exist`);
    return pkg;
  }
  string(text: string, base: boolean): LString {
    const string = LString.from(text);
    string.base = base;
    return string;
  }
  char(code: number): LispValue {
    return char(code);
  }
  list(items: readonly LispValue[], tail: LispValue = NIL): LispValue {
    return arrayToList(items, 0, tail);
  }
  double(value: number): LispValue {
    return new DoubleFloat(value);
  }
  single(value: number): LispValue {
    return new SingleFloat(value);
  }
  ratio(num: number | bigint, den: number | bigint): LispValue {
    return new Ratio(num, den);
  }
  complex(re: LispValue, im: LispValue): LispValue {
    return new Complex(re, im);
  }
  array(dims: number[], type: ElementType, items: readonly LispValue[]): LispValue {
    const array = new LArray(dims, type, makeStorage(type, items.length, NIL));
    for (const [i, item] of items.entries()) array.set(i, item);
    return array;
  }
  setf(symbol: LSymbol): LSymbol {
    return this.host.setfCell(symbol);
  }
  callee(symbol: LSymbol): LSymbol {
    this.host.runtime.ensureCallable(symbol);
    return symbol;
  }
  leaf(name: string): unknown {
    return this.host.leafCode(name);
  }
  cell(form: LispValue): { value: LispValue } {
    const { host } = this;
    // Evaluated at the first use, when everything before the form in the file has been loaded.
    return Object.defineProperty({} as { value: LispValue }, "value", {
      configurable: true,
      get: function (this: { value: LispValue }): LispValue {
        const value = host.evaluateNow(form);
        Object.defineProperty(this, "value", { value });
        return value;
      },
    });
  }
}
