import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ansiLine, paletteOf } from "../../../../cli/terminal/text/palette.ts";
import { lineText, lineWidth, span } from "../../../../cli/terminal/text/styled-line.ts";
import { graphemes, textWidth, truncated, truncatedStart } from "../../../../cli/terminal/text/text-width.ts";
import { visibleLine, visibleText } from "../../../../cli/terminal/text/visible-text.ts";
import { wrapColumns, wrapExactly, wrapLine } from "../../../../cli/terminal/text/wrap.ts";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 80 }),
);

describe("text for a terminal", () => {
  it("is wrapped at words for dialogs, and keeps every space where it must be exact", () => {
    const rows = (text: string): readonly string[] => wrapExactly([span(text)], 10).map(lineText);
    expect(rows("git commit --all")).toEqual(["git commit", " --all"]);
    expect(rows("rm  -rf   build")).toEqual(["rm  -rf   ", "build"]);
    expect(rows("abcdefghijklm no")).toEqual(["abcdefghij", "klm no"]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(rows(text).join("")).toBe(text);
      }),
    );
  });

  it("holds no control character but line feeds, and is shown alike when it is shown again", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const visible = visibleText(text);
        // oxlint-disable-next-line no-control-regex
        expect(visible).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
        expect(visibleText(visible)).toBe(visible);
        expect(visibleLine(text)).not.toContain("\n");
      }),
    );
  });

  it("leaves out what programs print to colour and to move, and keeps the last state of a line", () => {
    expect(visibleText("\u001B[31mred\u001B[0m \u001B]0;title\u0007end")).toBe("red end");
    expect(visibleText("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n");
    expect(visibleText("a\tb\u0007\u202Ec")).toBe("a   b␇\uFFFDc");
  });

  it("is wrapped within the width without losing a word", () => {
    fc.assert(
      fc.property(anyText.map(visibleLine), fc.integer({ min: 2, max: 40 }), (text, width) => {
        // There are graphemes of three columns; they cannot be divided.
        fc.pre(graphemes(text).every((grapheme) => textWidth(grapheme) <= width));
        for (const wrap of [wrapLine, wrapColumns, wrapExactly]) {
          const lines = wrap([span(text)], width);
          for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
          expect(lines.map(lineText).join("").replace(/ /g, "")).toBe(text.replace(/ /g, ""));
        }
      }),
    );
  });

  it("is cut at either end to the width", () => {
    fc.assert(
      fc.property(anyText.map(visibleLine), fc.nat(30), (text, width) => {
        expect(textWidth(truncated(text, width))).toBeLessThanOrEqual(Math.max(width, 0));
        expect(textWidth(truncatedStart(text, width))).toBeLessThanOrEqual(Math.max(width, 0));
      }),
    );
  });

  it("has no escape codes with NO_COLOR, and ends its styles where it has them", () => {
    const line = [span("a", { bold: true, ink: "good", link: "https://example.com/a" }), span("b")];
    expect(ansiLine(line, paletteOf({ NO_COLOR: "1" }))).toBe("ab");
    expect(ansiLine(line, paletteOf({}))).toBe(
      "\u001B]8;;https://example.com/a\u001B\\\u001B[1;32ma\u001B[0m\u001B]8;;\u001B\\b",
    );
    const foreign = [
      span("a", { link: "javascript:alert(1)" }),
      span("b", { link: "https://x/\u001B]0;t\u0007" }),
    ];
    expect(ansiLine(foreign, paletteOf({}))).toBe("ab");
  });
});
