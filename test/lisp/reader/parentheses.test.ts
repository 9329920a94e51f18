import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkParens, parenProblemLimit } from "../../../lisp/reader/parentheses.ts";
import { plainCompleteness } from "../../../lisp/reader/plain-reading.ts";

describe("the check of parentheses", () => {
  it("counts forms and passes over everything in which parentheses mean nothing", () => {
    const text = String.raw`; a ( in a comment
#| and #| nested ( |# ( |#
(print "a ( and an escaped \" (") #\( #\) #\Space |a ( symbol| a\(b
(list #\( '(1 . 2))`;
    expect(checkParens(text)).toEqual({ forms: 2, problems: [] });
  });

  it("says where what is open began, what closes nothing, and which form at the margin is inside another", () => {
    expect(checkParens("(a\n  (b)\n(c d)\n(e)").problems).toEqual([
      { line: 1, column: 1, message: "is not closed; the form at the margin of line 3 is inside it" },
    ]);
    expect(checkParens("(a))\n )").problems).toEqual([
      { line: 1, column: 4, message: "closes nothing" },
      { line: 2, column: 2, message: "closes nothing" },
    ]);
    expect(checkParens('(a "b').problems).toEqual([
      { line: 1, column: 1, message: "is not closed" },
      { line: 1, column: 4, message: "the string is not ended" },
    ]);
    expect(checkParens("#| (").problems).toEqual([
      { line: 1, column: 1, message: "the block comment is not ended" },
    ]);
    expect(checkParens(")".repeat(100)).problems).toHaveLength(parenProblemLimit);
  });

  it("finds nothing wrong exactly where the reader finds whole forms", () => {
    const piece = fc.constantFrom(
      "(",
      ")",
      "a",
      " ",
      "\n",
      '"',
      ";",
      "|",
      "\\",
      "#\\(",
      "#\\a",
      "#|",
      "|#",
      "12",
      "'x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join("");
        const judged = plainCompleteness(text);
        // What no reader accepts for another reason than its parentheses says nothing here.
        fc.pre(judged.kind !== "invalid");
        const whole = judged.kind === "complete" || judged.kind === "empty";
        if (whole) expect(checkParens(text).problems).toEqual([]);
        else
          expect([text, checkParens(text).problems.length > 0 || /(?:['\\]|#\|?)\s*$/.test(text)]).toEqual([
            text,
            true,
          ]);
      }),
    );
  });
});
