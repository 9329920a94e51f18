import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DataFormError,
  double,
  formsEqual,
  keyword,
  prettyPrintDataForm,
  printDataForm,
  readDataForm,
  readDataForms,
  readLocatedDataForm,
  single,
  type ReadOptions,
} from "../../../lisp/data-forms/index.ts";
import { dataForms } from "./arbitrary-forms.ts";

const limits = { maxBytes: 10_000, maxDepth: 8, maxNodes: 100, maxStringCharacters: 50 };
const options: ReadOptions = { limits };
const wide: ReadOptions = {
  limits: { maxBytes: 1 << 20, maxDepth: 500, maxNodes: 1 << 16, maxStringCharacters: 1 << 16 },
};

function refusal(text: string | Uint8Array, reading: ReadOptions = options): DataFormError {
  try {
    readDataForms(text, reading);
  } catch (error) {
    if (error instanceof DataFormError) return error;
    throw error;
  }
  throw new Error(`${String(text)} was accepted`);
}

describe("atoms", () => {
  it.each([
    ["t", true],
    ["NIL", false],
    ["()", false],
    ["( )", false],
    [":foo", keyword("FOO")],
    [":Foo-Bar.1/2", keyword("foo-bar.1/2")],
    ["0", 0],
    ["-0", 0],
    ["+12", 12],
    ["-12.", -12],
    ["123456789012345", 123456789012345],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-00000000000000000000005", -5],
    ['""', ""],
    ['"a\\"b\\\\c\\d"', 'a"b\\cd'],
    ['"ü\\é😀"', "üé😀"],
    ['"two\nlines"', "two\nlines"],
    ["3.0", double(3)],
    ["-.5", double(-0.5)],
    ["1e3", double(1000)],
    ["1.e3", double(1000)],
    ["2.5f0", single(2.5)],
    ["2.5S1", single(25)],
    ["2.5d0", double(2.5)],
    ["2.5L-1", double(0.25)],
    ["(1 (2) ())", [1, [2], false]],
    ["(1;comment\n2)", [1, 2]],
    ['(:a"b"(:c))', [keyword("a"), "b", [keyword("c")]]],
  ])("reads %s", (text, expected) => {
    expect(readDataForm(text, options)).toEqual(expected);
    expect(readDataForm(Buffer.from(text), options)).toEqual(expected);
  });

  it("takes floats without a marker in the configured format", () => {
    expect(readDataForm("0.1", { ...options, floatFormat: "single" })).toEqual(single(0.1));
    expect(readDataForm("0.1e0", { ...options, floatFormat: "single" })).toEqual(single(0.1));
    expect(readDataForm("0.1d0", { ...options, floatFormat: "single" })).toEqual(double(0.1));
  });

  it("gives the same object for the same keyword", () => {
    const [first, second] = readDataForms(":some-name :SOME-NAME", options);
    expect(first).toBe(second);
    expect(first).toBe(keyword("Some-Name"));
    expect(readDataForm(":ÜBER", options)).toBe(readDataForm(":über", options));
  });
});

describe("what is not data", () => {
  it.each([
    ["foo", 1, 1],
    ["(:a foo)", 1, 5],
    ["cl:car", 1, 1],
    ["::a", 1, 1],
    [":", 1, 1],
    [":a:b", 1, 1],
    ["(1 . 2)", 1, 4],
    ["1/2", 1, 1],
    ["#.(+ 1 2)", 1, 1],
    ["#(1)", 1, 1],
    ["#\\a", 1, 1],
    ["'a", 1, 1],
    ["`(a)", 1, 1],
    ["(1 ,2)", 1, 4],
    ["|a|", 1, 1],
    [":|a|", 1, 2],
    [":a|b|", 1, 3],
    ["12'3", 1, 3],
    [")", 1, 1],
    ["(1))", 1, 4],
    ["(1\n  (2 3", 2, 3],
    ['(:a\n "open', 2, 2],
    ['"open\\', 1, 1],
    ["#| no |# 1", 1, 1],
    ["(1 \u0001)", 1, 4],
    ["1e", 1, 1],
    ["+", 1, 1],
    ["é (", 1, 1],
  ])("refuses %j", (text, line, column) => {
    const error = refusal(text);
    expect(error.code).toBe("invalid-syntax");
    expect(error.position).toMatchObject({ line, column });
    expect(error.message).toContain(`line ${line}, column ${column}: `);
  });

  it.each(["1f39", "1d999", "1f-60", "1e39", "1d-400"])("refuses %s, which no float holds", (text) => {
    expect(refusal(text, { ...options, floatFormat: "single" }).code).toBe("invalid-value");
  });

  it("counts columns in characters and offsets in bytes", () => {
    expect(refusal('("ä" b)').position).toEqual({ offset: 6, line: 1, column: 6 });
  });

  it("refuses comments that are not allowed and reads block comments that are", () => {
    expect(refusal("1 ; x", { ...options, lineComments: false }).code).toBe("invalid-syntax");
    expect(readDataForm("#| a #| b |# ) |# 1 #||#", { ...options, blockComments: true })).toBe(1);
    expect(refusal("1 #| #| |#", { ...options, blockComments: true }).position?.column).toBe(3);
  });

  it("refuses keywords outside the vocabulary", () => {
    const error = refusal("(:name\n :nmae)", { ...options, keywords: new Set(["NAME"]) });
    expect(error).toMatchObject({ code: "unknown-field", position: { line: 2, column: 2 } });
  });

  it("refuses bytes that are not UTF-8 where they stand", () => {
    const bytes = Buffer.concat([Buffer.from('("é\n'), Buffer.from([0xc3, 0x28]), Buffer.from('")')]);
    expect(refusal(bytes)).toMatchObject({ code: "read-error", position: { offset: 5, line: 2, column: 1 } });
    expect(refusal('"a\ud800"')).toMatchObject({ code: "read-error", position: { offset: 2, column: 3 } });
    for (const bad of [[0xed, 0xa0, 0x80], [0xf5], [0xc0, 0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x98]]) {
      expect(refusal(Buffer.from([0x20, ...bad])).position?.offset).toBe(1);
    }
  });

  it("skips a byte order mark at the start only", () => {
    expect(readDataForm("\ufeff(1)", options)).toEqual([1]);
    expect(refusal("(1 \ufeff2)").code).toBe("invalid-syntax");
  });
});

