/** Readtables: syntax type of each character, macro functions and the case mode. */
import type { LispValue } from "../data/value.ts";

export const CONSTITUENT = 0;
export const WHITESPACE = 1;
export const TERMINATING = 2;
export const NON_TERMINATING = 3;
export const SINGLE_ESCAPE = 4;
export const MULTIPLE_ESCAPE = 5;

/** Syntax type of a character: one of the constants above. */
export type SyntaxType = 0 | 1 | 2 | 3 | 4 | 5;

export type ReadtableCase = "UPCASE" | "DOWNCASE" | "PRESERVE" | "INVERT";

/** Macro characters whose reading is built in. Each is also a Lisp function `SYS:READ-MACRO-<tag>` of stream and character. */
export const BUILTIN_MACROS = [
  "LIST",
  "CLOSE",
  "QUOTE",
  "STRING",
  "COMMENT",
  "BACKQUOTE",
  "COMMA",
  "DISPATCH",
] as const;
export type BuiltinMacro = (typeof BUILTIN_MACROS)[number];

/** Built-in dispatch functions. Each is also a Lisp function `SYS:READ-MACRO-<tag>` of stream, sub-character and argument. */
export const BUILTIN_DISPATCH = [
  "SHARP-CHARACTER",
  "SHARP-FUNCTION",
  "SHARP-VECTOR",
  "SHARP-BITS",
  "SHARP-UNINTERNED",
  "SHARP-EVAL",
  "SHARP-BINARY",
  "SHARP-OCTAL",
  "SHARP-HEXADECIMAL",
  "SHARP-RADIX",
  "SHARP-COMPLEX",
  "SHARP-ARRAY",
  "SHARP-STRUCTURE",
  "SHARP-PATHNAME",
  "SHARP-LABEL",
  "SHARP-REFERENCE",
  "SHARP-PLUS",
  "SHARP-MINUS",
  "SHARP-COMMENT",
  "SHARP-ILLEGAL",
] as const;
export type BuiltinDispatch = (typeof BUILTIN_DISPATCH)[number];

/** What reads after a macro character: a built-in reading, or a Lisp function (designator). */
export type MacroFunction = BuiltinMacro | LispValue;
export type DispatchFunction = BuiltinDispatch | LispValue;

const STANDARD_DISPATCH: Readonly<Record<string, BuiltinDispatch>> = {
  "\\": "SHARP-CHARACTER",
  "'": "SHARP-FUNCTION",
  "(": "SHARP-VECTOR",
  "*": "SHARP-BITS",
  ":": "SHARP-UNINTERNED",
  ".": "SHARP-EVAL",
  B: "SHARP-BINARY",
  O: "SHARP-OCTAL",
  X: "SHARP-HEXADECIMAL",
  R: "SHARP-RADIX",
  C: "SHARP-COMPLEX",
  A: "SHARP-ARRAY",
  S: "SHARP-STRUCTURE",
  P: "SHARP-PATHNAME",
  "=": "SHARP-LABEL",
  "#": "SHARP-REFERENCE",
  "+": "SHARP-PLUS",
  "-": "SHARP-MINUS",
  "|": "SHARP-COMMENT",
  "<": "SHARP-ILLEGAL",
  ")": "SHARP-ILLEGAL",
  " ": "SHARP-ILLEGAL",
  "\t": "SHARP-ILLEGAL",
  "\n": "SHARP-ILLEGAL",
  "\f": "SHARP-ILLEGAL",
  "\r": "SHARP-ILLEGAL",
  "\b": "SHARP-ILLEGAL",
  "\x7f": "SHARP-ILLEGAL",
};

const STANDARD_MACROS: readonly (readonly [string, SyntaxType, BuiltinMacro])[] = [
  ["(", TERMINATING, "LIST"],
  [")", TERMINATING, "CLOSE"],
  ["'", TERMINATING, "QUOTE"],
  ['"', TERMINATING, "STRING"],
  [";", TERMINATING, "COMMENT"],
  ["`", TERMINATING, "BACKQUOTE"],
  [",", TERMINATING, "COMMA"],
  ["#", NON_TERMINATING, "DISPATCH"],
];

