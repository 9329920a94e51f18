/** Array element types: what a specifier is upgraded to, and which values an array of a kind may hold. */
import type { ElementType } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { list, listToArray } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafHost } from "../data/leaf.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { LSymbol, NIL, symbolProperty } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { isInteger } from "../numbers/integers.ts";

/** Kinds of arrays: those with numeric storage or general, and the two kinds of characters. */
export type ArrayKind = ElementType | "character" | "base-char" | "nil";

const INTEGER_KINDS: readonly (readonly [kind: ElementType, low: bigint, high: bigint, specifier: string])[] =
  [
    ["bit", 0n, 1n, "BIT"],
    ["u8", 0n, 0xffn, "(UNSIGNED-BYTE 8)"],
    ["s8", -0x80n, 0x7fn, "(SIGNED-BYTE 8)"],
    ["u16", 0n, 0xffffn, "(UNSIGNED-BYTE 16)"],
    ["s16", -0x8000n, 0x7fffn, "(SIGNED-BYTE 16)"],
    ["u32", 0n, 0xffffffffn, "(UNSIGNED-BYTE 32)"],
    ["s32", -0x80000000n, 0x7fffffffn, "(SIGNED-BYTE 32)"],
    ["fixnum", BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER), "FIXNUM"],
    ["u64", 0n, 0xffffffffffffffffn, "(UNSIGNED-BYTE 64)"],
    ["s64", -0x8000000000000000n, 0x7fffffffffffffffn, "(SIGNED-BYTE 64)"],
  ];

const NAMED_KINDS: Readonly<Record<string, ArrayKind>> = {
  T: "t",
  BIT: "bit",
  FIXNUM: "fixnum",
  "SINGLE-FLOAT": "single",
  "SHORT-FLOAT": "single",
  "DOUBLE-FLOAT": "double",
  "LONG-FLOAT": "double",
  CHARACTER: "character",
  "EXTENDED-CHAR": "character",
  "BASE-CHAR": "base-char",
  "STANDARD-CHAR": "base-char",
};

/** Standard types whose arrays are general. */
const GENERAL_NAMES: ReadonlySet<string> = new Set(
  "NUMBER REAL RATIONAL INTEGER FLOAT COMPLEX RATIO BIGNUM UNSIGNED-BYTE SIGNED-BYTE SYMBOL KEYWORD LIST CONS FUNCTION STRING ARRAY VECTOR ATOM SEQUENCE HASH-TABLE PACKAGE PATHNAME STREAM STANDARD-OBJECT STRUCTURE-OBJECT BOOLEAN".split(
    " ",
  ),
);

function integerKind(low: bigint | null, high: bigint | null): ArrayKind {
  if (low === null || high === null) return "t";
  return INTEGER_KINDS.find(([, min, max]) => low >= min && high <= max)?.[0] ?? "t";
}

/** Bound of an INTEGER type: `*`, n or (n); `step` moves an exclusive bound inside. */
function bound(x: LispValue | undefined, step: bigint): bigint | null | undefined {
  if (x === undefined || (x instanceof LSymbol && x.name === "*")) return null;
  if (isInteger(x)) return BigInt(x);
  const inner = listToArray(x)?.[0];
  return isInteger(inner) ? BigInt(inner) + step : undefined;
}

function compoundKind(name: string, args: readonly LispValue[]): ArrayKind | undefined {
  const [first, second] = args;
  switch (name) {
    case "UNSIGNED-BYTE":
      return isInteger(first) && first > 0 ? integerKind(0n, (1n << BigInt(first)) - 1n) : "t";
    case "SIGNED-BYTE": {
      if (!isInteger(first) || first <= 0) return "t";
      const half = 1n << (BigInt(first) - 1n);
      return integerKind(-half, half - 1n);
    }
    case "MOD":
      return isInteger(first) && first > 0 ? integerKind(0n, BigInt(first) - 1n) : undefined;
    case "INTEGER": {
      const low = bound(first, 1n);
      const high = bound(second, -1n);
      return low === undefined || high === undefined ? undefined : integerKind(low, high);
    }
    case "SINGLE-FLOAT":
    case "SHORT-FLOAT":
      return "single";
    case "DOUBLE-FLOAT":
    case "LONG-FLOAT":
      return "double";
    default:
      return undefined;
  }
}

