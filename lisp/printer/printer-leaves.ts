import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import { LStruct } from "../data/instance.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { RandomState } from "../data/random-state.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { DOUBLE, SINGLE } from "../numbers/float-bits.ts";
import { shortestDigits } from "../numbers/float-text.ts";
import { realToFloat } from "../numbers/arithmetic.ts";
import type { NativeStream } from "../streams/native-stream.ts";
import { asStream, guarded, isLispStream, StreamAccess } from "../streams/stream-access.ts";
import type { NewlineKind } from "../streams/layout-operations.ts";
import { type LayoutSettings, PrettyStream } from "../streams/pretty-stream.ts";
import { AtomPrinter } from "./atom-text.ts";
import { PlainPrinter } from "./plain-printer.ts";
import { type PrintSettings, PrintVariables } from "./settings.ts";
import { findShared, reachesAtMost, SharedObjects } from "./shared-objects.ts";

/** Columns assumed for a stream that does not know its width. */
const defaultLineLength = 80;

/** Initial values of the printer variables (section 22.1.1.1). */
function initialValues(host: LeafHost): readonly (readonly [string, LispValue])[] {
  return [
    ["*PRINT-ARRAY*", T],
    ["*PRINT-BASE*", 10],
    ["*PRINT-CASE*", host.symbol(":UPCASE")],
    ["*PRINT-CIRCLE*", NIL],
    ["*PRINT-ESCAPE*", T],
    ["*PRINT-GENSYM*", T],
    ["*PRINT-LENGTH*", NIL],
    ["*PRINT-LEVEL*", NIL],
    ["*PRINT-LINES*", NIL],
    ["*PRINT-MISER-WIDTH*", NIL],
    ["*PRINT-PPRINT-DISPATCH*", NIL],
    ["*PRINT-PRETTY*", T],
    ["*PRINT-RADIX*", NIL],
    ["*PRINT-READABLY*", NIL],
    ["*PRINT-RIGHT-MARGIN*", NIL],
    ["SYS:*PRINT-DEPTH*", 0],
    ["SYS:*CIRCULARITY*", NIL],
    ["SYS:*STANDARD-PPRINT-DISPATCH*", NIL],
  ];
}

const printers = new WeakMap<LeafHost, AtomPrinter>();

/** The atom printer of an image; other chapters add their objects to it. */
export function atomPrinter(host: LeafHost): AtomPrinter {
  let found = printers.get(host);
  if (!found) printers.set(host, (found = new AtomPrinter(host)));
  return found;
}

class Printing {
  private readonly variables: PrintVariables;
  private readonly atoms: AtomPrinter;
  private readonly plain: PlainPrinter;
  private readonly circularity: LSymbol;
  private readonly none: LSymbol;
  private readonly dispatch: LSymbol;
  private readonly standardDispatch: LSymbol;
  private readonly rightMargin: LSymbol;
  readonly depth: LSymbol;

  constructor(host: LeafHost) {
    this.variables = new PrintVariables(host);
    this.atoms = atomPrinter(host);
    const quotes = new Map<LispValue, string>([
      [host.symbol("QUOTE"), "'"],
      [host.symbol("FUNCTION"), "#'"],
      [host.symbol("SYS:QUASIQUOTE"), "`"],
      [host.symbol("SYS:UNQUOTE"), ","],
      [host.symbol("SYS:UNQUOTE-SPLICING"), ",@"],
    ]);
    this.plain = new PlainPrinter(this.atoms, quotes);
    this.circularity = host.symbol("SYS:*CIRCULARITY*");
    this.none = host.symbol(":NONE");
    this.dispatch = host.symbol("*PRINT-PPRINT-DISPATCH*");
    this.standardDispatch = host.symbol("SYS:*STANDARD-PPRINT-DISPATCH*");
    this.rightMargin = host.symbol("*PRINT-RIGHT-MARGIN*");
    this.depth = host.symbol("SYS:*PRINT-DEPTH*");
  }

  settings(): PrintSettings {
    return this.variables.read();
  }

  /** Text of a fixnum, string or character under the usual settings, without reading them all; else undefined. */
  quickText(object: LispValue, escape: boolean): string | undefined {
    if (this.dispatch.value !== this.standardDispatch.value) return undefined;
    if (typeof object === "number") return this.variables.plainIntegers() ? String(object) : undefined;
    if (object instanceof LString) {
      const text = object.toJS();
      if (!escape) return text;
      return needsEscape.test(text) ? undefined : `"${text}"`;
    }
    if (escape) return undefined;
    return object instanceof Char ? String.fromCodePoint(object.code) : undefined;
  }

