import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readableText } from "../../../workers/text/readable-text.ts";

describe("readableText", () => {
  test.each([
    ["\u001b[31mred\u001b[0m plain", "red plain"],
    ["\u001b]8;;http://x\u0007link\u001b]8;;\u0007", "link"],
    ["10%\r50%\r100%\ndone\r\n", "100%\ndone\n"],
    ["ab\bc", "ac"],
    ["\b\bx", "x"],
    ["a\tb\u0000c\u0007", "a\tb␀c␇"],
  ])("%j becomes %j", (raw, text) => {
    expect(readableText(Buffer.from(raw))).toBe(text);
  });

  test("replaces what is no UTF-8 and never leaves a control character", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(readableText(bytes).replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
