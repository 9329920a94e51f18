import { describe, expect, it } from "vitest";
import {
  DataFormError,
  DataValueError,
  PlistReader,
  keyword,
  readLocatedDataForm,
  type DataFormErrorKind,
} from "../../../lisp/data-forms/index.ts";

const limits = { maxBytes: 1000, maxDepth: 9, maxNodes: 100, maxStringCharacters: 100 };

function plist(text: string): PlistReader {
  const { form, locations } = readLocatedDataForm(text, { limits });
  return PlistReader.of(form, {
    what: "the thing",
    keys: ["name", "count", "on", "mode", "parts"],
    locations,
  });
}

function refusal(work: () => unknown): DataFormError {
  try {
    work();
  } catch (error) {
    if (error instanceof DataFormError) return error;
    throw error;
  }
  throw new Error("accepted");
}

describe("shape", () => {
  it.each([
    ["12", "invalid-structure", 1, 1, "must be a property list, got an integer"],
    ["(:name)", "invalid-structure", 1, 2, "the key :name has no value"],
    ['("name" 1)', "invalid-structure", 1, 2, "got a string where a key belongs"],
    ["(:name 1\n :name 2)", "invalid-structure", 2, 2, "has the key :name twice"],
    ["(:name 1\n :nmae 2)", "unknown-field", 2, 2, "the thing has no key :nmae; its keys are :name, :count"],
    ["(:name :count 3)", "invalid-structure", 1, 15, "got an integer where a key belongs"],
  ] as [string, DataFormErrorKind, number, number, string][])(
    "refuses %j",
    (text, code, line, column, message) => {
      const error = refusal(() => plist(text));
      expect(error).toMatchObject({ code, position: { line, column } });
      expect(error.message).toContain(message);
    },
  );
});

describe("values", () => {
  const good = plist('(:name "ä" :count 7 :on t :mode :fast :parts (1 2))');

  it("reads typed values", () => {
    expect(good.string("name", { minCharacters: 1, maxCharacters: 1 })).toBe("ä");
    expect(good.integer("count", { minimum: 1, maximum: 7 })).toBe(7);
    expect(good.boolean("on")).toBe(true);
    expect(good.keyword("mode", ["slow", "fast"])).toBe("fast");
    expect(good.list("parts")).toEqual([1, 2]);
    expect(plist("(:parts nil :on ())").list("parts")).toEqual([]);
    expect(plist("(:parts nil :on ())").boolean("on")).toBe(false);
    expect(good.has("NAME")).toBe(true);
    expect(plist("()").has("name")).toBe(false);
    expect(plist("()").form("name")).toBeUndefined();
  });

  it.each([
    [(reader) => reader.string("count"), "invalid-value", ":count must be a string, got an integer"],
    [(reader) => reader.string("name", { maxCharacters: 0 }), "invalid-value", "got 1 characters"],
    [(reader) => reader.integer("count", { minimum: 8, maximum: 9 }), "invalid-value", "from 8 to 9, got 7"],
    [(reader) => reader.integer("name", { minimum: 0, maximum: 9 }), "invalid-value", "got a string"],
    [(reader) => reader.boolean("count"), "invalid-value", ":count must be T or NIL, got an integer"],
    [(reader) => reader.keyword("mode", ["a", "b"]), "invalid-value", "one of :a, :b, got the keyword :FAST"],
    [(reader) => reader.list("name"), "invalid-value", ":name must be a list, got a string"],
  ] as [(reader: PlistReader) => unknown, DataFormErrorKind, string][])(
    "refuses %s",
    (access, code, message) => {
      const error = refusal(() => access(good));
      expect(error.code).toBe(code);
      expect(error.message).toContain(message);
      expect(error.position?.line).toBe(1);
      expect(error.key).toMatch(/^:/);
    },
  );

  it("names a missing key", () => {
    expect(refusal(() => plist("\n(:on t)").string("name"))).toMatchObject({
      code: "invalid-structure",
      key: ":name",
      position: { line: 2, column: 1 },
    });
  });

  it("takes a string of blanks for empty", () => {
    expect(() => plist('(:name " \n")').string("name", { minCharacters: 1 })).toThrow("got only blanks");
  });

  it("works without places", () => {
    const reader = new PlistReader([keyword("head"), keyword("a"), 1], 1, { what: "it", keys: ["A"] });
    expect(reader.integer("a", { minimum: 0, maximum: 1 })).toBe(1);
    expect(refusal(() => reader.string("a")).position).toBeUndefined();
  });
});

describe("keywords", () => {
  it.each(["", "a b", "a|b", "a:b", "a;b", "a\u0000"])("cannot be named %j", (name) => {
    expect(() => keyword(name)).toThrow(DataValueError);
  });
});
