/** Pseudo-random numbers by xoshiro128**. */
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { RandomState } from "../data/random-state.ts";
import { roughBits } from "./integer-size.ts";
import { type Int, integerLength, normalize } from "./integers.ts";
import { typeError } from "./number-errors.ts";

/** A state derived from a 32-bit seed. */
export function seededState(seed: number): RandomState {
  const words = new Uint32Array(4);
  let x = seed >>> 0;
  for (let i = 0; i < 4; i++) {
    // splitmix32 spreads the seed over the state.
    x = (x + 0x9e3779b9) >>> 0;
    let z = x;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    words[i] = (z ^ (z >>> 16)) >>> 0;
  }
  return new RandomState(words);
}

/** The next 32 bits. */
function nextWord(state: RandomState): number {
  const s = state.words;
  const [s0, s1, s2, s3] = [s[0] as number, s[1] as number, s[2] as number, s[3] as number];
  const x = Math.imul(s1, 5);
  const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
  const t = s1 << 9;
  const c = s2 ^ s0;
  const d = s3 ^ s1;
  s[1] = s1 ^ c;
  s[0] = s0 ^ d;
  s[2] = c ^ t;
  s[3] = (d << 11) | (d >>> 21);
  return result;
}

/** A double in 0 (inclusive) to 1 (exclusive) with 53 random bits. */
function nextDouble(state: RandomState): number {
  return ((nextWord(state) >>> 5) * 67108864 + (nextWord(state) >>> 6)) / 9007199254740992;
}

/** RANDOM: below a positive integer or float, of its type. */
export function random(limit: unknown, state: RandomState): Int | DoubleFloat | SingleFloat {
  if (typeof limit === "number" && limit > 0) {
    if (limit <= 4294967296) return randomBelow32(limit, state);
    return randomBelowSafe(limit, state);
  }
  if (typeof limit === "bigint" && limit > 0n) return normalize(randomBelowBig(limit, state));
  if (limit instanceof DoubleFloat && limit.v > 0)
    return new DoubleFloat(below(() => nextDouble(state) * limit.v, limit.v));
  if (limit instanceof SingleFloat && limit.v > 0) {
    return new SingleFloat(below(() => Math.fround(((nextWord(state) >>> 8) / 16777216) * limit.v), limit.v));
  }
  return typeError(limit, "(OR (INTEGER 1) (FLOAT (0.0)))");
}

/** Rounding may give the limit itself; draw again then. */
function below(draw: () => number, limit: number): number {
  let r = draw();
  while (r >= limit) r = draw();
  return r;
}

function randomBelow32(limit: number, state: RandomState): number {
  const usable = 4294967296 - (4294967296 % limit);
  let r = nextWord(state);
  while (r >= usable) r = nextWord(state);
  return r % limit;
}

function randomBelowSafe(limit: number, state: RandomState): number {
  const usable = 9007199254740992 - (9007199254740992 % limit);
  let r = nextDouble(state) * 9007199254740992;
  while (r >= usable) r = nextDouble(state) * 9007199254740992;
  return r % limit;
}

/** So many random bits, a multiple of 32. */
function randomBits(bits: number, state: RandomState): bigint {
  const words: string[] = [];
  for (let i = 0; i < bits; i += 32) words.push(nextWord(state).toString(16).padStart(8, "0"));
  return BigInt(`0x${words.join("")}`);
}

function randomBelowBig(limit: bigint, state: RandomState): bigint {
  const bits = integerLength(normalize(limit - 1n));
  for (;;) {
    const r = randomBits(32 * Math.ceil(bits / 32), state) >> BigInt((32 - (bits % 32)) % 32);
    if (r < limit) return r;
  }
}

/** Bits that are drawn at once. */
const STEP_BITS = 1_048_576;

/** True for a limit whose random number is drawn in steps. */
export function isLongLimit(limit: unknown): limit is bigint {
  return typeof limit === "bigint" && limit > 0n && roughBits(limit) > STEP_BITS;
}

/** RANDOM of a long integer in steps. */
export function* randomSteps(limit: bigint, state: RandomState): Generator<void, Int> {
  const bits = integerLength(normalize(limit - 1n));
  for (;;) {
    let r = 0n;
    for (let drawn = 0; drawn < bits; drawn += STEP_BITS) {
      r = (r << BigInt(STEP_BITS)) | randomBits(STEP_BITS, state);
      yield;
    }
    r = BigInt.asUintN(bits, r);
    if (r < limit) return normalize(r);
  }
}
