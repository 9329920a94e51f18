import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PrettyStream } from "../../../lisp/streams/pretty-stream.ts";
import { StringOutputStream } from "../../../lisp/streams/string-streams.ts";

function layOut(rightMargin: number, write: (stream: PrettyStream) => void, maximumLines?: number): string {
  const target = new StringOutputStream();
  const stream = new PrettyStream(target, { rightMargin, miserWidth: undefined, maximumLines });
  write(stream);
  stream.flush();
  return target.takeText();
}

function list(stream: PrettyStream, words: readonly string[], kind: "linear" | "fill"): void {
  stream.startBlock("(", false, ")");
  for (const [i, word] of words.entries()) {
    if (i > 0) {
      stream.writeText(" ");
      stream.newline(kind);
    }
    stream.writeText(word);
  }
  stream.endBlock();
}

describe("the pretty printer's stream", () => {
  const words = ["alpha", "beta", "gamma", "delta"];

  it("leaves a block that fits on one line", () => {
    expect(layOut(40, (s) => list(s, words, "linear"))).toBe("(alpha beta gamma delta)");
  });

  it("breaks all linear newlines of a block that does not fit", () => {
    expect(layOut(20, (s) => list(s, words, "linear"))).toBe("(alpha\n beta\n gamma\n delta)");
  });

  it("breaks fill newlines only where the next section does not fit", () => {
    expect(layOut(14, (s) => list(s, words, "fill"))).toBe("(alpha beta\n gamma delta)");
  });

  it("repeats a prefix on each line and indents relative to the block", () => {
    const text = layOut(10, (s) => {
      s.startBlock("; ", true, "");
      s.writeText("one ");
      s.indent("block", 2);
      s.newline("linear");
      s.writeText("twotwotwo");
      s.endBlock();
    });
    expect(text).toBe("; one\n;   twotwotwo");
  });

  it("ends after the lines allowed, with the suffixes of open blocks", () => {
    expect(layOut(10, (s) => list(s, words, "linear"), 2)).toBe("(alpha\n beta ..)");
  });

  it("expands tabs relative to the section", () => {
    const text = layOut(40, (s) => {
      s.startBlock("", false, "");
      s.writeText("ab");
      s.tab(true, false, 5, 1);
      s.writeText("c");
      s.endBlock();
    });
    expect(text).toBe("ab   c");
  });

  it("never loses or adds anything but blanks and newlines", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 5, max: 60 }),
        (all, margin) => {
          for (const kind of ["linear", "fill"] as const) {
            const text = layOut(margin, (s) => list(s, all, kind));
            expect(text.replace(/\s+/g, " ")).toBe(`(${all.join(" ")})`);
            const widest = Math.max(...all.map((each) => each.length)) + 2;
            for (const line of text.split("\n"))
              expect(line.length).toBeLessThanOrEqual(Math.max(margin, widest));
          }
        },
      ),
    );
  });
});
