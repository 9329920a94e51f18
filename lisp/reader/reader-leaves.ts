/** Registers the reader and readtable functions (chapter 23) as leaves. The Lisp side drives them: `library/reader.lisp`. */
import { char, Char } from "../data/character.ts";
import { arrayToList, listToArray } from "../data/cons.ts";
import { simpleError, typeError } from "../data/error.ts";
import { LFunction } from "../data/function.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { NativeStream } from "../streams/native-stream.ts";
import { guarded } from "../streams/stream-access.ts";
import { StringInputStream } from "../streams/string-streams.ts";
import { requireString, bounds } from "../characters/string-leaves.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL, symbolFunction, T } from "../data/symbol.ts";
import { Unfinished } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { digitWeight, upcaseCode } from "../characters/char-case.ts";
import { backquoteSymbols, expandTemplate } from "./backquote.ts";
import { ReaderContext } from "./context.ts";
import { checkParens } from "./parentheses.ts";
import { Reader } from "./reader.ts";
import { type Outcome } from "./frames.ts";
import {
  BUILTIN_DISPATCH,
  BUILTIN_MACROS,
  type BuiltinDispatch,
  type BuiltinMacro,
  type DispatchFunction,
  type MacroFunction,
  NON_TERMINATING,
  Readtable,
  type ReadtableCase,
} from "./readtable.ts";
import { FedSource } from "./source.ts";

/** Numbers by which the Lisp driver knows outcomes. */
const OUTCOME_CODES: Readonly<Record<Exclude<Outcome, "go" | "pause">, number>> = {
  done: 0,
  call: 1,
  none: 2,
  wait: 3,
  end: 4,
};

function requireReader(x: LispValue): Reader {
  if (!(x instanceof Reader)) throw typeError(x, "T");
  return x;
}

const CASES: readonly ReadtableCase[] = ["UPCASE", "DOWNCASE", "PRESERVE", "INVERT"];

function installReading(define: DefineLeaf, host: LeafHost, context: ReaderContext): void {
  const start = (reader: Reader, read: () => Outcome): LispValue => {
    const outcome = guarded(read);
    if (outcome === "pause") throw new Unfinished(() => start(reader, () => reader.run()));
    const code = outcome === "go" ? 0 : OUTCOME_CODES[outcome];
    return host.values(code, code === 0 ? reader.value : reader);
  };
  define(
    "SYS:MAKE-READER",
    "stream &optional parent",
    (stream: LispValue, parent: LispValue = NIL) =>
      new Reader(context, stream instanceof NativeStream ? stream : new FedSource(), stream, {
        parent: parent instanceof Reader ? parent : undefined,
        pauses: true,
      }),
    { doc: "A reader of one object from a stream; PARENT is the reader of the enclosing object or NIL." },
  );
  define(
    "SYS:READER-RUN",
    "reader",
    (x: LispValue) => {
      const reader = requireReader(x);
      return start(reader, () => reader.run());
    },
    { values: true, doc: "Reads on: outcome code, and the object when it is 0." },
  );
  define(
    "SYS:READER-RESUME",
    "reader values",
    (x: LispValue, values: LispValue) => {
      const reader = requireReader(x);
      return start(reader, () => reader.resume(listToArray(values) ?? []));
    },
    { values: true, doc: "Goes on with the list of values of the call that was asked for." },
  );
  define(
    "SYS:READER-RUN-MACRO",
    "reader tag character",
    (x: LispValue, tag: LispValue, c: LispValue) => {
      const reader = requireReader(x);
      const { code } = requireChar(c);
      return start(reader, () => reader.runMacro((tag as LSymbol).name as BuiltinMacro, code));
    },
    { values: true },
  );
  define(
    "SYS:READER-RUN-DISPATCH",
    "reader tag sub-character argument",
    (x: LispValue, tag: LispValue, sub: LispValue, argument: LispValue) => {
      const reader = requireReader(x);
      const number = typeof argument === "number" || typeof argument === "bigint" ? argument : null;
      const { code } = requireChar(sub);
      return start(reader, () => reader.runDispatch((tag as LSymbol).name as BuiltinDispatch, code, number));
    },
    { values: true },
  );
  define(
    "SYS:READER-RUN-DELIMITED",
    "reader character",
    (x: LispValue, c: LispValue) => {
      const reader = requireReader(x);
      const { code } = requireChar(c);
      return start(reader, () => reader.runDelimited(code));
    },
    { values: true },
  );
  define(
    "SYS:MAKE-STRING-READER",
    "string start end",
    (x: LispValue, start: LispValue, end: LispValue) => {
      const string = requireString(x);
      const [from, to] = bounds(start, end, string.length);
      const stream = new StringInputStream(string.slice(from, to), from);
      host.charge(to - from);
      return new Reader(context, stream, stream, { pauses: true });
    },
    { doc: "A reader of one object from a part of a string." },
  );
  define("SYS:READER-POSITION", "reader", (x: LispValue) => {
    const { source } = requireReader(x);
    return source instanceof NativeStream ? (source.position() ?? 0) : 0;
  });
  define("SYS:READER-STREAM", "reader", (x: LispValue) => requireReader(x).stream);
  define("SYS:READER-REQUEST-FUNCTION", "reader", (x: LispValue) => requireReader(x).request?.fn ?? NIL);
  define("SYS:READER-REQUEST-ARGUMENTS", "reader", (x: LispValue) =>
    arrayToList(requireReader(x).request?.args ?? []),
  );
  define("SYS:READER-SUPPRESSED", "reader", (x: LispValue) => bool(requireReader(x).suppress > 0));
  define("SYS:READER-SKIP-WHITESPACE", "reader", (x: LispValue) => {
    const reader = requireReader(x);
    reader.skipOneWhitespace();
    reader.detach();
    return NIL;
  });
  define("SYS:READER-FED-P", "reader", (x: LispValue) => bool(requireReader(x).source instanceof FedSource));
  define("SYS:READER-FEED", "reader character", (x: LispValue, c: LispValue) => {
    const { source } = requireReader(x);
    if (source instanceof FedSource) source.feed(c instanceof Char ? c.code : -1);
    return NIL;
  });
  define("SYS:READER-RETURNED", "reader", (x: LispValue) => {
    const { source } = requireReader(x);
    const code = source instanceof FedSource ? source.takeReturned() : -1;
    return code < 0 ? NIL : char(code);
  });
}

