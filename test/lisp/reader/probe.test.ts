import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { probeText, tokenizeText } from "../../../lisp/reader/probe.ts";
import { LeafSession } from "../support/leaf-session.ts";

const { context, host } = new LeafSession();

describe("completeness probe", () => {
  it.each([
    ["", { kind: "empty" }],
    ["  ; only a comment\n #| and this |# ", { kind: "empty" }],
    ["(a b)", { kind: "complete", forms: 1 }],
    ['a (b) "c"', { kind: "complete", forms: 3 }],
    ["(no-such-package:foo #.(boom) #s(x))", { kind: "complete", forms: 1 }],
  ])("%s is %o", (text, judged) => {
    expect(probeText(context, text)).toEqual(judged);
  });

  it.each([
    ["(a\n (b", 2, 2],
    ['(a\n  "text', 2, 3],
    ["(a) #| c", 1, 5],
    ["(a '", 1, 4],
    ["(a |x", 1, 4],
    ["(", 1, 1],
  ])("%s is incomplete", (text, line, column) => {
    expect(probeText(context, text)).toEqual({ kind: "incomplete", at: { line, column } });
  });

  it.each([
    ["(a))", 1, 4],
    ["(a\n . )", 2, 4],
    ["(1/0)", 1, 2],
    ["\n #<x>", 2, 2],
    [",a", 1, 1],
    ["(a:b:c)", 1, 2],
  ])("%s is invalid", (text, line, column) => {
    expect(probeText(context, text)).toMatchObject({ kind: "invalid", at: { line, column } });
  });

  it("makes no symbol", () => {
    const before = host.user.internal.size + host.keyword.external.size;
    probeText(context, "(brand-new :other-new)");
    expect(host.user.internal.size + host.keyword.external.size).toBe(before);
  });
});

describe("tokens", () => {
  const shown = (text: string): string[] =>
    tokenizeText(context, text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

  it("names the pieces of a text", () => {
    expect(shown('(defun f (x) "doc" ; note\n (+ x 1.5 :k #\\a \'(q)))')).toEqual([
      "open (",
      "symbol defun",
      "symbol f",
      "open (",
      "symbol x",
      "close )",
      'string "doc"',
      "comment ; note\n",
      "open (",
      "symbol +",
      "symbol x",
      "number 1.5",
      "keyword :k",
      "character #\\a",
      "quote '",
      "open (",
      "symbol q",
      "close )",
      "close )",
      "close )",
    ]);
  });

  it("goes on after what is wrong and marks what is unfinished", () => {
    expect(shown('a) 1/0 (b "c')).toEqual([
      "symbol a",
      "invalid )",
      "invalid 1/0",
      "open (",
      "symbol b",
      'string "c',
    ]);
  });

  it("covers everything but whitespace, in order", () => {
    const piece = fc.constantFrom(
      "(",
      ")",
      "'",
      "#",
      "|",
      '"',
      ";x\n",
      " ",
      "a",
      "1",
      ":k",
      "#\\a",
      "`",
      ",",
      "#|",
      "|#",
      ".",
      "\\",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join("");
        let at = 0;
        for (const { start, end } of tokenizeText(context, text)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
