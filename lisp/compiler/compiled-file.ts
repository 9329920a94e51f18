import { LArray, type ElementType, makeStorage } from "../data/array.ts";
import { Char, char } from "../data/character.ts";
import { Cons, arrayToList } from "../data/cons.ts";
import { Box, type FunctionInfo, type LispCode, LFunction } from "../data/function.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { type LPackage, LSymbol, NIL, T, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { SUSPEND } from "../runtime/suspend.ts";
import { ConstantWriter } from "./constant-text.ts";
import { PARAMETERS, Unit, type UnitRuntime } from "./emit-unit.ts";
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
  /** Value of a load-time form. */
  evaluateNow(form: LispValue): LispValue;
}

/** Text of a compiled file: a JavaScript expression for the fast half, and one for the slow versions of its functions. */
export interface CompiledText {
  readonly fast: string;
  readonly slow: string;
}

/** What the expression of the fast half evaluates to. */
interface FastHalf {
  readonly build: (helpers: ConstantBuilder) => {
    readonly K: unknown[];
    readonly I: Record<number, InfoRow>;
  };
  readonly code: (...parameters: unknown[]) => Record<number, LispCode>;
  /** Thunks to call, in order. */
  readonly order: readonly number[];
}

type InfoRow = readonly [name: LispValue, lambdaList: LispValue | string, documentation: LispValue];
type SlowHalf = (...parameters: unknown[]) => Record<number, () => SlowCode>;

/** Collects the thunks of a file and writes them as one unit. */
export class FileWriter {
  private readonly unit = new Unit();
  private readonly order: number[] = [];

  /** Adds a top-level thunk. */
  add(thunk: FunctionNode): void {
    this.unit.include(thunk);
    this.order.push(thunk.id);
  }

  /** Text of the file. Throws ConstantError when a constant cannot be written. */
  write(host: Pick<FileHost, "symbolPackage">, lambdaListText: (list: LispValue) => string): CompiledText {
    const body = this.unit.text();
    const writer = new ConstantWriter();
    const constants = this.unit.constants.map((constant) => writer.constant(constant));
    const infos = this.unit.functions.map((fn) => {
      const list = JSON.stringify(lambdaListText(fn.lambdaList));
      return `${fn.id}:[${writer.value(fn.name)},${list},${writer.value(fn.documentation)}]`;
    });
    const table = writer.table((symbol) => host.symbolPackage(symbol));
    const build = `build(H){const Y=${table};return {K:[${constants.join(",\n")}],I:{${infos.join(",\n")}}}}`;
    const parameters = PARAMETERS.join(",");
    const fast = `({${build},\ncode(${parameters}){"use strict";${body}},order:[${this.order.join(",")}]})`;
    const slow = `(function(${parameters}){"use strict";${this.unit.slowTable()}})`;
    return { fast, slow };
  }
}

/** Loads the fast half of a compiled file into an image and runs its thunks. `slowHalf` gives the other half when it is needed. */
export function runCompiled(
  half: unknown,
  slowHalf: () => unknown,
  host: FileHost,
  run: (thunk: LFunction) => void,
): void {
  const file = half as FastHalf;
  const { runtime } = host;
  const { K, I: rows } = file.build(new ConstantBuilder(host));
  const infos: Record<number, FunctionInfo> = {};
  const frames: Record<number, FrameCode> = {};
  const parameters = (codes: unknown): unknown[] => [
    runtime,
    SUSPEND,
    NIL,
    T,
    UNBOUND,
    [],
    Cons,
    Box,
    LFunction,
    Char,
    runtime.save,
    runtime.trap,
    K,
    frames,
    infos,
    codes,
  ];
  let codes: Record<number, LispCode> = {};
  let slowTable: Record<number, () => SlowCode> | null = null;
  const slow = (id: number): SlowCode => {
    slowTable ??= (slowHalf() as SlowHalf)(...parameters(codes));
    return slowTable[id]!();
  };
  for (const key in rows) {
    const id = Number(key);
    const [name, lambdaList, documentation] = rows[id]!;
    infos[id] = { name, lambdaList, documentation, location: null, leaf: false, source: null };
    frames[id] = new FrameCode(name, () => slow(id));
  }
  codes = file.code(...parameters(codes));
  for (const id of file.order) run(new LFunction(codes[id]!, [], infos[id]!));
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
