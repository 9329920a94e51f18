/** Integers and text in radix 2 to 36. Printing of very long integers is divided into steps so that it can be interrupted. */
import { MAX_INTEGER_BITS } from "./integer-size.ts";
import { type Int, normalize } from "./integers.ts";
import { divisionSteps } from "./long-integers.ts";
import { longOperation } from "../data/long-work.ts";
import { integerTooLarge } from "./number-errors.ts";

/** Integers of at most this many bits are converted in one step of about 10 ms. */
const STEP_BITS = 262_144;

const LONG = 1n << BigInt(STEP_BITS);

/** True for an integer whose text takes several steps. */
export function isLongInteger(a: Int): boolean {
  return typeof a === "bigint" && (a >= LONG || a <= -LONG);
}

/** Text of an integer in a radix from 2 to 36, letters in upper case, without chunking. */
export function integerText(a: Int, radix: number): string {
  const text = a.toString(radix);
  return radix > 10 ? text.toUpperCase() : text;
}

/** True for the radixes whose digits stand for whole bits: conversion is no division. */
function isPowerOfTwo(radix: number): boolean {
  return (radix & (radix - 1)) === 0;
}

/**
 * The text of an integer, made by dividing it by powers of the radix with a doubling number of digits, in steps of less than
 * about 100 ms: it yields after each.
 */
export function* integerTextSteps(value: Int, radix: number): Generator<void, string> {
  if (!isLongInteger(value) || isPowerOfTwo(radix)) return integerText(value, radix);
  const magnitude = BigInt(value < 0 ? -value : value);
  const unit = Math.floor(STEP_BITS / Math.log2(radix));
  const powers = [BigInt(radix) ** BigInt(unit)];
  for (let power = powers[0]! ** 2n; power <= magnitude; power *= power) {
    powers.push(power);
    yield;
  }
  const pieces: string[] = value < 0 ? ["-"] : [];
  yield* pieceSteps({ radix, unit, powers, pieces }, magnitude, powers.length - 1, 0);
  return pieces.join("");
}

/** What the pieces of a long text have in common; `powers[k]` has `unit * 2^k` digits. */
interface TextWork {
  readonly radix: number;
  readonly unit: number;
  readonly powers: readonly bigint[];
  readonly pieces: string[];
}

/** Adds the digits of a value below the square of `powers[k]`, padded with zeros to `width` unless it is the leading part (0). */
function* pieceSteps(work: TextWork, value: bigint, k: number, width: number): Generator<void, void> {
  if (k < 0) {
    work.pieces.push(integerText(value, work.radix).padStart(width, "0"));
    yield;
    return;
  }
  const power = work.powers[k]!;
  if (width === 0 && value < power) return yield* pieceSteps(work, value, k - 1, 0);
  const [high, low] = yield* divisionSteps(value, power);
  yield;
  const lowWidth = work.unit * 2 ** k;
  yield* pieceSteps(work, high, k - 1, width === 0 ? 0 : width - lowWidth);
  yield* pieceSteps(work, low, k - 1, lowWidth);
}

const DIGIT_CHUNK: readonly number[] = Array.from({ length: 37 }, (_, r) =>
  r < 2 ? 0 : Math.floor(Math.log(2 ** 52) / Math.log(r)),
);

/** Digits that are converted in one go. */
const STEP_DIGITS = 65_536;

/** Converting more digits takes steps. */
const LONG_TEXT = 4 * STEP_DIGITS;

/** Refuses more digits than an integer may have. */
function checkDigits(digits: number, radix: number): void {
  const bits = digits * Math.log2(radix);
  if (bits > MAX_INTEGER_BITS + 64) integerTooLarge(Math.round(bits));
}

/** Converts a long string of digits by pieces, which are then joined by twos, yielding after each product. */
function* parseSteps(text: string, radix: number): Generator<void, Int> {
  checkDigits(text.length, radix);
  let values: bigint[] = [];
  for (let end = text.length; end > 0; end -= STEP_DIGITS) {
    values.push(BigInt(parseNow(text.slice(Math.max(0, end - STEP_DIGITS), end), radix)));
    yield;
  }
  for (let power = BigInt(radix) ** BigInt(STEP_DIGITS); values.length > 1; power *= power) {
    const joined: bigint[] = [];
    for (let i = 0; i < values.length; i += 2) {
      const high = values[i + 1];
      joined.push(high === undefined ? values[i]! : high * power + values[i]!);
      yield;
    }
    values = joined;
    if (values.length === 1) break;
  }
  return normalize(values[0]!);
}

/** Value of a non-empty string of digits of a radix from 2 to 36; the caller has checked every digit. */
export function parseDigits(text: string, radix: number): Int {
  if (text.length <= (DIGIT_CHUNK[radix] as number)) return Number.parseInt(text, radix);
  return text.length > LONG_TEXT ? longOperation(() => parseSteps(text, radix)) : parseNow(text, radix);
}

function parseNow(text: string, radix: number): Int {
  if (text.length <= (DIGIT_CHUNK[radix] as number)) return Number.parseInt(text, radix);
  if (radix === 10) return normalize(BigInt(text));
  const prefix = radix === 16 ? "0x" : radix === 8 ? "0o" : radix === 2 ? "0b" : undefined;
  if (prefix !== undefined) return normalize(BigInt(prefix + text));
  return normalize(parseBig(text, radix));
}

function parseBig(text: string, radix: number): bigint {
  const chunk = DIGIT_CHUNK[radix] as number;
  if (text.length <= chunk) return BigInt(Number.parseInt(text, radix));
  const half = text.length >> 1;
  return (
    parseBig(text.slice(0, -half), radix) * BigInt(radix) ** BigInt(half) + parseBig(text.slice(-half), radix)
  );
}