  atom(object: LispValue, settings = this.settings()): string | undefined {
    if (settings.circle && this.circularity.value instanceof SharedObjects) {
      if (this.circularity.value.state(object) !== NIL) return undefined;
    }
    if (settings.pretty && this.dispatch.value !== this.standardDispatch.value) return undefined;
    return this.atoms.text(object, settings);
  }

  /** The text of an object that needs no Lisp code, or undefined. `stream` says what fits; undefined for a new string. */
  text(object: LispValue, stream: NativeStream | undefined): string | undefined {
    const settings = this.settings();
    const compound = object instanceof Cons || Array.isArray(object) || object instanceof LArray;
    if (!compound) return this.atom(object, settings);
    if (settings.circle && this.circularity.value !== this.none) return undefined;
    if (settings.pretty && !this.mayPrintFlat(stream)) return undefined;
    const depth = typeof this.depth.value === "number" ? this.depth.value : 0;
    const text = this.plain.print(object, settings, depth);
    if (text === undefined || !settings.pretty) return text;
    const { value } = this.rightMargin;
    const margin = typeof value === "number" ? value : (stream?.lineLength() ?? defaultLineLength);
    return (stream?.column() ?? 0) + text.length <= margin && !text.includes("\n") ? text : undefined;
  }

  /** Whether a list that fits on the line may be printed without the pretty printer: not within one of its blocks. */
  private mayPrintFlat(stream: NativeStream | undefined): boolean {
    return !(stream instanceof PrettyStream) && this.dispatch.value === this.standardDispatch.value;
  }
}

