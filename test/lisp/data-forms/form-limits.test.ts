import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DataFormError,
  checkFormLimits,
  integer,
  printDataForm,
  readDataForm,
  type DataForm,
} from "../../../lisp/data-forms/index.ts";
import { dataForms } from "./arbitrary-forms.ts";

/** The code of the refusal, or undefined. */
function refusal(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof DataFormError) return error.code;
    throw error;
  }
}

describe("limits of forms", () => {
  it("accept exactly what a reader with the same limits accepts", () => {
    const bounds = fc.record({
      maxDepth: fc.nat(4),
      maxNodes: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(dataForms, bounds, (form, limits) => {
        // Keywords and numbers count as tokens for a reader; those of these forms are shorter than this.
        const reading = { ...limits, maxStringCharacters: 1_000 };
        const read = refusal(() =>
          readDataForm(printDataForm(form), { limits: { ...reading, maxBytes: 1 << 20 } }),
        );
        expect(refusal(() => checkFormLimits(form, reading)) === undefined).toBe(read === undefined);
      }),
    );
  });

  it("name the bound, and end for a list that contains itself", () => {
    const limits = { maxDepth: 3, maxNodes: 10, maxStringCharacters: 5 };
    const circular: DataForm[] = [];
    circular.push(circular);
    expect(() => checkFormLimits(circular, limits)).toThrow("deeper than 3");
    expect(() =>
      checkFormLimits(
        Array.from({ length: 10 }, () => 1),
        limits,
      ),
    ).toThrow("more than 10");
    expect(() => checkFormLimits("😀😀😀😀😀", limits)).not.toThrow();
    expect(() => checkFormLimits("123456", limits)).toThrow("more than 5 characters");
    expect(() => checkFormLimits(integer(10n ** 5000n), limits)).toThrow("more than 4096 digits");
  });
});
