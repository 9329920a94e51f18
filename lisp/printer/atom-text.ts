import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { LispError } from "../data/error.ts";
import { FuncallableInstance, LFunction } from "../data/function.ts";
import { LHashTable } from "../data/hash-table.ts";
import type { LeafHost } from "../data/leaf.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { RandomState } from "../data/random-state.ts";
import { LStream } from "../data/stream.ts";
import { LString } from "../data/string.ts";
import { LPackage, LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { nameOfCode } from "../characters/char-names.ts";
import { DOUBLE, SINGLE } from "../numbers/float-bits.ts";
import { formatFloat } from "../numbers/float-text.ts";
import { integerText, isLongInteger } from "../numbers/integer-text.ts";
import { NativeStream } from "../streams/native-stream.ts";
import type { PrintSettings } from "./settings.ts";
import { symbolText } from "./symbol-text.ts";

/** Numbers objects that are printed unreadably, so that the same object shows the same number. */
class Identities {
  private readonly numbers = new WeakMap<object, number>();
  private next = 1;

  of(object: object): string {
    let number = this.numbers.get(object);
    if (number === undefined) this.numbers.set(object, (number = this.next++));
    return `{${number.toString(16).toUpperCase().padStart(4, "0")}}`;
  }
}

const radixPrefix: Record<number, string> = { 2: "#b", 8: "#o", 16: "#x" };

/** What *PRINT-RADIX* puts before a number in a base. */
function prefixOf(base: number): string {
  return radixPrefix[base] ?? `#${base}r`;
}

/** What *PRINT-RADIX* puts before and after the digits of a rational. */
export function radixMarks(
  { base, radix }: PrintSettings,
  ratio: boolean,
): readonly [before: string, after: string] {
  if (!radix) return ["", ""];
  return base === 10 && !ratio ? ["", "."] : [prefixOf(base), ""];
}

/** An integer in *PRINT-BASE*, with *PRINT-RADIX* heeded. */
function integerAtom(value: number | bigint, { base, radix }: PrintSettings): string {
  const text = base === 10 ? String(value) : integerText(value, base);
  if (!radix) return text;
  return base === 10 ? `${text}.` : prefixOf(base) + text;
}

function ratioAtom(value: Ratio, { base, radix }: PrintSettings): string {
  return `${radix ? prefixOf(base) : ""}${integerText(value.num, base)}/${integerText(value.den, base)}`;
}

function floatAtom(value: SingleFloat | DoubleFloat, settings: PrintSettings): string {
  const single = value instanceof SingleFloat;
  const { v } = value;
  if (Number.isFinite(v)) return formatFloat(v, single ? SINGLE : DOUBLE, settings.floatFormat);
  const name = `${single ? "SINGLE" : "DOUBLE"}-FLOAT`;
  if (Number.isNaN(v)) return `#<${name} quiet NaN>`;
  return `#.EXT:${name}-${v > 0 ? "POSITIVE" : "NEGATIVE"}-INFINITY`;
}

function characterAtom(value: Char, { escape }: PrintSettings): string {
  const text = String.fromCodePoint(value.code);
  if (!escape) return text;
  return `#\\${value.code === 32 ? " " : (nameOfCode(value.code) ?? text)}`;
}

function stringAtom(value: LString, { escape }: PrintSettings): string {
  const text = value.toJS();
  if (!escape) return text;
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}

/** The text of `#<…>`; an error when *PRINT-READABLY* asks for text that can be read. */
export function unreadable(object: LispValue, text: string, settings: PrintSettings): string {
  if (settings.readably) throw new LispError("PRINT-NOT-READABLE", [["OBJECT", object]]);
  return `#<${text}>`;
}

/** Prints the objects that hold no other objects to be printed. */
export class AtomPrinter {
  private readonly host: LeafHost;
  readonly identities = new Identities();
  private readonly extensions: ((object: LispValue, settings: PrintSettings) => string | undefined)[] = [];

  constructor(host: LeafHost) {
    this.host = host;
  }

  /** Lets another chapter print its own kinds of objects: pathnames, readtables, streams. */
  addExtension(print: (object: LispValue, settings: PrintSettings) => string | undefined): void {
    this.extensions.push(print);
  }

  /** Text of the object, or undefined when it is no atom of the printer's own. */
  text(object: LispValue, settings: PrintSettings): string | undefined {
    if (typeof object === "number") return integerAtom(object, settings);
    if (typeof object === "bigint") return isLongInteger(object) ? undefined : integerAtom(object, settings);
    if (object instanceof LSymbol) return symbolText(object, settings, this.host);
    if (object instanceof LString) return stringAtom(object, settings);
    if (object instanceof Char) return characterAtom(object, settings);
    if (object instanceof SingleFloat || object instanceof DoubleFloat) return floatAtom(object, settings);
    if (object instanceof Ratio) {
      return isLongInteger(object.num) || isLongInteger(object.den) ? undefined : ratioAtom(object, settings);
    }
    if (object instanceof Complex) {
      const [re, im] = [this.text(object.re, settings), this.text(object.im, settings)];
      return re === undefined || im === undefined ? undefined : `#C(${re} ${im})`;
    }
    if (object instanceof LArray && object.rank === 1 && object.type === "bit" && settings.array)
      return bitVector(object);
    return this.otherText(object, settings);
  }

  private otherText(object: LispValue, settings: PrintSettings): string | undefined {
    for (const print of this.extensions) {
      const found = print(object, settings);
      if (found !== undefined) return found;
    }
    const id = this.identities;
    if (object instanceof FuncallableInstance) return undefined;
    if (object instanceof LFunction)
      return unreadable(object, `FUNCTION ${this.functionName(object, settings)}`, settings);
    if (object instanceof LPackage) {
      return unreadable(
        object,
        `PACKAGE ${stringAtom(LString.from(object.name), { ...settings, escape: true })}`,
        settings,
      );
    }
    if (object instanceof LHashTable) {
      return unreadable(
        object,
        `HASH-TABLE :TEST ${object.test.toUpperCase()} :COUNT ${object.count} ${id.of(object)}`,
        settings,
      );
    }
    if (object instanceof RandomState) return this.randomState(object);
    if (object instanceof LStream)
      return unreadable(object, `${streamName(object)} ${id.of(object)}`, settings);
    return undefined;
  }

  private randomState(state: RandomState): string {
    return `#.(AUTOLITH-SYSTEM:RANDOM-STATE-FROM (QUOTE (${[...state.words].join(" ")})))`;
  }

  /** The lambda list of a function without a name, and its number. */
  private anonymous(fn: LFunction, settings: PrintSettings): string {
    const { lambdaList } = fn.info;
    const id = this.identities.of(fn);
    if (typeof lambdaList === "string") return `(LAMBDA (${lambdaList.toUpperCase()})) ${id}`;
    const parameters = listToArray(lambdaList);
    if (parameters === null) return id;
    const names = parameters.map((parameter) => this.parameterText(parameter, settings));
    return `(LAMBDA (${names.join(" ")})) ${id}`;
  }

  /** A parameter by its name: its default is left out. */
  private parameterText(parameter: LispValue, settings: PrintSettings): string {
    if (parameter instanceof Cons) return this.parameterText(parameter.car, settings);
    return this.text(parameter, settings) ?? "…";
  }

  private functionName(fn: LFunction, settings: PrintSettings): string {
    const escaped = { ...settings, escape: true };
    const { name } = fn.info;
    if (name instanceof LSymbol && name !== NIL) return symbolText(name, escaped, this.host);
    const parts = name instanceof Cons ? listToArray(name) : null;
    if (parts === null || !parts.every((part) => part instanceof LSymbol)) return this.anonymous(fn, escaped);
    return `(${parts.map((part) => symbolText(part, escaped, this.host)).join(" ")})`;
  }
}

function streamName(stream: LStream): string {
  return stream instanceof NativeStream ? stream.lispClass : "STREAM";
}

function bitVector(array: LArray): string {
  let text = "#*";
  for (let i = 0; i < array.length; i++) text += array.ref(i) === 1 ? "1" : "0";
  return text;
}
