import { SingleFloat } from "../data/number.ts";
import type { LeafHost } from "../data/leaf.ts";
import { LPackage, LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { DOUBLE, type FloatFormat, SINGLE } from "../numbers/float-bits.ts";

export type PrintCase = "upcase" | "downcase" | "capitalize";

/** The printer variables as they are at the moment, in a form the printer can use. */
export interface PrintSettings {
  escape: boolean;
  readably: boolean;
  base: number;
  radix: boolean;
  printCase: PrintCase;
  gensym: boolean;
  array: boolean;
  circle: boolean;
  pretty: boolean;
  /** Undefined when there is no limit. */
  level: number | undefined;
  length: number | undefined;
  /** Name of the readtable's case mode: UPCASE, DOWNCASE, PRESERVE or INVERT. */
  caseMode: string;
  package: LPackage;
  floatFormat: FloatFormat;
}

/** Reads the printer variables of an image; the symbols are looked up once. */
export class PrintVariables {
  private readonly host: LeafHost;
  private readonly symbols: Record<string, LSymbol>;

  constructor(host: LeafHost) {
    this.host = host;
    const names = [
      "ESCAPE",
      "READABLY",
      "BASE",
      "RADIX",
      "CASE",
      "GENSYM",
      "ARRAY",
      "CIRCLE",
      "PRETTY",
      "LEVEL",
      "LENGTH",
    ];
    this.symbols = Object.fromEntries(names.map((name) => [name, host.symbol(`*PRINT-${name}*`)]));
    this.symbols["READTABLE"] = host.symbol("*READTABLE*");
    this.symbols["FORMAT"] = host.symbol("*READ-DEFAULT-FLOAT-FORMAT*");
  }

  private value(name: string): LispValue {
    return this.symbols[name]!.value;
  }

  private flag(name: string): boolean {
    return this.value(name) !== NIL;
  }

  private limit(name: string): number | undefined {
    const value = this.value(name);
    return typeof value === "number" ? value : undefined;
  }

  /** True when integers are printed in decimal and without radix. */
  plainIntegers(): boolean {
    return this.symbols["BASE"]!.value === 10 && this.symbols["RADIX"]!.value === NIL;
  }

  read(): PrintSettings {
    const readably = this.flag("READABLY");
    const base = this.value("BASE");
    const printCase = this.value("CASE");
    const caseName = printCase instanceof LSymbol ? printCase.name.toLowerCase() : "upcase";
    const table = this.value("READTABLE") as { caseMode?: string };
    return {
      readably,
      escape: readably || this.flag("ESCAPE"),
      base: typeof base === "number" ? base : 10,
      radix: this.flag("RADIX"),
      printCase: caseName === "downcase" || caseName === "capitalize" ? caseName : "upcase",
      gensym: readably || this.flag("GENSYM"),
      array: readably || this.flag("ARRAY"),
      circle: this.flag("CIRCLE"),
      pretty: this.flag("PRETTY"),
      level: readably ? undefined : this.limit("LEVEL"),
      length: readably ? undefined : this.limit("LENGTH"),
      caseMode: table.caseMode ?? "UPCASE",
      package: this.host.currentPackage(),
      floatFormat: isDoubleFormat(this.value("FORMAT")) ? DOUBLE : SINGLE,
    };
  }
}

function isDoubleFormat(value: LispValue): boolean {
  return value instanceof LSymbol && (value.name === "DOUBLE-FLOAT" || value.name === "LONG-FLOAT");
}

/** Default float format of a bare float: used where no image is at hand. */
export function floatFormatOf(value: LispValue): FloatFormat {
  return value instanceof SingleFloat ? SINGLE : DOUBLE;
}
