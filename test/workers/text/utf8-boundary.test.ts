import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leadingContinuation, trailingIncomplete } from "../../../workers/text/utf8-boundary.ts";

describe("cut positions", () => {
  test("cutting what they say leaves whole characters at both ends of any slice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(), fc.nat(), (text, a, b) => {
        const bytes = Buffer.from(text);
        const [from = 0, to = 0] = [a % (bytes.length + 1), b % (bytes.length + 1)].sort((x, y) => x - y);
        const slice = bytes.subarray(from, to);
        const start = leadingContinuation(slice);
        const inner = slice.subarray(start, slice.length - trailingIncomplete(slice.subarray(start)));
        expect(() => new TextDecoder("utf-8", { fatal: true }).decode(inner)).not.toThrow();
      }),
    );
  });
});
