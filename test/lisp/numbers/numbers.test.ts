import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { installArithmetic } from "../../../lisp/numbers/arithmetic-leaves.ts";
import { installBits } from "../../../lisp/numbers/bit-leaves.ts";
import { DOUBLE, SINGLE } from "../../../lisp/numbers/float-bits.ts";
import { gcdInt } from "../../../lisp/numbers/common-divisors.ts";
import { decimalToFloat, shortestDigits } from "../../../lisp/numbers/float-text.ts";
import { installNumberFunctions } from "../../../lisp/numbers/function-leaves.ts";
import {
  addInt,
  integerLength,
  isqrtInt,
  mulInt,
  normalize,
  quotInt,
  remInt,
  subInt,
} from "../../../lisp/numbers/integers.ts";
import { LeafSession } from "../support/leaf-session.ts";

const session = new LeafSession(installArithmetic, installBits, installNumberFunctions);

/** Form and its printed values, as SBCL gives them (differences in the last digit of a root or logarithm are ours). */
const CASES: readonly (readonly [string, string])[] = [
  ["(+)", "0"],
  ["(*)", "1"],
  ["(- 5)", "-5"],
  ["(/ 4)", "1/4"],
  ["(+ 9007199254740991 1)", "9007199254740992"],
  ["(- 9007199254740992 1)", "9007199254740991"],
  ["(* 0 -5)", "0"],
  ["(* 94906267 94906267)", "9007199515875289"],
  ["(/ 6 4)", "3/2"],
  ["(/ 6 -3)", "-2"],
  ["(+ 1/2 1/2)", "1"],
  ["(+ 1/3 0.5)", "0.8333334"],
  ["(+ 1 1.0d0)", "2.0d0"],
  ["(* 1.5 2.0d0)", "3.0d0"],
  ["(floor 7 2)", "3 1"],
  ["(floor -7 2)", "-4 1"],
  ["(ceiling 7 2)", "4 -1"],
  ["(truncate -7 2)", "-3 -1"],
  ["(round 5 2)", "2 1"],
  ["(round 7 2)", "4 -1"],
  ["(round -5 2)", "-2 -1"],
  ["(floor 5/2)", "2 1/2"],
  ["(floor -2.5)", "-3 0.5"],
  ["(ffloor 3.5)", "3.0 0.5"],
  ["(ftruncate -0.5)", "-0.0 -0.5"],
  ["(mod -1 3)", "2"],
  ["(rem -1 3)", "-1"],
  ["(expt 2 100)", "1267650600228229401496703205376"],
  ["(expt 2/3 -2)", "9/4"],
  ["(expt 2 0.5)", "1.4142135"],
  ["(expt 0.0 0)", "1.0"],
  ["(expt #c(1 2) 3)", "#C(-11 -2)"],
  ["(expt -8 1/3)", "#C(1.0 1.7320508)"],
  ["(sqrt -4)", "#C(0.0 2.0)"],
  ["(sqrt 16)", "4.0"],
  ["(log 8 2)", "3.0"],
  ["(log -1)", "#C(0.0 3.1415927)"],
  ["(asin 2)", "#C(1.5707964 -1.316958)"],
  ["(atan 1 0)", "1.5707964"],
  ["(exp 1)", "2.7182817"],
  ["(abs #c(3 4))", "5.0"],
  ["(= 1/3 0.33333334)", "NIL"],
  ["(= 1 1.0 #c(1.0 0.0))", "T"],
  ["(< 1 3/2 2.0)", "T"],
  ["(max 1 2.0)", "2.0"],
  ["(rationalize 0.1)", "1/10"],
  ["(rational 0.1)", "13421773/134217728"],
  ["(float 1/3 1.0d0)", "0.3333333333333333d0"],
  ["(integer-decode-float 1.0d0)", "4503599627370496 -52 1"],
  ["(decode-float -0.75)", "0.75 0 -1.0"],
  ["(scale-float 1.0 10)", "1024.0"],
  ["(logand 12 -6)", "8"],
  ["(logxor 9007199254740991 1)", "9007199254740990"],
  ["(ash -1 -100)", "-1"],
  ["(ash 1 100)", "1267650600228229401496703205376"],
  ["(ldb (byte 4 4) 171)", "10"],
  ["(dpb 5 (byte 4 4) 171)", "91"],
  ["(isqrt 1000000000000000000000000)", "1000000000000"],
  ["(gcd 12 18)", "6"],
  ["(lcm 4 6)", "12"],
];

