/** Bit operations on integers in two's complement: logical operations, shifts, counting and byte fields. */
import { MAX_INTEGER_BITS } from "./integer-size.ts";
import { type Int, integerLength, negInt, normalize } from "./integers.ts";
import { integerTooLarge } from "./number-errors.ts";

/** Both operands fit the native 32-bit operators. */
function is32(a: Int, b: Int): boolean {
  return (a as number) === ((a as number) | 0) && (b as number) === ((b as number) | 0);
}

export function logAnd(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    if (is32(a, b)) return a & b;
    if (a >= 0 && b >= 0) {
      // Two 26/32-bit halves of non-negative safe integers.
      const high = Math.floor(a / 4294967296) & Math.floor(b / 4294967296);
      return high * 4294967296 + ((a & b) >>> 0);
    }
  }
  return normalize(BigInt(a) & BigInt(b));
}

export function logIor(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    if (is32(a, b)) return a | b;
    if (a >= 0 && b >= 0) {
      const high = Math.floor(a / 4294967296) | Math.floor(b / 4294967296);
      return high * 4294967296 + ((a | b) >>> 0);
    }
  }
  return normalize(BigInt(a) | BigInt(b));
}

export function logXor(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    if (is32(a, b)) return a ^ b;
    if (a >= 0 && b >= 0) {
      const high = Math.floor(a / 4294967296) ^ Math.floor(b / 4294967296);
      return high * 4294967296 + ((a ^ b) >>> 0);
    }
  }
  return normalize(BigInt(a) ^ BigInt(b));
}

export function logNot(a: Int): Int {
  return typeof a === "number" && a < Number.MAX_SAFE_INTEGER ? -1 - a : normalize(~BigInt(a));
}

/** The sixteen operations of BOOLE, in the order of `BOOLE_NAMES`. */
export const BOOLE_NAMES = [
  "BOOLE-CLR",
  "BOOLE-SET",
  "BOOLE-1",
  "BOOLE-2",
  "BOOLE-C1",
  "BOOLE-C2",
  "BOOLE-AND",
  "BOOLE-IOR",
  "BOOLE-XOR",
  "BOOLE-EQV",
  "BOOLE-NAND",
  "BOOLE-NOR",
  "BOOLE-ANDC1",
  "BOOLE-ANDC2",
  "BOOLE-ORC1",
  "BOOLE-ORC2",
] as const;

type BitOperation = (a: Int, b: Int) => Int;

/** The function for each entry of `BOOLE_NAMES`. */
export const BOOLE_OPERATIONS: readonly BitOperation[] = [
  () => 0,
  () => -1,
  (a) => a,
  (_a, b) => b,
  (a) => logNot(a),
  (_a, b) => logNot(b),
  logAnd,
  logIor,
  logXor,
  (a, b) => logNot(logXor(a, b)),
  (a, b) => logNot(logAnd(a, b)),
  (a, b) => logNot(logIor(a, b)),
  (a, b) => logAnd(logNot(a), b),
  (a, b) => logAnd(a, logNot(b)),
  (a, b) => logIor(logNot(a), b),
  (a, b) => logIor(a, logNot(b)),
];

/** ASH: left for positive counts, right with sign for negative ones. */
export function ash(a: Int, count: Int): Int {
  if (a === 0 || count === 0) return a;
  if (count < 0) return shiftRight(a, count);
  if (typeof count === "bigint") return integerTooLarge(Number(count));
  if (typeof a === "number" && count < 53) {
    const r = a * 2 ** count;
    if (r <= Number.MAX_SAFE_INTEGER && r >= Number.MIN_SAFE_INTEGER) return r;
  }
  const bits = integerLength(a) + count;
  if (bits > MAX_INTEGER_BITS) integerTooLarge(bits);
  return normalize(BigInt(a) << BigInt(count));
}

function shiftRight(a: Int, count: Int): Int {
  if (typeof a === "number") {
    if (count <= -54) return a < 0 ? -1 : 0;
    return Math.floor(a / 2 ** -Number(count));
  }
  if (typeof count === "bigint" || count < -MAX_INTEGER_BITS) return a < 0n ? -1 : 0;
  return normalize(a >> BigInt(-count));
}

function count32(word: number): number {
  let w = word - ((word >>> 1) & 0x55555555);
  w = (w & 0x33333333) + ((w >>> 2) & 0x33333333);
  return Math.imul((w + (w >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** One bits of the hexadecimal digit with a character code. */
function countHexDigit(code: number): number {
  return count32(code < 58 ? code - 48 : code - 87);
}

/** LOGCOUNT: one bits of a non-negative integer, zero bits of a negative one. */
export function logCount(a: Int): number {
  const m = a < 0 ? logNot(a) : a;
  if (typeof m === "number") return count32(m | 0) + count32(Math.floor(m / 4294967296));
  const hex = m.toString(16);
  let total = 0;
  for (let i = 0; i < hex.length; i++) total += countHexDigit(hex.charCodeAt(i));
  return total;
}

/** LOGBITP. The index is not negative. */
export function logBit(index: Int, a: Int): boolean {
  if (typeof a === "number") {
    if (index > 52) return a < 0;
    return Math.floor(a / 2 ** Number(index)) % 2 !== 0;
  }
  if (typeof index === "bigint" || index > MAX_INTEGER_BITS) return a < 0n;
  return ((a >> BigInt(index)) & 1n) === 1n;
}

/** A byte specifier: `size` bits starting at bit `position`. */
export interface ByteField {
  readonly size: Int;
  readonly position: Int;
}

function maskOf(size: Int): Int {
  return typeof size === "number" && size <= 52 ? 2 ** size - 1 : normalize(BigInt(ash(1, size)) - 1n);
}

/** LDB. */
export function loadByte(field: ByteField, a: Int): Int {
  const shifted = ash(a, negInt(field.position));
  if (shifted >= 0 && field.size >= integerLength(shifted)) return shifted;
  return logAnd(shifted, maskOf(field.size));
}

/** MASK-FIELD. */
export function maskField(field: ByteField, a: Int): Int {
  return ash(loadByte(field, a), field.position);
}

/** DPB. */
export function depositByte(value: Int, field: ByteField, a: Int): Int {
  const low = logAnd(value, maskOf(field.size));
  return logXor(a, ash(logXor(loadByte(field, a), low), field.position));
}

/** DEPOSIT-FIELD. */
export function depositField(value: Int, field: ByteField, a: Int): Int {
  return depositByte(loadByte(field, value), field, a);
}
