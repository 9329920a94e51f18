import { typeError } from "../data/error.ts";
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
  /**
   * Name of the readtable's case mode: UPCASE, DOWNCASE, PRESERVE or INVERT. What is printed readably is for the standard
   * readtable, so UPCASE then.
   */
  caseMode: string;
  package: LPackage;
  floatFormat: FloatFormat;
  /** Names known to need no escape when the readtable upcases and the base is ten; the printer adds to it. */
  plainNames: Set<string>;
}

/** Reads the printer variables of an image; the symbols are looked up once. */
export class PrintVariables {
  private readonly host: LeafHost;
  private readonly plainNames = new Set<string>();
  private readonly escape: LSymbol;
  private readonly readably: LSymbol;
  private readonly base: LSymbol;
  private readonly radix: LSymbol;
  private readonly letters: LSymbol;
  private readonly gensym: LSymbol;
  private readonly array: LSymbol;
  private readonly circle: LSymbol;
  private readonly pretty: LSymbol;
  private readonly level: LSymbol;
  private readonly length: LSymbol;
  private readonly readtable: LSymbol;
  private readonly floatFormat: LSymbol;

  constructor(host: LeafHost) {
    this.host = host;
    const symbol = (name: string): LSymbol => host.symbol(`*PRINT-${name}*`);
    this.escape = symbol("ESCAPE");
    this.readably = symbol("READABLY");
    this.base = symbol("BASE");
    this.radix = symbol("RADIX");
    this.letters = symbol("CASE");
    this.gensym = symbol("GENSYM");
    this.array = symbol("ARRAY");
    this.circle = symbol("CIRCLE");
    this.pretty = symbol("PRETTY");
    this.level = symbol("LEVEL");
    this.length = symbol("LENGTH");
    this.readtable = host.symbol("*READTABLE*");
    this.floatFormat = host.symbol("*READ-DEFAULT-FLOAT-FORMAT*");
  }

  /** True when integers are printed in decimal and without radix. */
  plainIntegers(): boolean {
    return this.base.value === 10 && this.radix.value === NIL;
  }

  read(): PrintSettings {
    const readably = this.readably.value !== NIL;
    const table = this.readtable.value as { caseMode?: string };
    return {
      readably,
      escape: readably || this.escape.value !== NIL,
      base: checkedBase(this.base.value),
      radix: this.radix.value !== NIL,
      printCase: caseOf(this.letters.value),
      gensym: readably || this.gensym.value !== NIL,
      array: readably || this.array.value !== NIL,
      circle: this.circle.value !== NIL,
      pretty: this.pretty.value !== NIL,
      level: readably ? undefined : limitOf(this.level.value),
      length: readably ? undefined : limitOf(this.length.value),
      caseMode: readably ? "UPCASE" : (table.caseMode ?? "UPCASE"),
      package: this.host.currentPackage(),
      floatFormat: isDoubleFormat(this.floatFormat.value) ? DOUBLE : SINGLE,
      plainNames: this.plainNames,
    };
  }
}

function checkedBase(value: LispValue): number {
  if (typeof value === "number" && value >= 2 && value <= 36) return value;
  throw typeError(value, "(INTEGER 2 36)");
}

function limitOf(value: LispValue): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function caseOf(value: LispValue): PrintCase {
  const name = value instanceof LSymbol ? value.name : "";
  if (name === "DOWNCASE") return "downcase";
  return name === "CAPITALIZE" ? "capitalize" : "upcase";
}

function isDoubleFormat(value: LispValue): boolean {
  return value instanceof LSymbol && (value.name === "DOUBLE-FLOAT" || value.name === "LONG-FLOAT");
}
