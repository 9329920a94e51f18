import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DataFormError,
  compareCodePoints,
  double,
  formToJson,
  formToJsonText,
  formsEqual,
  jsonTextToForm,
  jsonToForm,
  keyword,
  nullKeyword,
  printDataForm,
  type DataForm,
  type JsonValue,
} from "../../../lisp/data-forms/index.ts";
import { jsonValues } from "./arbitrary-forms.ts";

const limit = 100_000;

describe("the mapping", () => {
  it.each([
    ["null", ":NULL"],
    ["true", "T"],
    ["false", "NIL"],
    ["{}", "(:OBJECT)"],
    ["[]", "(:ARRAY)"],
    ["3", "3"],
    ["3.0", "3.0"],
    ["1e2", "100.0"],
    ["-0", "-0.0"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ['"a\\u00e9\\n\\"\\\\"', '"aé\n\\"\\\\"'],
    ['{"b":[1,null],"a":{"x":false}}', '(:OBJECT ("a" (:OBJECT ("x" NIL))) ("b" (:ARRAY 1 :NULL)))'],
    [' [ 1 , "x" ] ', '(:ARRAY 1 "x")'],
  ])("takes %s to %s", (json, native) => {
    const form = jsonTextToForm(json, limit);
    expect(printDataForm(form)).toBe(native);
    expect(formsEqual(jsonTextToForm(formToJsonText(form), limit), form)).toBe(true);
  });

  it("sorts keys by code point", () => {
    const form = jsonToForm({ "\u{1F600}": 1, "\uFF00": 2, b: 3, B: 4, "": 5 });
    expect(Object.keys(formToJson(form) as object)).toEqual(["", "B", "b", "\uFF00", "\u{1F600}"]);
    expect(["b", "\uFF00", "a", "\u{1F600}", "aa"].sort(compareCodePoints)).toEqual([
      "a",
      "aa",
      "b",
      "\uFF00",
      "\u{1F600}",
    ]);
  });

  it("keeps keys that mean something to JavaScript", () => {
    const form = jsonTextToForm('{"__proto__":1,"constructor":2}', limit);
    expect(formToJsonText(form)).toBe('{"__proto__":1,"constructor":2}');
    expect(Object.keys(formToJson(form) as object)).toEqual(["__proto__", "constructor"]);
  });

  it("round-trips every JSON value, by value and by text", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const form = jsonToForm(value as JsonValue);
        const expected: unknown = JSON.parse(JSON.stringify(value).replaceAll("-0", "0"));
        expect(JSON.parse(JSON.stringify(formToJson(form)).replaceAll("-0", "0"))).toEqual(expected);
        expect(JSON.parse(formToJsonText(form).replaceAll("-0", "0"))).toEqual(expected);
        expect(formsEqual(jsonTextToForm(formToJsonText(form), limit), form)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  /** What `JSON.parse` takes and forms refuse: a number that only infinity stands for, and a key given twice. */
  const refusedByForms = (text: string, error: unknown): boolean => {
    const { code, problem } = error as DataFormError;
    const tooLarge = code === "invalid-value" && /e\+?\d{3}/i.test(text);
    return tooLarge || (problem.includes("duplicate") && /"([^"]*)"\s*:[^]*"\1"\s*:/.test(text));
  };

  it("reads JSON texts as JSON.parse does, or refuses where it refuses", () => {
    const soup = fc.string({
      unit: fc.constantFrom(...Array.from('{}[]",:\\u0041-+.eE019tfn al')),
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          soup,
          jsonValues.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          let expected: { value: unknown } | undefined;
          try {
            expected = { value: JSON.parse(text) };
          } catch {
            expected = undefined;
          }
          const read = (): DataForm => jsonTextToForm(text, limit);
          if (expected === undefined)
            expect(read).toThrow(expect.objectContaining({ name: "DataFormError" }));
          else {
            try {
              expect(JSON.parse(formToJsonText(read()))).toEqual(expected.value);
            } catch (error) {
              if (!(error instanceof DataFormError) || !refusedByForms(text, error)) throw error;
            }
          }
        },
      ),
      { numRuns: 3000, examples: [["1E919"], ['{"":1,"":1}'], ["[-1e999]"]] },
    );
  });
});

describe("refusals", () => {
  it("refuses duplicate keys in both directions, naming them", () => {
    expect(() => jsonTextToForm('{"a":1,\n "a":2}', limit)).toThrow(
      expect.objectContaining({ code: "invalid-structure", position: { offset: 9, line: 2, column: 2 } }),
    );
    const form: DataForm = [keyword("object"), ["a", 1], ["a", 2]];
    expect(() => formToJson(form)).toThrow('duplicate object key "a"');
    expect(() => formToJsonText(form)).toThrow('duplicate object key "a"');
  });

  it.each([
    [[1, 2], "$"],
    [keyword("other"), "$"],
    [[keyword("array"), 1, [keyword("array"), keyword("x")]], "$[1][0]"],
    [[keyword("object"), ["a", [keyword("object"), ["b", [1]]]]], "$.a.b"],
    [[keyword("object"), [keyword("a"), 1]], "$"],
    [[keyword("object"), ["a", 1, 2]], "$"],
    [[keyword("object"), ["a"]], "$"],
    [[keyword("object"), "a"], "$"],
  ] as [DataForm, string][])("refuses a form outside the mapping and names its path", (form, path) => {
    for (const convert of [formToJson, formToJsonText]) {
      expect(() => convert(form)).toThrow(expect.objectContaining({ code: "invalid-structure" }));
      expect(() => convert(form)).toThrow(`${path}: `);
    }
  });

  it("bounds depth, text and numbers", () => {
    const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(formToJsonText(jsonTextToForm(deep(512), limit))).toBe(deep(512));
    expect(() => jsonTextToForm(deep(513), limit)).toThrow("512");
    let value: JsonValue = 1;
    for (let depth = 0; depth < 513; depth++) value = [value];
    expect(() => jsonToForm(value)).toThrow("512");
    expect(() => jsonTextToForm("[1,2]", 4)).toThrow("5 characters of JSON exceed the limit of 4");
    expect(() => jsonTextToForm("1".repeat(5000), limit)).toThrow("4096");
    expect(() => jsonTextToForm("1e999", limit)).toThrow(expect.objectContaining({ code: "invalid-value" }));
    expect(() => jsonToForm(Number.NaN)).toThrow(expect.objectContaining({ code: "invalid-value" }));
    expect(() => jsonToForm(undefined as unknown as JsonValue)).toThrow("undefined");
  });

  it("replaces half surrogate pairs, which Lisp strings cannot hold", () => {
    expect(jsonToForm("a\ud800")).toBe("a\ufffd");
    expect(jsonTextToForm('"a\\ud800"', limit)).toBe("a\ufffd");
    expect(() => jsonTextToForm('{"\\ud800":1,"\\ud801":2}', limit)).toThrow("duplicate object key");
  });

  it("keeps null apart from false and from the empty containers", () => {
    const forms = ["null", "false", "[]", "{}"].map((text) => jsonTextToForm(text, limit));
    expect(forms[0]).toBe(nullKeyword);
    expect(new Set(forms.map((form) => printDataForm(form))).size).toBe(4);
    expect(forms.map((form) => formToJson(form))).toEqual([null, false, [], {}]);
    expect(formToJson(jsonToForm(3))).toBe(3);
    expect(formsEqual(jsonTextToForm("3.0", limit), double(3))).toBe(true);
  });
});
