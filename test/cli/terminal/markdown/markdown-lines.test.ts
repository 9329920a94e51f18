import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownLines } from "../../../../cli/terminal/markdown/markdown-lines.ts";
import { finishedCut } from "../../../../cli/terminal/markdown/stream-blocks.ts";
import { highlightLine } from "../../../../cli/terminal/markdown/code-tokens.ts";
import { lineText } from "../../../../cli/terminal/text/styled-line.ts";
import { markdownSample } from "../../../support/terminal/markdown-sample.ts";
import { anyText } from "../screen/any-state.ts";

function text(source: string, width: number): readonly string[] {
  return markdownLines(source, width).map((line) => lineText(line).trimEnd());
}

describe("Markdown in a terminal", () => {
  it("shows every kind of block", () => {
    expect(text(markdownSample, 60)).toEqual([
      "Title x",
      "",
      "Some bold and code with a link (https://example.com) and a",
      "long paragraph that goes on and wraps 漢字漢字漢字漢字漢字漢",
      "字漢字 around.",
      "",
      "• one",
      "• two with more text that will wrap around at the width",
      "  • nested 👨‍👩‍👧",
      "• ☐ todo",
      "• ☑ done",
      "",
      "3. three",
      "4. four",
      "",
      "▏ const x: number = 1; // comment",
      "▏ /* block",
      '▏  comment */ return "str";',
      "",
      "a   │        b long header        │   c",
      "────┼─────────────────────────────┼────",
      "1   │ some cell text that is long │   3",
      "x y │              z              │ 100",
      "",
      "│ quote here",
      "│ more",
      "",
      "### Sub",
      "",
      "────────────────────────────────────────",
      "",
      "<div>html</div>",
    ]);
  });

  it("turns tables that are too wide for a grid into lists", () => {
    const source =
      "| name | what it is | more |\n|---|---|---|\n| one | the first of all | x |\n| two | second | y |\n";
    expect(text(source, 14)).toEqual([
      "name: one",
      "what it is:",
      "  the first of",
      "  all",
      "more: x",
      "",
      "name: two",
      "what it is:",
      "  second",
      "more: y",
    ]);
  });

  it("colours code by words, over the lines of a block comment too", () => {
    const first = highlightLine("const a = /* one", "ts");
    expect(first.line[0]).toEqual({ text: "const", style: { ink: "keyword" } });
    expect(first.state).toBe("comment");
    expect(highlightLine("two */ 'x' // y", "ts", first.state).line.map(({ style }) => style.ink)).toEqual([
      "comment",
      undefined,
      "string",
      undefined,
      "comment",
    ]);
    expect(highlightLine("(defun f (x) ; why", "lisp").line.map(({ style }) => style.ink)).toContain(
      "keyword",
    );
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom("ts", "py", "sh", "lisp", "sql", "json", "diff", "go", "?"),
        (code, language) => {
          expect(lineText(highlightLine(code, language).line)).toBe(code);
        },
      ),
    );
  });

  it("cuts a stream only where a part is finished, and goes on inside an open fence", () => {
    expect(finishedCut("a paragraph that", undefined).length).toBe(0);
    expect(finishedCut("one\n\ntwo", undefined)).toEqual({ length: 5, fence: undefined, joins: false });
    expect(finishedCut("- a\n- b", undefined)).toMatchObject({ length: 0 });
    expect(finishedCut("- a\n- b\n", undefined)).toMatchObject({ length: 4, joins: true });
    const open = finishedCut(`\`\`\`ts\n${"x\n".repeat(60)}`, undefined);
    expect(open.fence).toEqual({ marker: "```", language: "ts" });
    expect(finishedCut("x\n```\nafter", open.fence)).toMatchObject({ length: 6, fence: undefined });
  });

  it("makes lines of anything", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 8 }), fc.integer({ min: 1, max: 60 }), (texts, width) => {
        expect(markdownLines(texts.join(""), width)).toBeInstanceOf(Array);
      }),
    );
  });
});
