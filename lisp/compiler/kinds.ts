import { standardKind } from "../arrays/element-types.ts";
import type { ElementType } from "../data/array.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { LSymbol, NIL, symbolProperty } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** What is known of the values of a variable or a node. Plain data: saved images write it as it is. */
export type Kind = AnyKind | NoKind | FloatKind | IntegerKind | ArrayKind;

interface AnyKind {
  readonly type: "any";
}
/** Of what never has a value; where inference begins. */
interface NoKind {
  readonly type: "none";
}
/** Floats of one format: such variables hold JavaScript numbers. `natural`: never less than 0 (it may be -0 or NaN). */
export interface FloatKind {
  readonly type: "double" | "single";
  readonly natural: boolean;
}
/** Fixnums between two bounds, inclusive. */
export interface IntegerKind {
  readonly type: "integer";
  readonly low: number;
  readonly high: number;
}
/** Simple arrays (no fill pointer, not adjustable, not displaced); general vectors are JavaScript arrays. */
export interface ArrayKind {
  readonly type: "array";
  readonly element: ElementType;
  readonly rank: number;
}

export const ANY: Kind = { type: "any" };
export const NONE: Kind = { type: "none" };
export const DOUBLE: FloatKind = { type: "double", natural: false };
export const SINGLE: FloatKind = { type: "single", natural: false };

/** The largest fixnum. */
export const MOST = Number.MAX_SAFE_INTEGER;
export const FIXNUM: IntegerKind = { type: "integer", low: -MOST, high: MOST };

export function isFloat(kind: Kind): kind is FloatKind {
  return kind.type === "double" || kind.type === "single";
}

/** Integers between the bounds; any number when those are not fixnums. */
export function integerKind(low: number, high: number): Kind {
  return low >= -MOST && high <= MOST ? { type: "integer", low: low + 0, high: high + 0 } : ANY;
}

/** The kind of a constant. */
export function kindOfValue(value: LispValue): Kind {
  if (typeof value === "number") return integerKind(value, value);
  if (value instanceof DoubleFloat) return { type: "double", natural: value.v >= 0 };
  return value instanceof SingleFloat ? { type: "single", natural: value.v >= 0 } : ANY;
}

