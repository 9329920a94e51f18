import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DataForm, formsEqual, keyword } from "../../../lisp/data-forms/index.ts";
import { formToLine, lineToForm } from "../../../orchestrator/record/line-form.ts";

const text = fc.string({ unit: "binary" }).filter((value) => value.isWellFormed() && !value.includes("\0"));
const atom: fc.Arbitrary<DataForm> = fc.oneof(
  text,
  fc.constantFrom("a\nb", "\n", "\r\n", "(:lines)", ""),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constantFrom("lines", "literal", "kind").map(keyword),
);
const { form } = fc.letrec<{ form: DataForm }>((tie) => ({
  form: fc.oneof({ maxDepth: 5 }, atom, fc.array(tie("form"), { minLength: 1, maxLength: 5 })),
}));

describe("forms on one line", () => {
  it("property: have no line feed and read back as they were", () => {
    fc.assert(
      fc.property(form, (value) => {
        const line = formToLine(value);
        expect(line).not.toContain("\n");
        expect(formsEqual(lineToForm(Buffer.from(line)), value)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("are any reader's data forms", () => {
    expect(formToLine([keyword("a"), "x\ny", 1])).toBe('(:A (:LINES "x" "y") 1)');
    expect(formToLine([keyword("lines"), "x"])).toBe('(:LITERAL :LINES "x")');
    expect(formToLine([keyword("a"), ":LINES"])).toBe('(:A ":LINES")');
  });

  it("are refused when `:lines` holds anything but strings", () => {
    expect(() => lineToForm('(:a (:lines "x" 1))')).toThrow(/strings only/);
  });
});