/** Dispatch table of a dispatching macro character: upper-case code of the sub-character to its function. */
export type DispatchTable = Map<number, DispatchFunction>;

/** A READTABLE. */
export class Readtable {
  caseMode: ReadtableCase = "UPCASE";
  /** Syntax types of the codes below 256. */
  readonly low = new Uint8Array(256);
  /** Syntax types of higher codes that are not constituents. */
  readonly high = new Map<number, SyntaxType>();
  readonly macros = new Map<number, MacroFunction>();
  readonly dispatch = new Map<number, DispatchTable>();
  /** The standard readtable refuses changes. */
  locked = false;

  /** A fresh readtable with the standard syntax. */
  static standard(): Readtable {
    const table = new Readtable();
    for (const c of "\t\n\f\r ") table.low[c.charCodeAt(0)] = WHITESPACE;
    table.low[92] = SINGLE_ESCAPE;
    table.low[124] = MULTIPLE_ESCAPE;
    for (const [c, syntax, tag] of STANDARD_MACROS) {
      table.low[c.charCodeAt(0)] = syntax;
      table.macros.set(c.charCodeAt(0), tag);
    }
    const sharp: DispatchTable = new Map();
    for (const [c, tag] of Object.entries(STANDARD_DISPATCH)) sharp.set(c.charCodeAt(0), tag);
    table.dispatch.set(35, sharp);
    return table;
  }

  syntax(code: number): SyntaxType {
    return (code < 256 ? this.low[code] : (this.high.get(code) ?? CONSTITUENT)) as SyntaxType;
  }

  setSyntax(code: number, syntax: SyntaxType): void {
    if (code < 256) this.low[code] = syntax;
    else if (syntax === CONSTITUENT) this.high.delete(code);
    else this.high.set(code, syntax);
  }

  /** Makes a character a macro character. */
  setMacro(code: number, fn: MacroFunction, nonTerminating: boolean): void {
    this.setSyntax(code, nonTerminating ? NON_TERMINATING : TERMINATING);
    this.macros.set(code, fn);
    this.dispatch.delete(code);
  }

  /** Makes a character a dispatching macro character with an empty table. */
  makeDispatching(code: number, nonTerminating: boolean): void {
    this.setMacro(code, "DISPATCH", nonTerminating);
    this.dispatch.set(code, new Map());
  }

  /** Dispatch table of a character that dispatches; one that got the function of `#` alone shares the table of `#`. */
  dispatchTable(code: number): DispatchTable | undefined {
    const own = this.dispatch.get(code);
    if (own !== undefined) return own;
    return this.macros.get(code) === "DISPATCH" ? this.dispatch.get(35) : undefined;
  }

  /** Gives a character here the syntax another has in `from` (SET-SYNTAX-FROM-CHAR). */
  setSyntaxFrom(toCode: number, from: Readtable, fromCode: number): void {
    this.setSyntax(toCode, from.syntax(fromCode));
    const macro = from.macros.get(fromCode);
    const table = from.dispatch.get(fromCode);
    const copied = table === undefined ? undefined : new Map(table);
    this.macros.delete(toCode);
    this.dispatch.delete(toCode);
    if (macro !== undefined) this.macros.set(toCode, macro);
    if (copied !== undefined) this.dispatch.set(toCode, copied);
  }

  /** Takes over everything of another readtable. */
  assign(from: Readtable): void {
    this.caseMode = from.caseMode;
    this.low.set(from.low);
    this.high.clear();
    for (const [code, syntax] of from.high) this.high.set(code, syntax);
    this.macros.clear();
    for (const [code, fn] of from.macros) this.macros.set(code, fn);
    this.dispatch.clear();
    for (const [code, table] of from.dispatch) this.dispatch.set(code, new Map(table));
  }

  copy(): Readtable {
    const result = new Readtable();
    result.assign(this);
    return result;
  }
}
