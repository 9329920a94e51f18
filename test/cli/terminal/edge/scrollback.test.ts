import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type KeptEntry, kept, repaintOf, rowsOf } from "../../../../cli/terminal/edge/scrollback.ts";

function entry(widths: readonly number[]): KeptEntry {
  const printed = { entry: { kind: "notice", level: "info", code: "n", text: "x" }, gap: false } as const;
  return { printed, widths };
}

const anyWidths = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 12 });
const anySize = fc.record({
  columns: fc.integer({ min: 1, max: 120 }),
  rows: fc.integer({ min: 1, max: 60 }),
});

describe("what is wrapped again after a change of size", () => {
  it("is every entry of which the terminal still shows a row, and no other", () => {
    fc.assert(
      fc.property(fc.array(anyWidths, { maxLength: 20 }), anyWidths, anySize, (all, live, size) => {
        const entries = all.map(entry);
        const { from, rowsUp } = repaintOf(entries, live, size);
        const rowsFrom = (index: number): number =>
          rowsOf(live, size.columns) +
          entries.slice(index).reduce((sum, { widths }) => sum + rowsOf(widths, size.columns), 0);
        expect(rowsUp).toBe(Math.min(size.rows, rowsFrom(from)) - 1);
        // The entry before is out of sight; the first one is not.
        if (from > 0) expect(rowsFrom(from)).toBeGreaterThanOrEqual(size.rows);
        if (from < entries.length) expect(rowsFrom(from + 1)).toBeLessThan(size.rows);
      }),
    );
  });

  it("is kept within a bound, the latest always", () => {
    const long = kept([], [entry(Array<number>(10_000).fill(1))]);
    expect(long).toHaveLength(1);
    const many = kept(
      [],
      Array.from({ length: 1_000 }, () => entry([1, 2])),
    );
    expect(many).toHaveLength(400);
    expect(kept(many, [entry(Array<number>(3_990).fill(1))])).toHaveLength(6);
  });
});
