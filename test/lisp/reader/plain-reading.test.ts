import { describe, expect, it } from "vitest";
import { plainCompleteness, plainTokens } from "../../../lisp/reader/plain-reading.ts";

const shown = (text: string): readonly string[] =>
  plainTokens(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

describe("reading without an image", () => {
  it("judges whether a text is whole", () => {
    expect(plainCompleteness("(settings :trace-p t)").kind).toBe("complete");
    expect(plainCompleteness('(prompt "unfinished').kind).toBe("incomplete");
    expect(plainCompleteness("(a))").kind).toBe("invalid");
    expect(plainCompleteness(" ; nothing").kind).toBe("empty");
  });

  it("tells what each piece is, and goes on behind what is wrong", () => {
    expect(shown('(list :key "text" 12 #\\a) ; end')).toEqual([
      "open (",
      "symbol list",
      "keyword :key",
      'string "text"',
      "number 12",
      "character #\\a",
      "close )",
      "comment ; end",
    ]);
    expect(shown(") ok")).toEqual(["invalid )", "symbol ok"]);
    expect(shown('(say "a 👍 b" 👍 1)')).toEqual([
      "open (",
      "symbol say",
      'string "a 👍 b"',
      "symbol 👍",
      "number 1",
      "close )",
    ]);
    expect(shown("'nobody:unknown")[0]).toBe("quote '");
  });
});
