import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference } from "../../../../cli/terminal/transcript/diff-hunks.ts";

const anyLines = fc.array(fc.constantFrom("a", "b", "c", "", "x y"), { maxLength: 12 });

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

describe("differences by lines", () => {
  it("lead from one text to the other, and count what they show", () => {
    fc.assert(
      fc.property(anyLines, anyLines, (before, after) => {
        const { hunks, added, removed } = difference(textOf(before), textOf(after));
        const lines = hunks.flat();
        expect(lines.filter(({ mark }) => mark === "+")).toHaveLength(added);
        expect(lines.filter(({ mark }) => mark === "-")).toHaveLength(removed);
        for (const { mark, text, number } of lines)
          expect((mark === "-" ? before : after)[number - 1]).toBe(text);
        const gone = new Set(lines.filter(({ mark }) => mark === "-").map(({ number }) => number));
        const come = new Set(lines.filter(({ mark }) => mark === "+").map(({ number }) => number));
        expect(before.filter((_, index) => !gone.has(index + 1))).toEqual(
          after.filter((_, index) => !come.has(index + 1)),
        );
      }),
    );
  });

  it("are the shortest: equal texts have none, one changed line is one out and one in", () => {
    expect(difference("a\nb\n", "a\nb\n")).toEqual({ hunks: [], added: 0, removed: 0 });
    expect(difference("a\nb\nc\n", "a\nB\nc\n")).toMatchObject({ added: 1, removed: 1 });
    expect(difference(null, "a\n")).toMatchObject({ added: 1, removed: 0 });
  });

  it("stay quick for large texts that have nothing in common", () => {
    const lines = (word: string): string =>
      textOf(Array.from({ length: 5_000 }, (_, index) => `${word} ${index}`));
    expect(difference(lines("old"), lines("new"))).toMatchObject({ added: 5_000, removed: 5_000 });
  });
});