function requireChar(x: LispValue): Char {
  if (!(x instanceof Char)) throw typeError(x, "CHARACTER");
  return x;
}

function requireReadtable(x: LispValue): Readtable {
  if (!(x instanceof Readtable)) throw typeError(x, "READTABLE");
  return x;
}

/** Readtable functions need the current readtable and the Lisp functions of the built-in macros. */
class ReadtableFunctions {
  private readonly host: LeafHost;
  private readonly context: ReaderContext;
  private readonly variable: LSymbol;
  constructor(host: LeafHost, context: ReaderContext) {
    this.host = host;
    this.context = context;
    this.variable = host.symbol("*READTABLE*");
  }

  /** The designated readtable; `undefined` the current one, NIL the standard one. */
  table(designator: LispValue | undefined): Readtable {
    if (designator === NIL) return this.context.standard;
    return requireReadtable(designator ?? this.variable.value);
  }

  writable(designator: LispValue | undefined): Readtable {
    const table = this.table(designator);
    if (table.locked) {
      throw simpleError("SIMPLE-ERROR", "The standard readtable may not be changed.");
    }
    return table;
  }

  /** Function object of a built-in macro, or the function given by the user. */
  functionOf(fn: MacroFunction | DispatchFunction): LispValue {
    if (typeof fn !== "string") return fn;
    const symbol = this.host.symbol(`SYS:READ-MACRO-${fn as string}`);
    return symbolFunction(symbol) ?? symbol;
  }

  /** Entry for a macro character's function: the tag if it is a built-in one. */
  macroEntry(fn: LispValue): MacroFunction {
    const name = builtinName(fn);
    return BUILTIN_MACROS.find((tag) => tag === name) ?? requireFunction(fn);
  }

  /** Entry for a dispatch function: the tag if it is a built-in one. */
  dispatchEntry(fn: LispValue): DispatchFunction {
    const name = builtinName(fn);
    return BUILTIN_DISPATCH.find((tag) => tag === name) ?? requireFunction(fn);
  }
}

function requireFunction(fn: LispValue): LispValue {
  if (fn instanceof LFunction || fn instanceof LSymbol) return fn;
  throw typeError(fn, "(OR FUNCTION SYMBOL)");
}

/** The part after `READ-MACRO-` of the name of a system function or symbol. */
function builtinName(fn: LispValue): string | undefined {
  const name = fn instanceof LFunction ? fn.info.name : fn;
  if (
    !(name instanceof LSymbol) ||
    name.pkg?.name !== "AUTOLITH-SYSTEM" ||
    !name.name.startsWith("READ-MACRO-")
  )
    return undefined;
  return name.name.slice(11);
}

