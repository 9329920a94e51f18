import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeExcerpt } from "../../../workers/workspace/change-excerpt.ts";

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

describe("excerpts of changes", () => {
  it("shows the changed lines with three lines around them", () => {
    const before = lines(1, 40);
    const excerpt = changeExcerpt(
      "/f",
      Buffer.from(before),
      Buffer.from(before.replace("line 20\n", "line x\nmore\n")),
    );
    expect(excerpt?.oldText).toBe(lines(17, 23));
    expect(excerpt?.newText).toBe(`${lines(17, 19)}line x\nmore\n${lines(21, 23)}`);
  });

  it("a new file has no text before; nothing changed and long changes have no excerpt", () => {
    expect(changeExcerpt("/f", undefined, Buffer.from("a\n"))).toEqual({
      path: "/f",
      oldText: null,
      newText: "a\n",
    });
    expect(changeExcerpt("/f", Buffer.from("a"), Buffer.from("a"))).toBeUndefined();
    expect(changeExcerpt("/f", Buffer.from("a"), Buffer.alloc(40_000, "b"))).toBeUndefined();
  });

  it("putting the new part in place of the old one gives the new text", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "a", "ü\n", ""), { maxLength: 30 })
      .map((each) => each.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const excerpt = changeExcerpt("/f", Buffer.from(before), Buffer.from(after));
        if (before === after) {
          expect(excerpt).toBeUndefined();
          return;
        }
        // A cut inside a character gives no excerpt; everything else must be a replacement of one place.
        if (excerpt === undefined) return;
        const { oldText, newText } = excerpt;
        const places = Array.from({ length: before.length + 1 }, (_, index) => index);
        const found = places.some(
          (place) =>
            before.startsWith(oldText ?? "", place) &&
            before.slice(0, place) + newText + before.slice(place + (oldText ?? "").length) === after,
        );
        expect(found).toBe(true);
      }),
    );
  });
});
