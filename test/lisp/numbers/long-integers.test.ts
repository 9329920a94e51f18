import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inSteps } from "../../../lisp/data/long-work.ts";
import { gcdInt, lcmInt } from "../../../lisp/numbers/common-divisors.ts";
import { MAX_INTEGER_BITS } from "../../../lisp/numbers/integer-size.ts";
import { integerTextSteps, parseDigits } from "../../../lisp/numbers/integer-text.ts";
import { divideInt, exptInt, type Int, isqrtInt, mulInt, normalize } from "../../../lisp/numbers/integers.ts";
import { divisionSteps, rootSteps } from "../../../lisp/numbers/long-integers.ts";
import { addRational, makeRational } from "../../../lisp/numbers/rationals.ts";

const M = 1_048_576;

/** An integer of exactly so many bits without pattern, the same for the same seed. */
function integerOf(bits: number, seed: number): bigint {
  let state = seed * 2_654_435_761 + 1;
  const words: string[] = [];
  for (let i = 0; i < bits; i += 32) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words.push(state.toString(16).padStart(8, "0"));
  }
  return BigInt.asUintN(bits, BigInt(`0x${words.join("")}`)) | (1n << BigInt(bits - 1));
}

/** The value of a computation and the number of its steps. */
function followed<V>(steps: Iterator<void, V>): { readonly value: V; readonly count: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, count };
  }
}

function valueOf<V>(compute: () => V): V {
  return followed(inSteps(compute)).value;
}

/** Natural numbers of all lengths, often with long runs of equal bits, where quotients are hard to guess. */
const naturals = fc
  .array(
    fc.tuple(fc.bigInt({ min: 0n, max: (1n << 80n) - 1n }), fc.integer({ min: 1, max: 200 }), fc.boolean()),
    {
      maxLength: 8,
    },
  )
  .map((parts) =>
    parts.reduce((value, [bits, run, ones]) => {
      const shifted = (value << 80n) | bits;
      return (shifted << BigInt(run)) | (ones ? (1n << BigInt(run)) - 1n : 0n);
    }, 1n),
  );

describe("division in steps", () => {
  it("is right with steps of every size", () => {
    fc.assert(
      fc.property(naturals, naturals, fc.integer({ min: 3, max: 200 }), (a, b, step) => {
        const { value } = followed(divisionSteps(a, b, step));
        expect(value).toEqual([a / b, a % b]);
        const product = followed(divisionSteps(a * b + (b >> 1n), b, step));
        expect(product.value).toEqual([a, b >> 1n]);
      }),
      { numRuns: 500 },
    );
  });

  it("takes steps for what is long", () => {
    const [a, b] = [integerOf(8 * M, 1), integerOf(4 * M, 2)];
    const { value, count } = followed(divisionSteps(a, b));
    expect(value[0] * b + value[1]).toBe(a);
    expect(count).toBeGreaterThan(6);
    expect(followed(divisionSteps(a, b >> 3_900_000n)).count).toBeGreaterThan(4);
  });

  it.each(["floor", "ceiling", "truncate", "round"] as const)("knows signs (%s)", (mode) => {
    const [a, b] = [integerOf(4.5 * M, 3), integerOf(2 * M, 4)];
    const quotient = normalize(a / b);
    for (const [x, y] of [
      [a, b],
      [-a, b],
      [a, -b],
      [-a, -b],
    ] as const) {
      const [q, r] = valueOf(() => divideInt(mode, x, y));
      expect(BigInt(q) * y + BigInt(r)).toBe(x);
      if (mode === "truncate") expect(q < 0 ? -q : q).toBe(quotient);
      if (mode === "floor") expect(r < 0 === y < 0).toBe(true);
      if (mode === "ceiling") expect(r < 0 !== y < 0).toBe(true);
    }
  });
});

describe("other long operations in steps", () => {
  it("finds roots", () => {
    fc.assert(
      fc.property(naturals, fc.integer({ min: 100, max: 300 }), (root, step) => {
        expect(followed(rootSteps(root * root, step)).value).toBe(root);
        expect(followed(rootSteps(root * root - 1n, step)).value).toBe(root - 1n);
        expect(followed(rootSteps(root * root + 2n * root, step)).value).toBe(root);
      }),
    );
    const root = integerOf(1.5 * M, 5);
    expect(valueOf(() => isqrtInt(root * root))).toBe(root);
  });

  it("finds powers", () => {
    const { value, count } = followed(inSteps(() => exptInt(-7, 900_001)));
    expect(value).toBe((-7n) ** 900_001n);
    expect(count).toBeGreaterThan(10);
  });

  it("finds common divisors and multiples", () => {
    const common = integerOf(100_000, 6);
    const [a, b] = [common * 3n ** 40_000n, common * 2n ** 70_000n];
    expect(valueOf(() => gcdInt(a, -b))).toBe(common);
    expect(valueOf(() => lcmInt(a, b))).toBe(common * 3n ** 40_000n * 2n ** 70_000n);
    const [long, short] = [integerOf(9 * M, 1), integerOf(20_000, 2)];
    expect(valueOf(() => gcdInt(long * short, short))).toBe(short);
  });

  it("adds ratios of long integers", () => {
    const [p, q] = [3n ** 60_000n, 7n ** 40_000n];
    const sum = valueOf(() => addRational(makeRational(1, p), makeRational(2, q)));
    expect(sum).toMatchObject({ num: q + 2n * p, den: p * q });
  });

  it.each([3, 10, 16, 36])("prints and reads in radix %d", (radix) => {
    for (const value of [-integerOf(M, 8), integerOf(0.5 * M, 9) << 70_000n]) {
      const { value: text, count } = followed(integerTextSteps(value, radix));
      expect(text).toBe(value.toString(radix).toUpperCase());
      if (radix !== 16) expect(count).toBeGreaterThan(2);
      const digits = text.replace("-", "");
      expect(valueOf(() => parseDigits(digits, radix))).toBe(value < 0n ? -value : value);
    }
  });

  it("refuses what is longer than the bound", () => {
    const long: Int = 1n << BigInt(MAX_INTEGER_BITS - 1);
    const digits = "1".repeat(6_000_000);
    for (const compute of [
      () => mulInt(long, 2),
      () => exptInt(3, MAX_INTEGER_BITS),
      () => parseDigits(digits, 10),
    ]) {
      expect(() => valueOf(compute)).toThrow(/An integer result would have about/);
    }
  });
});