function installMacroCharacters(define: DefineLeaf, host: LeafHost, functions: ReadtableFunctions): void {
  define(
    "GET-MACRO-CHARACTER",
    "char &optional readtable",
    (c: LispValue, table?: LispValue) => {
      const { code } = requireChar(c);
      const readtable = functions.table(table);
      const fn = readtable.macros.get(code);
      if (fn === undefined) return host.values(NIL, NIL);
      return host.values(functions.functionOf(fn), bool(readtable.syntax(code) === NON_TERMINATING));
    },
    { values: true },
  );
  define(
    "SET-MACRO-CHARACTER",
    "char new-function &optional non-terminating-p readtable",
    (c: LispValue, fn: LispValue, nonTerminating: LispValue = NIL, table?: LispValue) => {
      const { code } = requireChar(c);
      functions.writable(table).setMacro(code, functions.macroEntry(fn), nonTerminating !== NIL);
      return T;
    },
  );
  define(
    "MAKE-DISPATCH-MACRO-CHARACTER",
    "char &optional non-terminating-p readtable",
    (c: LispValue, nonTerminating: LispValue = NIL, table?: LispValue) => {
      functions.writable(table).makeDispatching(requireChar(c).code, nonTerminating !== NIL);
      return T;
    },
  );
  const dispatchTable = (table: Readtable, c: Char): Map<number, DispatchFunction> => {
    const found = table.dispatchTable(c.code);
    if (found === undefined) {
      throw simpleError("SIMPLE-ERROR", "~S is not a dispatching macro character.", c);
    }
    return found;
  };
  define(
    "GET-DISPATCH-MACRO-CHARACTER",
    "disp-char sub-char &optional readtable",
    (c: LispValue, sub: LispValue, table?: LispValue) => {
      const { code } = requireChar(sub);
      const fn = dispatchTable(functions.table(table), requireChar(c)).get(upcaseCode(code));
      if (fn === undefined || digitWeight(code, 10) >= 0) return NIL;
      return functions.functionOf(fn);
    },
  );
  define(
    "SET-DISPATCH-MACRO-CHARACTER",
    "disp-char sub-char new-function &optional readtable",
    (c: LispValue, sub: LispValue, fn: LispValue, table?: LispValue) => {
      const { code } = requireChar(sub);
      if (digitWeight(code, 10) >= 0) throw typeError(sub, "(AND CHARACTER (NOT (SATISFIES DIGIT-CHAR-P)))");
      const entries = dispatchTable(functions.writable(table), requireChar(c));
      if (fn === NIL) entries.delete(upcaseCode(code));
      else entries.set(upcaseCode(code), functions.dispatchEntry(fn));
      return T;
    },
  );
}

function installReadtables(define: DefineLeaf, host: LeafHost, functions: ReadtableFunctions): void {
  define("READTABLEP", "object", (x: LispValue) => bool(x instanceof Readtable), { total: true });
  define(
    "COPY-READTABLE",
    "&optional from-readtable to-readtable",
    (from?: LispValue, to: LispValue = NIL) => {
      const source = functions.table(from);
      if (to === NIL) return source.copy();
      const target = functions.writable(to);
      target.assign(source);
      return target;
    },
  );
  define(
    "SET-SYNTAX-FROM-CHAR",
    "to-char from-char &optional to-readtable from-readtable",
    (to: LispValue, from: LispValue, toTable?: LispValue, fromTable: LispValue = NIL) => {
      const target = functions.writable(toTable);
      target.setSyntaxFrom(requireChar(to).code, functions.table(fromTable), requireChar(from).code);
      return T;
    },
  );
  define("READTABLE-CASE", "readtable", (x: LispValue) => host.symbol(`:${requireReadtable(x).caseMode}`));
  define("(SETF READTABLE-CASE)", "mode readtable", (mode: LispValue, x: LispValue) => {
    const table = functions.writable(requireReadtable(x));
    const found =
      mode instanceof LSymbol && mode.pkg?.keywords === true ? CASES.find((c) => c === mode.name) : undefined;
    if (found === undefined) throw typeError(mode, "(MEMBER :UPCASE :DOWNCASE :PRESERVE :INVERT)");
    table.caseMode = found;
    return mode;
  });
}

/** Reader, readtables and backquote. */
/** Where, inside the form at `start` that is not closed, a parenthesis, string or comment is most likely missing its end. */
function unclosedHint(text: string, start: number): LispValue {
  const before = text.slice(0, start).replace(/[^\n]/g, " ");
  const { problems } = checkParens(before + text.slice(start));
  const last = problems.at(-1);
  if (last === undefined) return NIL;
  const [own, margin] = last.message.split("; ");
  if (problems.length === 1) return margin === undefined ? NIL : LString.from(margin);
  const place = `line ${last.line}, column ${last.column}`;
  return LString.from(
    own === "is not closed" ? `what begins at ${place} ${last.message}` : `${place}: ${last.message}`,
  );
}

export const installReader: LeafInstaller = (define, host) => {
  define("SYS:%UNCLOSED-HINT", "text start", (text: LispValue, start: LispValue) =>
    unclosedHint((text as LString).toJS(), start as number),
  );
  const context = new ReaderContext(host);
  const functions = new ReadtableFunctions(host, context);
  installReading(define, host, context);
  installMacroCharacters(define, host, functions);
  installReadtables(define, host, functions);
  const symbols = backquoteSymbols(host);
  define(
    "SYS:EXPAND-QUASIQUOTE",
    "form environment",
    (form: LispValue) => expandTemplate(symbols, templateOf(form)),
    {
      doc: "Macro function of SYS:QUASIQUOTE: the form that builds what a backquoted template stands for.",
    },
  );
  symbols.quasiquote.macro = symbolFunction(host.symbol("SYS:EXPAND-QUASIQUOTE"));
};

/** The template of a quasiquote form. */
function templateOf(form: LispValue): LispValue {
  const [, template] = listToArray(form) ?? [];
  return template ?? NIL;
}