describe("one form", () => {
  it("is required", () => {
    expect(() => readDataForm(" ; nothing\n", options)).toThrow(expect.objectContaining({ code: "no-form" }));
    expect(() => readDataForm("(1)\n (2)", options)).toThrow(
      expect.objectContaining({ code: "multiple-forms", position: { offset: 5, line: 2, column: 2 } }),
    );
    expect(readDataForms("", options)).toEqual([]);
  });
});

describe("bounds", () => {
  it("holds each at its number and refuses one more", () => {
    const nested = (depth: number): string => "(".repeat(depth) + "1" + ")".repeat(depth);
    expect(printDataForm(readDataForm(nested(8), options))).toBe(nested(8));
    expect(refusal(nested(9))).toMatchObject({ code: "data-too-deep", position: { column: 9 } });
    expect(readDataForm(`(${"1 ".repeat(99)})`, options)).toHaveLength(99);
    expect(refusal(`(${"1 ".repeat(100)})`).code).toBe("data-too-large");
    expect(readDataForm(`"${"é".repeat(50)}"`, options)).toHaveLength(50);
    expect(readDataForm(`"${'\\"'.repeat(50)}"`, options)).toHaveLength(50);
    expect(refusal(`"${"é".repeat(51)}"`).message).toContain("51 characters exceeds the limit of 50");
    expect(refusal(`:${"k".repeat(51)}`).code).toBe("data-too-large");
    expect(refusal("1".repeat(51)).code).toBe("data-too-large");
    expect(refusal("1".repeat(5000), wide).message).toContain("4096");
    expect(refusal(" ".repeat(10_001)).message).toContain("more than 10000 bytes, which is the limit");
    expect(readDataForms(" ".repeat(10_000), options)).toEqual([]);
  });

  it("reads deep data without recursion", () => {
    const deep = { ...wide, limits: { ...wide.limits, maxDepth: 1e6, maxNodes: 1e6, maxBytes: 1e7 } };
    expect(readDataForm("(".repeat(400_000) + ")".repeat(400_000), deep)).toHaveLength(1);
  });
});

describe("locations", () => {
  it("tells where each element of each list stands", () => {
    const { form, locations } = readLocatedDataForm("; head\n (:a\n  (1 2)\n  :b)", options);
    const list = form as readonly (readonly number[])[];
    expect(locations.start).toEqual({ offset: 8, line: 2, column: 2 });
    expect(locations.elementPosition(list, 1)).toMatchObject({ line: 3, column: 3 });
    expect(locations.elementPosition(list[1] ?? [], 1)).toMatchObject({ line: 3, column: 6 });
    expect(locations.elementPosition(list, 9)).toBeUndefined();
    expect(locations.elementPosition([1], 0)).toBeUndefined();
  });
});

describe("printing and reading back", () => {
  it("gives the same form, on one line and broken", () => {
    fc.assert(
      fc.property(dataForms, fc.constantFrom("single" as const, "double" as const), (form, floatFormat) => {
        const reading = { ...wide, floatFormat };
        for (const text of [
          printDataForm(form, { floatFormat }),
          prettyPrintDataForm(form, { floatFormat, width: 20 }),
        ]) {
          expect(formsEqual(readDataForm(text, reading), form)).toBe(true);
          expect(formsEqual(readDataForm(Buffer.from(text), reading), form)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never crashes on any text, and says where it is wrong", () => {
    const soup = fc.string({
      unit: fc.constantFrom(...Array.from("()\"\\;#|:'`,.tnil019eEdf+- \n"), "é", "😀"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(soup, (text) => {
        try {
          readDataForms(text, { ...options, blockComments: true });
        } catch (error) {
          expect(error).toBeInstanceOf(DataFormError);
          const { position } = error as DataFormError;
          expect(position?.offset).toBeLessThanOrEqual(Buffer.byteLength(text));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
