import type { DataFloat } from "./form.ts";

/** The shortest decimal digits that read back as the same float of the same format, in JavaScript's notation (`0.1`, `1e+21`, `-0`). */
export function floatDigits(float: DataFloat): string {
  return spelled(decimalValue(float));
}

/** The double that the float's shortest digits stand for: 0.1 for the single float written 0.1, whose exact value is 0.10000000149…. */
export function decimalValue(float: DataFloat): number {
  const { value, format } = float;
  if (format === "double" || value === 0) return value;
  for (let precision = 1; precision <= 9; precision++) {
    const rounded = Number(value.toPrecision(precision));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

function spelled(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
