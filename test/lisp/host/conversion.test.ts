import { assert, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, jsonToLisp, lispToJson } from "../../../lisp/host/conversion.ts";
import { createImage } from "../../../lisp/host/lisp-image.ts";

const lisp = createImage();

describe("conversion between JSON and Lisp", () => {
  it("gives back every JSON value, but for the names of true, false and null", () => {
    const value = jsonValue().filter((json) => !/__proto__|-0/.test(JSON.stringify(json)));
    assert(
      property(value, (json) => {
        const there = jsonToLisp(json as Json, lisp.image);
        expect(lispToJson(there)).toEqual(JSON.parse(JSON.stringify(json)));
      }),
      { numRuns: 300 },
    );
  });

  it("sorts the keys of objects", () => {
    expect(lisp.print(jsonToLisp({ b: 1, a: [true, false, null] }, lisp.image))).toBe(
      '(:OBJECT ("a" (:ARRAY T NIL :NULL)) ("b" 1))',
    );
  });

  it("converts what a call at the prompt may hold", async () => {
    const source =
      '(list :key \'sym #\\x #p"/tmp/a.txt" (vector 1 2.5d0) (let ((h (make-hash-table))) (setf (gethash :Name h) t) h))';
    const result = await lisp.evaluate(source).result;
    if (result.kind !== "values") throw new Error(result.kind);
    expect(lispToJson(result.values[0]!.value)).toEqual([
      "key",
      "sym",
      "x",
      "/tmp/a.txt",
      [1, 2.5],
      { name: true },
    ]);
  });

  it("refuses functions, ratios and dotted lists with the place", async () => {
    for (const source of ["(list 1 #'car)", "(list 1 1/3)", "'(1 (2 . 3))"]) {
      const result = await lisp.evaluate(source).result;
      if (result.kind !== "values") throw new Error(result.kind);
      expect(() => lispToJson(result.values[0]!.value)).toThrow(/^\[1\]: expected/);
    }
  });
});
