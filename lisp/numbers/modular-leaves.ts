import type { LeafInstaller } from "../data/leaf.ts";
import type { LispValue } from "../data/value.ts";
import { requireInteger } from "./arithmetic-leaves.ts";
import { add, mul, sub } from "./arithmetic.ts";
import { logAnd } from "./bits.ts";
import { modReal } from "./rounding.ts";

/** Largest modulus for which the halves of a product stay below 2^53. */
const MOST_MODULUS = 2 ** 32;

/** `a * b + c` modulo `m` for safe integers and 0 < m <= 2^32, without long integers on the way. */
function mulAddMod(a: number, b: number, c: number, m: number): number {
  const x = residue(a, m);
  const y = residue(b, m);
  const low = y % 65_536;
  const high = (y - low) / 65_536;
  const product = (((x * high) % m) * 65_536 + x * low) % m;
  return (product + residue(c, m)) % m;
}

function residue(a: number, m: number): number {
  const r = a % m;
  return r < 0 ? r + m : r + 0;
}

/** Residue of `a * b + c` when all are fixnums, else undefined. */
function quick(a: LispValue, b: LispValue, c: LispValue, m: LispValue): number | undefined {
  if (typeof a !== "number" || typeof b !== "number" || typeof c !== "number") return undefined;
  return typeof m === "number" && m > 0 && m <= MOST_MODULUS ? mulAddMod(a, b, c, m) : undefined;
}

/** What `(mod (+ (* a b) c) m)` and `(logand (+ (* a b) c) (1- m))`, m a power of 2, are compiled to. */
export const installModular: LeafInstaller = (define) => {
  define(
    "SYS:%MUL-ADD-MOD",
    "a b c m",
    (a: LispValue, b: LispValue, c: LispValue, m: LispValue) =>
      quick(a, b, c, m) ?? modReal(add(mul(a, b), c), m),
  );
  define(
    "SYS:%MUL-ADD-MASK",
    "a b c m",
    (a: LispValue, b: LispValue, c: LispValue, m: LispValue) =>
      quick(a, b, c, m) ?? logAnd(requireInteger(add(mul(a, b), c)), requireInteger(sub(m, 1))),
  );
};
