import { describe, expect, it } from "vitest";
import { LPackage } from "../../../lisp/data/symbol.ts";
import { SINGLE } from "../../../lisp/numbers/float-bits.ts";
import type { PrintSettings } from "../../../lisp/printer/settings.ts";
import { caseName, isPotentialNumber, tokenText } from "../../../lisp/printer/symbol-text.ts";

const settings: PrintSettings = {
  escape: true,
  readably: false,
  base: 10,
  radix: false,
  printCase: "upcase",
  gensym: true,
  array: true,
  circle: false,
  pretty: false,
  level: undefined,
  length: undefined,
  caseMode: "UPCASE",
  package: new LPackage("TEST"),
  floatFormat: SINGLE,
  plainNames: new Set(),
};

describe("tokens of symbols", () => {
  it.each([
    ["1B5000", true],
    ["+3", true],
    ["1E5", true],
    ["-", false],
    ["1+", false],
    ["/5", false],
    ["FOO", false],
    ["1/2", true],
    ["^12", true],
    ["A1", false],
  ])("%s is a potential number: %s", (token, expected) => {
    expect(isPotentialNumber(token, 10)).toBe(expected);
  });

  it("takes letters for digits in a large base", () => {
    expect(isPotentialNumber("FACE", 16)).toBe(true);
    expect(isPotentialNumber("FACEST", 16)).toBe(false);
  });

  it.each([
    ["FOO", "FOO"],
    ["foo", "|foo|"],
    ["", "||"],
    ["A B", "|A B|"],
    ["A|B", "|A\\|B|"],
    ["12", "|12|"],
    ["1+", "1+"],
    ["...", "|...|"],
    ["A.B", "A.B"],
    ["#X", "|#X|"],
    ["X#", "X#"],
    ["A:B", "|A:B|"],
  ])("%s is written %s", (name, expected) => {
    expect(tokenText(name, settings)).toBe(expected);
  });

  it.each([
    ["UPCASE", "downcase", "FOO-Bar", "foo-bar"],
    ["UPCASE", "capitalize", "FOO-BAR1A", "Foo-Bar1a"],
    ["DOWNCASE", "upcase", "foo", "FOO"],
    ["PRESERVE", "downcase", "Foo", "Foo"],
    ["INVERT", "downcase", "FOO", "foo"],
    ["INVERT", "upcase", "Foo", "Foo"],
  ] as const)("in mode %s with case %s %s is written %s", (caseMode, printCase, name, expected) => {
    expect(caseName(name, { ...settings, caseMode, printCase })).toBe(expected);
  });
});
