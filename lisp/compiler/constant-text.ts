import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { LPackage, LSymbol, NIL, SetfCell, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { UnitConstant } from "./emit-unit.ts";

/** A constant that cannot be written to a compiled file. */
export class ConstantError extends Error {
  readonly code = "constant-not-portable";
  override readonly name = "ConstantError";
}

/**
 * Writes constants as JavaScript expressions over the helpers of `ConstantBuilder` (parameter `H`). Symbols go through a table
 * `Y`, so that an uninterned symbol stays one symbol within the file.
 */
export class ConstantWriter {
  private readonly symbols = new Map<LSymbol, number>();

  /** Expression for a value. */
  value(value: LispValue): string {
    if (typeof value === "number") return String(value);
    if (typeof value === "bigint") return `${value}n`;
    if (value === NIL) return "H.nil";
    if (value === T) return "H.t";
    if (value instanceof SetfCell) return `H.setf(${this.symbol(value.base)})`;
    if (value instanceof LSymbol) return this.symbol(value);
    if (value instanceof LString) return `H.string(${JSON.stringify(value.toJS())},${value.base})`;
    if (value instanceof Char) return `H.char(${value.code})`;
    if (value instanceof Cons) return this.list(value);
    if (Array.isArray(value)) return `[${value.map((item: LispValue) => this.value(item)).join(",")}]`;
    if (value instanceof DoubleFloat) return `H.double(${numberText(value.v)})`;
    if (value instanceof SingleFloat) return `H.single(${numberText(value.v)})`;
    if (value instanceof Ratio) return `H.ratio(${this.value(value.num)},${this.value(value.den)})`;
    if (value instanceof Complex) return `H.complex(${this.value(value.re)},${this.value(value.im)})`;
    if (value instanceof LPackage) return `H.pkg(${JSON.stringify(value.name)})`;
    if (value instanceof LArray && value.simple) return this.array(value);
    throw new ConstantError(`a ${value.constructor.name} cannot be a constant of a compiled file`);
  }

  private symbol(symbol: LSymbol): string {
    let index = this.symbols.get(symbol);
    if (index === undefined) {
      index = this.symbols.size;
      this.symbols.set(symbol, index);
    }
    return `Y[${index}]`;
  }

  private list(cons: Cons): string {
    const items: string[] = [];
    let rest: LispValue = cons;
    for (; rest instanceof Cons; rest = rest.cdr) items.push(this.value(rest.car));
    if (rest === NIL) return `H.list([${items.join(",")}])`;
    return `H.list([${items.join(",")}],${this.value(rest)})`;
  }

  private array(array: LArray): string {
    const items = Array.from({ length: array.total }, (_, i) => this.value(array.ref(i)));
    return `H.array([${array.dims.join(",")}],"${array.type}",[${items.join(",")}])`;
  }

  /** Expression for an entry of a unit's constant vector. */
  constant(constant: UnitConstant): string {
    switch (constant.kind) {
      case "value":
        return this.value(constant.value);
      case "callee":
        return `H.callee(${this.value(constant.symbol)})`;
      case "cell":
        return `H.cell(${this.value(constant.form)})`;
      case "leaf":
        return `H.leaf(${JSON.stringify(constant.leaf.name)})`;
      default:
        return `{keys:[${constant.keys.map((key) => this.value(key)).join(",")}],allow:${constant.allow}}`;
    }
  }

  /** The symbol table: statements' text for `Y`, grouped by package to be short. Call it last. */
  table(packageOf: (symbol: LSymbol) => LPackage | null): string {
    const rows = [...this.symbols.keys()].map((symbol) => {
      const pkg = packageOf(symbol);
      return [pkg?.name ?? "", symbol.name] as const;
    });
    const names = [...new Set(rows.map(([pkg]) => pkg))];
    const groups = rows.map(([pkg, name]) => `${names.indexOf(pkg)},${JSON.stringify(name)}`);
    return `H.symbols(${JSON.stringify(names)},[${groups.join(",")}])`;
  }
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return String(value);
}
