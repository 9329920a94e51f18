import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputCharacterLimit } from "../../../../orchestrator/contract/session/input.ts";
import {
  type Composer,
  type Edit,
  composedText,
  edited,
  emptyComposer,
  steppedMenu,
  taken,
  withCompletion,
} from "../../../../cli/terminal/composer/composer.ts";
import { inputCharacters } from "../../../../cli/terminal/composer/input-bound.ts";
import { cursorPlace, inputRows, offsetAt } from "../../../../cli/terminal/composer/input-rows.ts";
import { textWidth } from "../../../../cli/terminal/text/text-width.ts";

function typed(composer: Composer, ...texts: readonly string[]): Composer {
  return texts.reduce(
    (each, text) => edited(each, { type: "insert", text, typed: text.length === 1 }),
    composer,
  );
}

function after(composer: Composer, ...edits: readonly Edit[]): Composer {
  return edits.reduce(edited, composer);
}

/** The text with `|` for the cursor. */
function shown({ buffer: { text, cursor } }: Composer): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const remove = (motion: Extract<Edit, { type: "remove" }>["motion"], keep = true): Edit => ({
  type: "remove",
  motion,
  keep,
});
const move = (motion: Extract<Edit, { type: "move" }>["motion"]): Edit => ({ type: "move", motion });

describe("the composer", () => {
  it("has the bound of the contract", () => {
    expect(inputCharacters).toBe(inputCharacterLimit);
  });

  it("pairs brackets that are typed, and only those", () => {
    expect(shown(typed(emptyComposer, "("))).toBe("(|)");
    expect(shown(typed(emptyComposer, "(", "[", "x", "]", ")"))).toBe("([x])|");
    expect(shown(after(typed(emptyComposer, "("), remove("left", false)))).toBe("|");
    expect(
      shown(after(typed(emptyComposer, "x"), move("start"), { type: "insert", text: "(", typed: true })),
    ).toBe("(|x");
    expect(shown(after(emptyComposer, { type: "paste", text: "f(" }))).toBe("f(|");
  });

  it("moves and kills by words and lines, and yanks what was killed", () => {
    const text = after(emptyComposer, { type: "paste", text: "one two-three\nfour" });
    expect(shown(after(text, remove("word-left"), { type: "yank" }, { type: "yank" }))).toBe(
      "one two-three\nfourfour|",
    );
    expect(shown(after(text, move("start"), move("word-right"), remove("line-end")))).toBe("one|\nfour");
    expect(shown(after(text, move("start"), remove("line-end"), remove("line-end")))).toBe("|four");
    expect(shown(after(text, move("word-left"), move("word-left")))).toBe("one two-|three\nfour");
  });

  it("deletes one grapheme at a time", () => {
    const text = after(emptyComposer, { type: "paste", text: "a漢👨‍👩‍👧e\u0301🇩🇪" });
    const texts = [text];
    for (let count = 0; count < 5; count += 1)
      texts.push(edited(texts.at(-1) ?? text, remove("left", false)));
    expect(texts.map(({ buffer }) => buffer.text)).toEqual([
      "a漢👨‍👩‍👧e\u0301🇩🇪",
      "a漢👨‍👩‍👧e\u0301",
      "a漢👨‍👩‍👧",
      "a漢",
      "a",
      "",
    ]);
  });

  it("keeps a long paste as one piece, and what was sent comes back by recall", () => {
    const paste = "a line\r\n".repeat(10_000);
    const folded = after(emptyComposer, { type: "paste", text: paste });
    expect(folded.buffer.text).toHaveLength(2);
    expect(composedText(folded)).toBe("a line\n".repeat(10_000));
    expect(shown(after(folded, remove("left", false)))).toBe("|");
    const sent = typed(taken(folded), "d", "r", "a", "f", "t");
    const recalled = after(sent, { type: "vertical", by: -1, width: 40 });
    expect(composedText(recalled)).toBe("a line\n".repeat(10_000));
    expect(shown(after(recalled, { type: "vertical", by: 1, width: 40 }))).toBe("draft|");
  });

  it("completes to what candidates have in common, then steps through them and back", () => {
    const candidates = ["/model", "/models"].map((text) => ({ text }));
    const menu = withCompletion(typed(emptyComposer, "/", "m"), { from: 0, to: 2, candidates, omitted: 0 });
    expect(shown(menu)).toBe("/model|");
    const stepped = [steppedMenu(menu, 1), steppedMenu(steppedMenu(menu, 1), 1), steppedMenu(menu, -1)];
    expect(stepped.map(shown)).toEqual(["/model|", "/models|", "/models|"]);
    const single = withCompletion(typed(emptyComposer, "/", "h"), {
      from: 0,
      to: 2,
      candidates: [{ text: "/help" }],
      omitted: 0,
    });
    expect([shown(single), single.menu]).toEqual(["/help|", undefined]);
  });

  it("lays text out in rows that hold all of it, with the cursor where it belongs", () => {
    const anyText = fc
      .string({ unit: "grapheme", maxLength: 80 })
      .map((text) => text.replace(/[\u{F0000}-\u{F0FFF}]/gu, ""));
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 30 }), (text, width) => {
        const rows = inputRows(text, width, new Map());
        for (const { shown: row } of rows) expect(textWidth(row)).toBeLessThanOrEqual(width);
        expect(rows.map(({ from, to }) => text.slice(from, to)).join("")).toBe(text.replaceAll("\n", ""));
        for (let row = 0; row < rows.length; row += 1) {
          const { from = 0 } = rows[row] ?? {};
          expect(cursorPlace(rows, text, from, new Map())).toEqual({ row, column: 0 });
          const at = rows[row];
          if (at !== undefined) expect(offsetAt(at, text, 0, new Map())).toBeGreaterThanOrEqual(from);
        }
      }),
    );
  });
});
