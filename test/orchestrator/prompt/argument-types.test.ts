import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  argumentSchema,
  expectedType,
  expectedWords,
  keywordText,
  lispNotation,
  lispText,
  schemaAt,
  spelledName,
} from "../../../orchestrator/prompt/argument-types.ts";

const schema = argumentSchema(
  z.strictObject({
    count: z.int().min(1).max(9).optional(),
    ratio: z.number().nullable(),
    mode: z.enum(["plain", "Fuzzy"]),
    id: z.union([z.string().min(1), z.int()]),
    rows: z.array(z.strictObject({ ok: z.boolean(), tags: z.record(z.string(), z.string()) })).min(1),
  }),
);

describe("types of arguments in the words of Lisp", () => {
  it.each([
    [["count"], "an integer from 1 to 9", "(INTEGER 1 9)"],
    [["ratio"], "a number or :null", "(OR REAL NULL)"],
    [["mode"], 'one of :plain, "Fuzzy"', '(MEMBER :plain "Fuzzy")'],
    [["id"], "a string that is not empty or an integer", "(OR STRING INTEGER)"],
    [["rows"], "a list or (vector …) that is not empty", "SEQUENCE"],
    [["rows", 3], '(dict "key" value …)', "HASH-TABLE"],
    [["rows", 3, "ok"], "t or nil", "BOOLEAN"],
  ] as const)("%j", (path, words, type) => {
    const nodes = schemaAt(schema, path);
    expect(expectedWords(nodes, lispNotation)).toBe(words);
    expect(expectedType(nodes)).toBe(type);
  });

  it("bounds of lists and of positive integers are named", () => {
    const bounded = argumentSchema(
      z.strictObject({ batch: z.array(z.string()).min(1).max(16), token: z.int().positive().max(99) }),
    );
    const words = (name: string) => expectedWords(schemaAt(bounded, [name]), lispNotation);
    expect(words("batch")).toBe("a list or (vector …) of 1 to 16 elements");
    expect(words("token")).toBe("an integer from 1 to 99");
  });

  it("names with capitals are spelled as in Lisp where that names one", () => {
    expect(keywordText("discardDirty")).toBe(":discard-dirty");
    const names = ["discardDirty", "id", "aB", "a-b"];
    expect(
      ["discard-dirty", "discarddirty", "discardDirty", "id", "a-b", "none"].map((each) =>
        spelledName(each, names),
      ),
    ).toEqual(["discardDirty", "discardDirty", "discardDirty", "id", "a-b", "none"]);
  });

  it("values are shown as they are typed, up to a bound that is counted", () => {
    expect(lispText({ a: [1, 'x"y', null, true, false] })).toBe('(dict "a" (vector 1 "x\\"y" :null T NIL))');
    expect(lispText("y".repeat(300))).toMatch(/^"y{119}… \(182 more characters\)$/);
  });
});
