/** Integers and text in radix 2 to 36. Printing of very long integers is divided into steps so that it can be interrupted. */
import { MAX_INTEGER_BITS, type Int, integerLength, normalize } from "./integers.ts";
import { integerTooLarge } from "./number-errors.ts";

/** Integers of at most this many bits are converted in one step of about 10 ms. */
const STEP_BITS = 262_144;

const LONG = 1n << BigInt(STEP_BITS);

/** True for an integer whose text takes `IntegerPrinter` several steps. */
export function isLongInteger(a: Int): boolean {
  return typeof a === "bigint" && (a >= LONG || a <= -LONG);
}

/** Text of an integer in a radix from 2 to 36, letters in upper case, without chunking. */
export function integerText(a: Int, radix: number): string {
  const text = a.toString(radix);
  return radix > 10 ? text.toUpperCase() : text;
}

interface Part {
  readonly value: bigint;
  /** Number of digits to pad to, or 0 for the leading part. */
  readonly width: number;
  /** Quotient by the power of `low` digits, once it is known. */
  readonly high?: bigint;
  readonly low?: number;
}

/**
 * Prints an integer by dividing it by powers of the radix with a doubling number of digits. Each `step` does one squaring, one
 * division, one multiplication or one small conversion: about 10 ms for an integer of 1 Mbit, 150 ms for one of 16 Mbit.
 */
export class IntegerPrinter {
  private readonly pieces: string[] = [];
  private readonly work: Part[] = [];
  private readonly radix: number;
  /** Digits of a piece that is converted in one go; power k has that many times 2^k digits. */
  private readonly unit: number;
  private readonly powers: bigint[];

  constructor(value: Int, radix: number) {
    this.radix = radix;
    this.unit = Math.floor(STEP_BITS / Math.log2(radix));
    this.powers = [BigInt(radix) ** BigInt(this.unit)];
    const big = BigInt(value);
    if (big < 0n) this.pieces.push("-");
    this.work.push({ value: big < 0n ? -big : big, width: 0 });
  }

  /** Does one slice of work; true when `text` is ready. */
  step(): boolean {
    const part = this.work.pop();
    if (part === undefined) return true;
    const { value, width, high, low } = part;
    if (high !== undefined && low !== undefined) {
      const power = this.powers[Math.round(Math.log2(low / this.unit))] as bigint;
      this.work.push({ value: value - high * power, width: low });
      this.work.push({ value: high, width: width === 0 ? 0 : width - low });
      return false;
    }
    if (value < (this.powers[0] as bigint)) {
      this.pieces.push(integerText(value, this.radix).padStart(width, "0"));
      return this.work.length === 0;
    }
    this.divide(part);
    return false;
  }

  /** Divides a part by the largest power below it, or makes the next power first. */
  private divide(part: Part): void {
    const { powers, unit } = this;
    let k = powers.length - 1;
    const last = powers[k] as bigint;
    if (part.value >= last && integerLength(normalize(part.value)) >= 2 * integerLength(normalize(last))) {
      powers.push(last * last);
      this.work.push(part);
      return;
    }
    while (k > 0 && part.value < (powers[k] as bigint)) k--;
    this.work.push({ ...part, high: part.value / (powers[k] as bigint), low: unit * 2 ** k });
  }

  /** The complete text; call it after `step` returned true. */
  get text(): string {
    return this.pieces.join("");
  }
}

const DIGIT_CHUNK: readonly number[] = Array.from({ length: 37 }, (_, r) =>
  r < 2 ? 0 : Math.floor(Math.log(2 ** 52) / Math.log(r)),
);

/** Digits that are converted in one go. */
const STEP_DIGITS = 65_536;

/** True when converting that many digits takes long. */
export function isLongText(digits: number): boolean {
  return digits > 4 * STEP_DIGITS;
}

/** Refuses more digits than an integer may have. */
function checkDigits(digits: number, radix: number): void {
  const bits = digits * Math.log2(radix);
  if (bits > MAX_INTEGER_BITS + 64) integerTooLarge(Math.round(bits));
}

/** Converts a long string of digits by pieces, which are then joined by twos, yielding after each product. */
export function* parseSteps(text: string, radix: number): Generator<void, Int> {
  checkDigits(text.length, radix);
  let values: bigint[] = [];
  for (let end = text.length; end > 0; end -= STEP_DIGITS) {
    values.push(BigInt(parseDigits(text.slice(Math.max(0, end - STEP_DIGITS), end), radix)));
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
  checkDigits(text.length, radix);
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
