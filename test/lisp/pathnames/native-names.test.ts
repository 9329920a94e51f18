import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrayToList } from "../../../lisp/data/cons.ts";
import { Pathname } from "../../../lisp/data/pathname.ts";
import { LString } from "../../../lisp/data/string.ts";
import { LSymbol, NIL } from "../../../lisp/data/symbol.ts";
import { type PathKeywords, samePathname } from "../../../lisp/pathnames/components.ts";
import { pathnameMatches, translate } from "../../../lisp/pathnames/matching.ts";
import { nativeDirectory, nativeFile, parseNative, plainName } from "../../../lisp/pathnames/native-names.ts";

const key = (name: string): LSymbol => new LSymbol(name, null);
const keywords: PathKeywords = {
  absolute: key("ABSOLUTE"),
  relative: key("RELATIVE"),
  wild: key("WILD"),
  wildInferiors: key("WILD-INFERIORS"),
  up: key("UP"),
  back: key("BACK"),
  home: key("HOME"),
  newest: key("NEWEST"),
  unspecific: key("UNSPECIFIC"),
};

const parse = (text: string) => parseNative(text, keywords);
const write = (text: string): string => {
  const { directory, name, type } = parse(text);
  return nativeDirectory(directory) + nativeFile(name, type);
};

describe("native names", () => {
  it.each([
    "",
    "/",
    "a",
    "a.b",
    "a.b.c",
    ".a",
    ".a.b",
    "a.",
    "..",
    "../a",
    "/a/b/",
    "a/b",
    "*.*",
    "**/*.lisp",
    "a*b.c?",
    "[ab].c",
    "a\\*b",
    "~/x",
  ])("%s is written as it was read", (text) => expect(write(text)).toBe(text));

  it("reads back what it writes", () => {
    // A backslash before a slash would put the slash into a name, which has no native form then.
    const part = fc.stringMatching(/^[a-z~*?.\\[\]-]{1,6}$/).filter((text) => !text.endsWith("\\"));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean(), (parts, absolute) => {
        const text = (absolute ? "/" : "") + parts.join("/");
        const once = parse(text);
        const again = parse(write(text));
        expect(samePathname(once, again)).toBe(true);
      }),
    );
  });

  it("reads back names that are made of their parts", () => {
    const text = fc.string({
      unit: fc.constantFrom(..."ab.~*?[]\\-\n".split("")),
      minLength: 1,
      maxLength: 6,
    });
    const named = fc.record({ parts: fc.array(text, { maxLength: 3 }), name: text, type: fc.option(text) });
    fc.assert(
      fc.property(named, fc.boolean(), ({ parts, name, type }, absolute) => {
        const head = absolute ? keywords.absolute : keywords.relative;
        const directory =
          parts.length === 0 ? NIL : arrayToList([head, ...parts.map((part) => LString.from(part))]);
        const typeString = type === null ? NIL : LString.from(type);
        const made = new Pathname(NIL, NIL, directory, LString.from(name), typeString, keywords.newest);
        const native = nativeDirectory(directory) + nativeFile(made.name, made.type);
        expect(samePathname(parse(native), made)).toBe(true);
        expect(plainName(native)).toBe(
          (absolute && parts.length > 0 ? "/" : "") +
            [...parts, type === null ? name : `${name}.${type}`].join("/"),
        );
      }),
    );
  });

  it.each([
    ["a.b", "*.b", true],
    ["b.x", "[a-c].x", true],
    ["d.x", "[a-c].x", false],
    // The end of the range comes before its beginning: three plain characters.
    ["-", "[z-a]", true],
    ["b", "[z-a]", false],
    ["]", "[\\]]", true],
    ["\\\\", "[\\]]", false],
    ["^", "[^a]", true],
    ["a\\\\.b", "*.b", true],
    ["/x/y/a.b", "/**/*.b", true],
    ["/x/y/a.b", "/x/*.b", false],
    ["foobar", "foo*", true],
    ["fooba", "foo?", false],
  ])("%s matches %s: %s", (name, wild, expected) => {
    expect(pathnameMatches(parse(name), parse(wild))).toBe(expected);
  });

  it.each([
    ["a.b", "*.b", "*.c", "a.c"],
    ["/x/y/a.b", "/x/**/*.*", "/q/**/*.*", "/q/y/a.b"],
    ["foobar", "foo*", "*baz", "barbaz"],
    ["xbz", "x[a\\]b]?", "?[ab]\\*", "bz\\*"],
  ])("%s from %s to %s is %s", (source, from, to, expected) => {
    const { directory, name, type } = translate(parse(source), parse(from), parse(to), keywords);
    expect(nativeDirectory(directory) + nativeFile(name, type)).toBe(expected);
  });
});
