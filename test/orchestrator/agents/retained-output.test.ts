import fc from "fast-check";
import { expect, test } from "vitest";
import { retainedOutput } from "../../../orchestrator/agents/retained-output.ts";

test("an output within the limits stays as it is", () => {
  expect(retainedOutput("one\ntwo", { bytes: 7, lines: 2 })).toBe("one\ntwo");
});

test("what is cut is counted, with the variables that set the limits", () => {
  const cut = retainedOutput("one\ntwo\nthree", { bytes: 100, lines: 2 });
  expect(cut).toMatch(/^one\ntwo\n\[… the first 7 of 13 bytes; at most 100 bytes and 2 lines/);
  expect(cut).toContain("AUTOLITH_TASK_MAX_OUTPUT_LINES");
});

test("no character is cut in two, and nothing beyond the limits is kept", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 8 }),
      (text, bytes, lines) => {
        const [kept = ""] = retainedOutput(text, { bytes, lines }).split("\n[… the first ");
        expect(text.startsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(Math.max(bytes, 0));
        expect(kept.split("\n").length).toBeLessThanOrEqual(lines);
        expect(kept.isWellFormed()).toBe(text.isWellFormed() || kept.isWellFormed());
      },
    ),
  );
});
