import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditOperation } from "../../../workers/workspace/edit-operation.ts";
import { applyEdits } from "../../../workers/workspace/line-edit.ts";
import { anchorOf, lineSpans } from "../../../workers/workspace/line-index.ts";

function edited(base: string, ...operations: EditOperation[]): string {
  return applyEdits(Buffer.from(base, "latin1"), operations).bytes.toString("latin1");
}

const replace = (startLine: number, endLine: number, content: string): EditOperation => ({
  operation: "replace-lines",
  "start-line": startLine,
  "end-line": endLine,
  content,
});
const remove = (startLine: number, endLine: number): EditOperation => ({
  operation: "delete-lines",
  "start-line": startLine,
  "end-line": endLine,
});
const before = (line: number, content: string): EditOperation => ({
  operation: "insert-before",
  line,
  content,
});
const after = (line: number, content: string): EditOperation => ({
  operation: "insert-after",
  line,
  content,
});

describe("applyEdits", () => {
  test.each<[string, string, EditOperation[], string]>([
    ["one line", "a\nb\nc\n", [replace(2, 2, "B")], "a\nB\nc\n"],
    ["a line end in the content changes nothing", "a\nb\n", [replace(1, 1, "A\n")], "A\nb\n"],
    ["more lines than before", "a\nb\n", [replace(1, 1, "x\ny\nz")], "x\ny\nz\nb\n"],
    ["fewer lines than before", "a\nb\nc\n", [replace(1, 2, "x")], "x\nc\n"],
    ["an empty content is an empty line", "a\nb\n", [replace(1, 1, "")], "\nb\n"],
    ["CRLF stays", "a\r\nb\r\n", [replace(2, 2, "x\ny")], "a\r\nx\r\ny\r\n"],
    ["mixed line ends stay", "a\nb\r\nc\rd\ne\r\n", [replace(3, 3, "X")], "a\nb\r\nX\ne\r\n"],
    ["a lone CR elsewhere stays", "a\rb\nc\n", [replace(2, 2, "C")], "a\rb\nC\n"],
    ["no line end after the last line", "a\nb", [replace(2, 2, "B")], "a\nB"],
    ["no line end, more lines", "a\r\nb", [replace(2, 2, "x\ny")], "a\r\nx\r\ny"],
    ["blank lines at the end stay", "a\nb\n\n", [replace(1, 1, "A")], "A\nb\n\n"],
    ["BOM stays", "\u00ef\u00bb\u00bfa\nb\n", [replace(1, 1, "A")], "\u00ef\u00bb\u00bfA\nb\n"],
    [
      "insert before the first line of a BOM file",
      "\u00ef\u00bb\u00bfa\n",
      [before(1, "z")],
      "\u00ef\u00bb\u00bfz\na\n",
    ],
    ["insert after an unterminated line", "a\nb", [after(2, "c\nd")], "a\nb\nc\nd"],
    ["insert after twice keeps the order", "a\nb\n", [after(1, "1"), after(1, "2")], "a\n1\n2\nb\n"],
    ["insert before and after one line", "a\n", [after(1, "z"), before(1, "y")], "y\na\nz\n"],
    ["delete", "a\nb\nc\n", [remove(2, 3)], "a\n"],
    [
      "several with base numbers",
      "1\n2\n3\n4\n",
      [remove(1, 1), replace(3, 3, "x\ny"), after(4, "5")],
      "2\nx\ny\n4\n5\n",
    ],
    [
      "an insertion beside a replaced line",
      "a\nb\n",
      [replace(1, 1, "A"), before(1, "0"), after(1, "1")],
      "0\nA\n1\nb\n",
    ],
    ["replace-empty", "", [{ operation: "replace-empty", content: "x\r\ny" }], "x\r\ny"],
    ["Latin-1 elsewhere stays", "caf\u00e9\nb\n", [replace(2, 2, "B")], "caf\u00e9\nB\n"],
  ])("%s", (_, base, operations, expected) => {
    expect(edited(base, ...operations)).toBe(expected);
  });

  test.each<[string, string, EditOperation, string]>([
    ["a line that is not there", "a\n", replace(2, 2, "x"), "invalid-operation"],
    ["a reversed range", "a\nb\n", replace(2, 1, "x"), "invalid-operation"],
    [
      "replace-empty of a file with lines",
      "a\n",
      { operation: "replace-empty", content: "x" },
      "invalid-operation",
    ],
    ["a binary file", "a\u0000\n", replace(1, 1, "x"), "unsupported-encoding"],
    ["other encodings with other text", "caf\u00e9\nb\n", replace(2, 2, "ü"), "unsupported-encoding"],
    ["half a surrogate pair", "a\n", replace(1, 1, "\ud800"), "invalid-operation"],
    ["NUL", "a\n", replace(1, 1, "x\0"), "invalid-operation"],
  ])("%s is refused", (_, base, operation, code) => {
    expect(() => edited(base, operation)).toThrow(expect.objectContaining({ code }));
  });

  test("operations on the same lines are refused", () => {
    expect(() => edited("a\nb\nc\n", replace(1, 2, "x"), remove(2, 3))).toThrow(
      expect.objectContaining({
        code: "invalid-operation",
        message: expect.stringContaining("Operations 1 and 2"),
      }),
    );
    expect(() => edited("a\nb\nc\n", replace(1, 2, "x"), after(1, "y"))).toThrow(expect.anything());
  });

  test("a wrong anchor is refused and the right line named", () => {
    const anchor = anchorOf(Buffer.from("target"));
    const operation: EditOperation = {
      ...after(1, "x"),
      operation: "insert-after",
      line: 1,
      content: "x",
      anchor,
    };
    expect(() => edited("a\nb\ntarget\n", operation)).toThrow(
      expect.objectContaining({
        code: "anchor-mismatch",
        message: expect.stringContaining("that is line 3"),
      }),
    );
    expect(edited("target\n", operation)).toBe("target\nx\n");
  });

  test("bytes of lines that are not named never change, whatever bytes and line ends", () => {
    const lineBytes = fc
      .uint8Array({ maxLength: 6 })
      .map((bytes) => bytes.map((byte) => (byte === 0x0a || byte === 0 ? 0x20 : byte)));
    const end = fc.constantFrom("\n", "\r\n");
    const text = fc.tuple(fc.array(fc.tuple(lineBytes, end), { minLength: 1, maxLength: 12 }), lineBytes);
    fc.assert(
      fc.property(
        text,
        fc.nat(),
        fc.nat(),
        fc.string({ unit: fc.constantFrom("a", "\n"), maxLength: 6 }),
        ([lines, rest], a, b, content) => {
          const base = Buffer.concat([
            ...lines.flatMap(([bytes, terminator]) => [Buffer.from(bytes), Buffer.from(terminator)]),
            rest,
          ]);
          const spans = lineSpans(base);
          fc.pre(spans.length > 0);
          const [first = 0, last = 0] = [a % spans.length, b % spans.length].sort((x, y) => x - y);
          const result = applyEdits(base, [replace(first + 1, last + 1, content)]).bytes;
          const from = spans[first]?.start ?? 0;
          const kept = base.subarray(spans[last]?.next ?? 0);
          expect(result.subarray(0, from).equals(base.subarray(0, from))).toBe(true);
          expect(result.subarray(result.length - kept.length).equals(kept)).toBe(true);
        },
      ),
    );
  });
});

describe("lineSpans", () => {
  test("covers every byte but the mark exactly once", () => {
    fc.assert(
      fc.property(
        fc
          .uint8Array({ maxLength: 200 })
          .map((bytes) => bytes.map((byte) => (byte % 3 === 0 ? 0x0a : byte % 5 === 0 ? 0x0d : byte))),
        (raw) => {
          const bytes = Buffer.from(raw);
          let at = lineSpans(bytes)[0]?.start ?? bytes.length;
          for (const { start, end, next } of lineSpans(bytes)) {
            expect(start).toBe(at);
            expect(bytes.subarray(start, end).includes(0x0a)).toBe(false);
            expect(["", "\n", "\r\n"]).toContain(bytes.toString("latin1", end, next));
            at = next;
          }
          expect(at).toBe(bytes.length);
        },
      ),
    );
  });
});