/** Characters that have a backslash before them in a string printed for READ. */
const needsEscape = /["\\]/;

function installPlain(define: DefineLeaf, host: LeafHost, access: StreamAccess): void {
  const printing = new Printing(host);
  define("SYS:%PRINT-PLAIN", "object stream", (object: LispValue, designator: LispValue) => {
    const target = access.outputObject(designator);
    if (isLispStream(target)) return NIL;
    const stream = asStream(target);
    const text = printing.text(object, stream);
    if (text === undefined) return NIL;
    guarded(() => stream.writeText(text));
    return T;
  });
  define(
    "SYS:%PRINT-QUICKLY",
    "object stream escape",
    (object: LispValue, designator: LispValue, escape: LispValue) => {
      const text = printing.quickText(object, escape !== NIL);
      if (text === undefined) return NIL;
      const target = access.outputObject(designator);
      if (isLispStream(target)) return NIL;
      const stream = asStream(target);
      guarded(() => stream.writeText(text));
      return T;
    },
  );
  define("SYS:%PLAIN-STRING", "object", (object: LispValue) => {
    const text = printing.text(object, undefined);
    return text === undefined ? NIL : LString.from(text);
  });
  define("SYS:%ATOM-STRING", "object", (object: LispValue) => {
    const text = printing.atom(object);
    return text === undefined ? NIL : LString.from(text);
  });
  define("SYS:%BARE-ATOM-STRING", "object", (object: LispValue) => {
    const text = atomPrinter(host).text(object, printing.settings());
    return text === undefined ? NIL : LString.from(text);
  });
  define("SYS:%IDENTITY-STRING", "object", (object: LispValue) =>
    LString.from(typeof object === "object" ? atomPrinter(host).identities.of(object) : ""),
  );
}

function installSharing(define: DefineLeaf): void {
  define("SYS:%FIND-SHARED", "object", (object: LispValue) => {
    const shared = findShared(object);
    return shared.size === 0 ? NIL : shared;
  });
  define("SYS:%REACHES-AT-MOST", "object limit", (object: LispValue, limit: LispValue) =>
    bool(reachesAtMost(object, limit as number)),
  );
  define("SYS:%MAY-SHARE", "object", (object: LispValue) =>
    bool(
      object instanceof Cons ||
        Array.isArray(object) ||
        object instanceof LArray ||
        object instanceof LStruct,
    ),
  );
  define("SYS:%SHARED-STATE", "table object", (table: LispValue, object: LispValue) =>
    table instanceof SharedObjects ? table.state(object) : NIL,
  );
  define("SYS:%LABEL-SHARED", "table object", (table: LispValue, object: LispValue) =>
    table instanceof SharedObjects ? table.label(object) : NIL,
  );
}

function optionalNumber(value: LispValue): number | undefined {
  return typeof value === "number" ? value : undefined;
}

const newlineKinds: Record<string, NewlineKind> = {
  LINEAR: "linear",
  FILL: "fill",
  MISER: "miser",
  MANDATORY: "mandatory",
};

function asPretty(value: LispValue): PrettyStream {
  if (value instanceof PrettyStream) return value;
  throw typeError(value, "AUTOLITH-SYSTEM::PRETTY-STREAM");
}

function textOf(value: LispValue): string {
  return value instanceof LString ? value.toJS() : "";
}

function installPretty(define: DefineLeaf, access: StreamAccess): void {
  define("SYS:%PRETTY-STREAM-P", "object", (object: LispValue) => bool(object instanceof PrettyStream));
  define(
    "SYS:%MAKE-PRETTY-STREAM",
    "target right-margin miser-width lines",
    (target: LispValue, margin: LispValue, miser: LispValue, lines: LispValue) => {
      const stream = access.output(target);
      const settings: LayoutSettings = {
        rightMargin: optionalNumber(margin) ?? stream.lineLength() ?? defaultLineLength,
        miserWidth: optionalNumber(miser),
        maximumLines: optionalNumber(lines),
      };
      return new PrettyStream(stream, settings);
    },
  );
  define(
    "SYS:%PRETTY-START",
    "stream prefix per-line suffix",
    (stream: LispValue, prefix: LispValue, perLine: LispValue, suffix: LispValue) => {
      guarded(() => asPretty(stream).startBlock(textOf(prefix), perLine !== NIL, textOf(suffix)));
      return NIL;
    },
  );
  define("SYS:%PRETTY-END", "stream", (stream: LispValue) => {
    guarded(() => asPretty(stream).endBlock());
    return NIL;
  });
  define("SYS:%PRETTY-FLUSH", "stream", (stream: LispValue) => {
    guarded(() => asPretty(stream).flush());
    return NIL;
  });
  define("SYS:%PRETTY-NEWLINE", "stream kind", (stream: LispValue, kind: LispValue) => {
    const found = kind instanceof LSymbol ? newlineKinds[kind.name] : undefined;
    if (found === undefined) throw typeError(kind, "(MEMBER :LINEAR :FILL :MISER :MANDATORY)");
    if (stream instanceof PrettyStream) guarded(() => stream.newline(found));
    return NIL;
  });
  define(
    "SYS:%PRETTY-INDENT",
    "stream current amount",
    (stream: LispValue, current: LispValue, amount: LispValue) => {
      if (stream instanceof PrettyStream)
        stream.indent(current === NIL ? "block" : "current", amount as number);
      return NIL;
    },
  );
  define(
    "SYS:%PRETTY-TAB",
    "stream section relative column increment",
    (stream: LispValue, section: LispValue, relative: LispValue, column: LispValue, increment: LispValue) => {
      if (stream instanceof PrettyStream) {
        stream.tab(section !== NIL, relative !== NIL, column as number, increment as number);
      }
      return NIL;
    },
  );
}

function installFloatDigits(define: DefineLeaf, host: LeafHost): void {
  define("SYS:RANDOM-STATE-FROM", "words", (words: LispValue) => {
    const items = listToArray(words) ?? [];
    if (items.length !== 4) throw typeError(words, "(CONS (UNSIGNED-BYTE 32) LIST)");
    return new RandomState(Uint32Array.from(items as number[]));
  });
  define(
    "SYS:FLOAT-DIGIT-STRING",
    "float",
    (x: LispValue) => {
      const single = x instanceof SingleFloat;
      const v = single || x instanceof DoubleFloat ? x.v : realToFloat(x as number, DOUBLE);
      const { digits, exponent } = shortestDigits(Math.abs(v), single ? SINGLE : DOUBLE);
      return host.values(LString.from(digits), exponent);
    },
    { values: true },
  );
}

/** The printer: plain data in one go, and what the printer in Lisp needs. */
export const installPrinter: LeafInstaller = (define, host) => {
  for (const [name, value] of initialValues(host)) {
    const symbol = host.symbol(name);
    symbol.kind = "special";
    symbol.value = value;
  }
  const access = new StreamAccess(host);
  installPlain(define, host, access);
  installSharing(define);
  installPretty(define, access);
  installFloatDigits(define, host);
};