/**
 * Kind of array for a standard element type, or one that DEFTYPE defined as a constant abbreviation of such a type;
 * `undefined` when only the type system can tell.
 */
export function standardKind(specifier: LispValue, depth = 0): ArrayKind | undefined {
  if (specifier instanceof LSymbol) {
    const expansion = symbolProperty(specifier, "CONSTANT-EXPANSION");
    if (expansion !== NIL && depth < 16) return standardKind(expansion, depth + 1);
    if (specifier.pkg !== null && specifier.pkg.name !== "COMMON-LISP") return undefined;
    return NAMED_KINDS[specifier.name] ?? (GENERAL_NAMES.has(specifier.name) ? "t" : undefined);
  }
  const parts = listToArray(specifier);
  const head = parts?.[0];
  return head instanceof LSymbol && parts !== null ? compoundKind(head.name, parts.slice(1)) : undefined;
}

/** Element type specifier of a kind, as ARRAY-ELEMENT-TYPE gives it. */
export function specifierOfKind(host: LeafHost, kind: ArrayKind): LispValue {
  const sized = /^([us])(\d+)$/.exec(kind);
  if (sized !== null) {
    return list(host.symbol(sized[1] === "u" ? "UNSIGNED-BYTE" : "SIGNED-BYTE"), Number(sized[2]));
  }
  const names: Readonly<Record<string, string>> = {
    nil: "NIL",
    t: "T",
    bit: "BIT",
    fixnum: "FIXNUM",
    single: "SINGLE-FLOAT",
    double: "DOUBLE-FLOAT",
    character: "CHARACTER",
    "base-char": "BASE-CHAR",
  };
  return host.symbol(names[kind] ?? "T");
}

function fitsInteger(kind: ArrayKind, value: LispValue): boolean {
  if (!isInteger(value)) return false;
  if (kind === "bit") return value === 0 || value === 1;
  if (kind === "u8") return value >= 0 && value <= 255;
  if (kind === "fixnum") return typeof value === "number";
  const entry = INTEGER_KINDS.find(([name]) => name === kind);
  return entry !== undefined && value >= entry[1] && value <= entry[2];
}

/** True when an array of that kind may hold the value. */
function fitsKind(kind: ArrayKind, value: LispValue): boolean {
  switch (kind) {
    case "t":
      return true;
    case "single":
      return value instanceof SingleFloat;
    case "double":
      return value instanceof DoubleFloat;
    case "nil":
      return false;
    case "character":
      return value instanceof Char;
    case "base-char":
      return value instanceof Char;
    default:
      return fitsInteger(kind, value);
  }
}

const TYPE_TEXT: Readonly<Record<string, string>> = {
  single: "SINGLE-FLOAT",
  double: "DOUBLE-FLOAT",
  character: "CHARACTER",
  "base-char": "CHARACTER",
  nil: "NIL",
};

/** Checks that an array of that kind may hold the value. */
export function checkElement(kind: ArrayKind, value: LispValue): void {
  if (fitsKind(kind, value)) return;
  throw typeError(value, TYPE_TEXT[kind] ?? INTEGER_KINDS.find(([name]) => name === kind)?.[3] ?? "T");
}

/** What elements are when nothing says otherwise. */
export function defaultElement(kind: ArrayKind): LispValue {
  switch (kind) {
    case "single":
      return new SingleFloat(0);
    case "double":
      return new DoubleFloat(0);
    default:
      return 0;
  }
}

/** NIL as an element type: vectors of it are strings without elements, other arrays of it are general here. */
export function isEmptyType(specifier: LispValue): boolean {
  return specifier === NIL;
}
