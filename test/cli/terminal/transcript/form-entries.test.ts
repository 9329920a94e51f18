/** Forms in the transcript: Lisp is coloured, reports are text, help is Markdown, and a form beside everything else keeps its mark. */
import { describe, expect, it } from "vitest";
import type { FormEntry } from "../../../../cli/terminal/transcript/entries.ts";
import { entryLines, plainLook } from "../../../../cli/terminal/transcript/entry-lines.ts";

type Result = NonNullable<FormEntry["result"]>;

function lines(source: string, result: Partial<Result>, job?: string) {
  const whole: Result = {
    status: "values",
    values: [],
    omittedValues: 0,
    output: "",
    omittedOutput: 0,
    durationMs: 1,
    ...result,
  };
  const end = job === undefined ? {} : { isEnd: true as const };
  const entry: FormEntry = { kind: "form", formId: "form:1", source, job, output: "", result: whole, ...end };
  return entryLines(entry, 60, plainLook);
}

const value = (text: string, report = false): Result["values"][number] => ({ text, report, cut: false });
const texts = (shown: ReturnType<typeof lines>): readonly string[] =>
  shown.map((line) => line.map(({ text }) => text).join(""));
const inked = (shown: ReturnType<typeof lines>, ink: string): readonly string[] =>
  shown.flatMap((line) => line.flatMap(({ text, style }) => (style?.ink === ink ? [text] : [])));

describe("forms in the transcript", () => {
  it("colours the form and its values as Lisp", () => {
    const shown = lines('(list "a" 12)', { values: [value('("a" 12)'), value(":B")] });
    expect(texts(shown)).toEqual(['❯ (list "a" 12)', '⇒ ("a" 12)', "⇒ :B"]);
    expect(inked(shown, "string")).toEqual(['"a"', '"a"']);
    expect(inked(shown, "number")).toEqual(["12", "12"]);
  });

  it("leaves reports as they are, S-expressions among them coloured, and shows help as Markdown", () => {
    const report = lines("(papercuts)", { values: [value('There are "none".', true)] });
    expect([texts(report)[1], inked(report, "string")]).toEqual(['⇒ There are "none".', []]);
    const native = lines("(tasks)", { values: [value('(:TASKS "a")', true)] });
    expect(inked(native, "string")).toEqual(['"a"']);
    const help = lines("(help :lisp)", { values: [value("**lisp.eval** evaluates\n\n- one", true)] });
    expect(texts(help).slice(1)).toEqual(["lisp.eval evaluates", "", "• one"]);
  });

  it("keeps the mark of a form beside everything else, and counts what is left out", () => {
    const shown = lines(
      "(f)",
      { values: [{ ...value("(1 ...)"), cut: true, omitted: "9 more elements" }], omittedValues: 2 },
      "exec:3",
    );
    expect(texts(shown)).toEqual(["? (f)", "exec:3 ⇒ (1 ...) … (9 more elements)", "; 2 more values"]);
    const printed = lines("(f)", { omittedOutput: 7, values: [value("1")] });
    expect(texts(printed).slice(-2)).toEqual(["│ … (7 more characters of output)", "⇒ 1"]);
    const failed = lines("(f)", { status: "never-begun", reason: "the host ended before it began" });
    expect(texts(failed)[1]).toBe("; never begun: the host ended before it began. It did");
  });
});
