import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedDigits, groupDigits } from "../../../lisp/printer/number-layout.ts";

describe("layout of numbers", () => {
  it.each([
    ["1234567", ",", 3, "1,234,567"],
    ["123", ",", 3, "123"],
    ["1234", ".", 2, "12.34"],
  ])("groups %s", (digits, comma, interval, expected) => {
    expect(groupDigits(digits, comma, interval)).toBe(expected);
  });

  it.each([
    [0.1, 20, "0.10000000000000000000"],
    [0.125, 2, "0.13"],
    [99.95, 1, "100.0"],
    [0, 3, "0.000"],
    [1e15, 0, "1000000000000000."],
    [0.004, 2, "0.00"],
  ])("%d with %d digits", (v, fraction, expected) => {
    const text = fixedDigits(v, false, fraction);
    expect(text.includes(".") ? text : `${text}.`).toBe(expected);
  });

  it("is within half a unit of the last digit", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.integer({ min: 1, max: 10 }),
        (v, fraction) => {
          const text = fixedDigits(v, false, fraction);
          expect(text.split(".")[1]).toHaveLength(fraction);
          expect(Math.abs(Number(text) - v)).toBeLessThanOrEqual(0.5 * 10 ** -fraction + v * 1e-15);
        },
      ),
    );
  });
});