/** The least kind that holds the values of both. */
export function join(a: Kind, b: Kind): Kind {
  if (a.type === "none") return b;
  if (b.type === "none") return a;
  if (a.type === "integer" && b.type === "integer")
    return { type: "integer", low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
  if (isFloat(a) && isFloat(b) && a.type === b.type) return { type: a.type, natural: a.natural && b.natural };
  return a.type === "array" && sameKind(a, b) ? a : ANY;
}

export function sameKind(a: Kind, b: Kind): boolean {
  return within(a, b) && within(b, a);
}

/** True when every value of `a` is one of `b`. */
export function within(a: Kind, b: Kind): boolean {
  if (b.type === "any" || a.type === "none") return true;
  if (a.type === "integer") return b.type === "integer" && a.low >= b.low && a.high <= b.high;
  if (isFloat(a)) return isFloat(b) && a.type === b.type && (a.natural || !b.natural);
  return a.type === "array" && b.type === "array" && a.element === b.element && a.rank === b.rank;
}

/** The kind with a note when it tells more than a declaration of it. */
export function narrower(declared: Kind, found: Kind): Kind {
  return found.type !== "none" && within(found, declared) ? found : declared;
}

/** Values of the elements of an array. */
export function elementKind(array: ArrayKind): Kind {
  switch (array.element) {
    case "double":
      return DOUBLE;
    case "single":
      return SINGLE;
    case "fixnum":
      return FIXNUM;
    case "bit":
      return { type: "integer", low: 0, high: 1 };
    case "t":
    case "u64":
    case "s64":
      return ANY;
    default: {
      const size = 2 ** Number(array.element.slice(1));
      const low = array.element.startsWith("s") ? -size / 2 : 0;
      return { type: "integer", low, high: low + size - 1 };
    }
  }
}

/** Name of the kind as a type specifier, for errors. */
export function kindText(kind: Kind): string {
  if (isFloat(kind)) {
    const name = `${kind.type.toUpperCase()}-FLOAT`;
    return kind.natural ? `(${name} 0${kind.type === "double" ? "d" : "f"}0)` : name;
  }
  if (kind.type === "integer")
    return sameKind(kind, FIXNUM) ? "FIXNUM" : `(INTEGER ${kind.low} ${kind.high})`;
  if (kind.type !== "array") return "T";
  const sized = /^([us])(\d+)$/.exec(kind.element);
  const names: Readonly<Record<string, string>> = { double: "DOUBLE-FLOAT", single: "SINGLE-FLOAT" };
  const element =
    sized === null
      ? (names[kind.element] ?? kind.element.toUpperCase())
      : `(${sized[1] === "u" ? "UNSIGNED" : "SIGNED"}-BYTE ${sized[2]})`;
  return `(SIMPLE-ARRAY ${element} (${"* ".repeat(kind.rank).trim()}))`;
}

/** Bound of an integer type: `*`, n or (n), which is moved inside by `step`; infinite when it is open, null when it is none. */
function bound(written: LispValue | undefined, step: number): number | null {
  if (written === undefined || isStar(written)) return step * Number.NEGATIVE_INFINITY;
  if (typeof written === "number") return written;
  return written instanceof Cons && typeof written.car === "number" ? written.car + step : null;
}

function isStar(value: LispValue | undefined): boolean {
  return value instanceof LSymbol && value.name === "*";
}

function floatKind(type: "double" | "single", low: LispValue | undefined): Kind {
  const value = low instanceof Cons ? low.car : low;
  const number = value instanceof DoubleFloat || value instanceof SingleFloat ? value.v : value;
  return { type, natural: typeof number === "number" && number >= 0 };
}

function declaredArray(element: LispValue | undefined, dimensions: LispValue | undefined): Kind {
  if (element === undefined || dimensions === undefined || isStar(element) || isStar(dimensions)) return ANY;
  const rank = typeof dimensions === "number" ? dimensions : listToArray(dimensions)?.length;
  return rank === undefined ? ANY : arrayKind(element, rank);
}

/** Simple arrays of an element type, when their storage is known. */
export function arrayKind(element: LispValue, rank: number): Kind {
  const stored = standardKind(element);
  if (stored === undefined) return ANY;
  if (stored === "character" || stored === "base-char" || stored === "nil") return ANY;
  return { type: "array", element: stored, rank };
}

function compoundKind(name: string, args: readonly LispValue[]): Kind {
  const [first, second] = args;
  const size = typeof first === "number" ? first : Number.NaN;
  switch (name) {
    case "DOUBLE-FLOAT":
    case "LONG-FLOAT":
      return floatKind("double", first);
    case "SINGLE-FLOAT":
    case "SHORT-FLOAT":
      return floatKind("single", first);
    case "INTEGER": {
      const low = bound(first, 1);
      const high = bound(second, -1);
      return low === null || high === null ? ANY : integerKind(low, high);
    }
    case "UNSIGNED-BYTE":
      return size <= 53 ? integerKind(0, 2 ** size - 1) : ANY;
    case "SIGNED-BYTE":
      return size <= 53 ? integerKind(-(2 ** (size - 1)), 2 ** (size - 1) - 1) : ANY;
    case "MOD":
      return size > 0 ? integerKind(0, size - 1) : ANY;
    case "SIMPLE-ARRAY":
      return declaredArray(first, second);
    default:
      return ANY;
  }
}

/** What a type specifier tells; `depth` counts expansions of constant abbreviations. */
export function kindOfType(specifier: LispValue, depth = 0): Kind {
  if (specifier instanceof Cons) {
    const [head, ...args] = listToArray(specifier) ?? [];
    return head instanceof LSymbol && isStandard(head) ? compoundKind(head.name, args) : ANY;
  }
  if (!(specifier instanceof LSymbol)) return ANY;
  const expansion = symbolProperty(specifier, "CONSTANT-EXPANSION");
  if (expansion !== NIL) return depth < 16 ? kindOfType(expansion, depth + 1) : ANY;
  if (!isStandard(specifier)) return ANY;
  switch (specifier.name) {
    case "FIXNUM":
      return FIXNUM;
    case "BIT":
      return { type: "integer", low: 0, high: 1 };
    case "SIMPLE-VECTOR":
      return { type: "array", element: "t", rank: 1 };
    case "SIMPLE-BIT-VECTOR":
      return { type: "array", element: "bit", rank: 1 };
    default:
      return compoundKind(specifier.name, []);
  }
}

function isStandard(symbol: LSymbol): boolean {
  return symbol.pkg !== null && symbol.pkg.name === "COMMON-LISP";
}

/** Kinds of the variables that declarations tell something of. */
export function declaredKinds(declarations: readonly LispValue[]): ReadonlyMap<LispValue, Kind> {
  const kinds = new Map<LispValue, Kind>();
  for (const specifier of declarations) {
    if (!(specifier instanceof Cons)) continue;
    const isType = specifier.car instanceof LSymbol && specifier.car.name === "TYPE";
    const rest = isType ? specifier.cdr : specifier;
    if (!(rest instanceof Cons)) continue;
    const kind = kindOfType(rest.car);
    if (kind.type === "any") continue;
    for (const symbol of listToArray(rest.cdr) ?? []) kinds.set(symbol, kind);
  }
  return kinds;
}