const ERRORS: readonly (readonly [string, string])[] = [
  ["(/ 1 0)", "<DIVISION-BY-ZERO>"],
  ["(/ 1.0 0)", "<DIVISION-BY-ZERO>"],
  ["(floor 1 0)", "<DIVISION-BY-ZERO>"],
  ["(log 0)", "<DIVISION-BY-ZERO>"],
  ["(expt 0 -1)", "<DIVISION-BY-ZERO>"],
  ["(+ 1 'a)", "<TYPE-ERROR>"],
  ["(< 1 #c(1 2))", "<TYPE-ERROR>"],
  ["(isqrt -1)", "<TYPE-ERROR>"],
  ["(logand 1.0)", "<TYPE-ERROR>"],
  ["(random 0)", "<TYPE-ERROR>"],
  ["(* 1.0e38 1.0e38)", "<FLOATING-POINT-OVERFLOW>"],
  ["(exp 1000.0)", "<FLOATING-POINT-OVERFLOW>"],
  ["(exp -1000.0)", "<FLOATING-POINT-UNDERFLOW>"],
  ["(ash 1 67108864)", "<STORAGE-CONDITION>"],
  ["(expt 3 100000000)", "<STORAGE-CONDITION>"],
];

const big = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n });
const nearSafe = fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n });
const anyInt = fc.oneof(big, nearSafe, fc.bigInt({ min: -10n, max: 10n }));

describe("numbers", () => {
  it.each(CASES)("%s", (form, expected) => {
    expect(session.eval(form)).toBe(expected);
  });

  it.each(ERRORS)("%s signals", (form, expected) => {
    expect(session.eval(form)).toBe(expected);
  });

  it("keeps integers in normal form and exact", () => {
    fc.assert(
      fc.property(anyInt, anyInt, (a, b) => {
        const [x, y] = [normalize(a), normalize(b)];
        expect(addInt(x, y)).toBe(normalize(a + b));
        expect(subInt(x, y)).toBe(normalize(a - b));
        expect(mulInt(x, y)).toBe(normalize(a * b));
        if (b !== 0n) {
          expect(quotInt(x, y)).toBe(normalize(a / b));
          expect(remInt(x, y)).toBe(normalize(a % b));
        }
      }),
    );
  });

  it("finds greatest common divisors of long integers", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 2n ** 1500n }),
        fc.bigInt({ min: 1n, max: 2n ** 1500n }),
        big,
        (a, b, c) => {
          const g = BigInt(gcdInt(normalize(a * c), normalize(b * c)));
          const euclid = (x: bigint, y: bigint): bigint => (y === 0n ? x : euclid(y, x % y));
          const abs = c < 0n ? -c : c;
          expect(g).toBe(euclid(a * abs, b * abs));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("takes integer roots and lengths", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 900n }), (a) => {
        const r = BigInt(isqrtInt(normalize(a)));
        expect(r * r <= a && (r + 1n) * (r + 1n) > a).toBe(true);
        expect(integerLength(normalize(a))).toBe(a === 0n ? 0 : a.toString(2).length);
      }),
    );
  });

  it("prints floats so that they read back, in as few digits as needed", () => {
    fc.assert(
      fc.property(
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (s, d) => {
          for (const [v, format] of [
            [Math.abs(s), SINGLE],
            [Math.abs(d), DOUBLE],
          ] as const) {
            const { digits, exponent } = shortestDigits(v, format);
            expect(decimalToFloat(`0.${digits}e${exponent}`, format)).toBe(v);
            const shorter = digits.slice(0, -1);
            if (shorter.length > 0) expect(decimalToFloat(`0.${shorter}e${exponent}`, format)).not.toBe(v);
          }
        },
      ),
    );
  });
});
