/** Registers strings (chapter 16) and PARSE-INTEGER as leaves. */
import { char } from "../data/character.ts";
import { arrayToList, Cons } from "../data/cons.ts";
import { LispError, simpleError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL } from "../data/symbol.ts";
import { SHARE, Unfinished, forShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { checkIndex, elementAt, isArray, isVector } from "../arrays/array-access.ts";
import { standardKind } from "../arrays/element-types.ts";
import { TOTAL_SIZE_LIMIT, arrayTooLarge } from "../arrays/array-making.ts";
import { parseDigits } from "../numbers/integer-text.ts";
import { negInt } from "../numbers/integers.ts";
import { digitWeight, downcaseCode, upcaseCode } from "./char-case.ts";
import { designatedText, requireChar } from "./character-leaves.ts";

export function requireString(x: LispValue): LString {
  if (x instanceof LString) return x;
  throw typeError(x, "STRING");
}

function requireSimpleString(x: LispValue): LString {
  if (x instanceof LString && x.simple) return x;
  throw typeError(x, "SIMPLE-STRING");
}

/** A string designator as a string; symbols and characters give fresh ones. */
function designatedString(x: LispValue): LString {
  return x instanceof LString ? x : LString.from(designatedText(x));
}

/** Start and end arguments within a length; NIL ends at the length. */
export function bounds(
  start: LispValue | undefined,
  end: LispValue | undefined,
  length: number,
): [start: number, end: number] {
  const stop = end === undefined || end === NIL ? length : end;
  if (typeof stop !== "number" || stop < 0 || stop > length)
    throw typeError(stop, `(OR NULL (INTEGER 0 ${length}))`);
  const from = start ?? 0;
  if (typeof from !== "number" || from < 0) throw typeError(from, `(INTEGER 0 ${stop})`);
  if (from > stop) {
    throw new LispError("SIMPLE-TYPE-ERROR", [
      ["DATUM", from],
      ["EXPECTED-TYPE", `(INTEGER 0 ${stop})`],
      ["FORMAT-CONTROL", "The start ~D is beyond the end ~D, in a sequence of ~D element~:P."],
      ["FORMAT-ARGUMENTS", arrayToList([from, stop, length])],
    ]);
  }
  return [from, stop];
}

function installAccess(define: DefineLeaf, host: LeafHost): void {
  for (const name of ["CHAR", "SCHAR"]) {
    const check = name === "CHAR" ? requireString : requireSimpleString;
    define(name, "string index", (x: LispValue, index: LispValue) => {
      const string = check(x);
      return char(string.code(checkIndex(index, string.total)));
    });
    define(`(SETF ${name})`, "value string index", (value: LispValue, x: LispValue, index: LispValue) => {
      const string = check(x);
      string.setCode(checkIndex(index, string.total), requireChar(value).code);
      return value;
    });
  }
  define("STRING", "x", (x: LispValue) => designatedString(x));
  define(
    "MAKE-STRING",
    "size &key initial-element element-type",
    (size: LispValue, element?: LispValue, type?: LispValue) => {
      if ((typeof size === "number" || typeof size === "bigint") && size >= TOTAL_SIZE_LIMIT)
        throw arrayTooLarge(size, TOTAL_SIZE_LIMIT - 1);
      if (typeof size !== "number" || size < 0 || size >= TOTAL_SIZE_LIMIT)
        throw typeError(size, `(INTEGER 0 (${TOTAL_SIZE_LIMIT}))`);
      const kind = type === undefined ? "character" : standardKind(type);
      host.charge(size);
      const result = LString.make(size, element === undefined ? 0 : requireChar(element).code);
      result.base = kind === "base-char";
      return result;
    },
  );
}

type CodeMap = (code: number, previous: number) => number;

function isAlphanumeric(code: number): boolean {
  return digitWeight(code, 36) >= 0 || (code >= 128 && /^[\p{L}\p{N}]$/u.test(String.fromCodePoint(code)));
}

/** Name, what becomes of a character, and of a text of ASCII. */
const MAPS: readonly (readonly [string, CodeMap, (text: string) => string])[] = [
  ["UPCASE", upcaseCode, (text) => text.toUpperCase()],
  ["DOWNCASE", downcaseCode, (text) => text.toLowerCase()],
  [
    "CAPITALIZE",
    (code, previous) => (previous >= 0 && isAlphanumeric(previous) ? downcaseCode(code) : upcaseCode(code)),
    (text) => text.toLowerCase().replace(/[a-z0-9]+/g, (word) => word[0]!.toUpperCase() + word.slice(1)),
  ],
];

/** A character that is not of ASCII. */
const beyondAscii = /[^\0-\x7f]/;

/** Maps the codes of a part of a string into another string, which is the value. */
function mapCodes(source: LString, target: LString, map: CodeMap, start: number, end: number): LispValue {
  let previous = -1;
  const part = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const code = source.code(i);
      const mapped = map(code, previous);
      if (mapped !== code) target.setCode(i, mapped);
      previous = code;
    }
  };
  return forShares(start, end, part, () => target);
}

function installCase(define: DefineLeaf, host: LeafHost): void {
  for (const [suffix, map, ascii] of MAPS) {
    define(
      `STRING-${suffix}`,
      "string &key start end",
      (x: LispValue, start?: LispValue, end?: LispValue) => {
        const source = designatedString(x);
        if (start === undefined && end === undefined && source.length < SHARE) {
          const text = source.toJS();
          if (!beyondAscii.test(text)) return LString.from(ascii(text));
        }
        const [from, to] = bounds(start, end, source.length);
        const result = source.substring(0, source.length);
        host.charge((to - from) % SHARE);
        return mapCodes(source, result, map, from, to);
      },
    );
    define(
      `NSTRING-${suffix}`,
      "string &key start end",
      (x: LispValue, start?: LispValue, end?: LispValue) => {
        const string = requireString(x);
        const [from, to] = bounds(start, end, string.length);
        host.charge((to - from) % SHARE);
        return mapCodes(string, string, map, from, to);
      },
    );
  }
}

/** Codes of a bag of characters, any sequence. */
function bagCodes(bag: LispValue): Set<number> {
  const codes = new Set<number>();
  if (isArray(bag) && isVector(bag)) {
    for (let i = 0; i < bag.length; i++) addToBag(codes, elementAt(bag, i));
    return codes;
  }
  let rest = bag;
  for (; rest instanceof Cons; rest = rest.cdr) addToBag(codes, rest.car);
  if (rest !== NIL) throw typeError(rest === bag ? bag : rest, rest === bag ? "SEQUENCE" : "LIST");
  return codes;
}

function addToBag(codes: Set<number>, item: LispValue): void {
  codes.add(requireChar(item).code);
}

function installTrimming(define: DefineLeaf): void {
  for (const [name, left, right] of [
    ["STRING-TRIM", true, true],
    ["STRING-LEFT-TRIM", true, false],
    ["STRING-RIGHT-TRIM", false, true],
  ] as const) {
    define(name, "character-bag string", (bag: LispValue, x: LispValue) => {
      const codes = bagCodes(bag);
      const string = designatedString(x);
      let start = 0;
      let end = string.length;
      if (left) while (start < end && codes.has(string.code(start))) start++;
      if (right) while (end > start && codes.has(string.code(end - 1))) end--;
      return string.substring(start, end);
    });
  }
}

type Judge = (order: number) => boolean;

const COMPARISONS: readonly (readonly [exact: string, folded: string, holds: Judge])[] = [
  ["STRING/=", "STRING-NOT-EQUAL", (order) => order !== 0],
  ["STRING<", "STRING-LESSP", (order) => order < 0],
  ["STRING>", "STRING-GREATERP", (order) => order > 0],
  ["STRING<=", "STRING-NOT-GREATERP", (order) => order <= 0],
  ["STRING>=", "STRING-NOT-LESSP", (order) => order >= 0],
];

const COMPARISON_LIST = "string1 string2 &key start1 end1 start2 end2";
type Bound = LispValue | undefined;
type ComparisonArguments = [LispValue, LispValue, Bound?, Bound?, Bound?, Bound?];

/** Says what a comparison gives: the first index (in the first string) where two parts differ, and the order of the parts. */
type Verdict = (index: number, order: number) => LispValue;

/** The first index from `first` below `stop` at which two parts differ, or `stop`. */
function differingIndex(
  a: LString,
  from1: number,
  b: LString,
  from2: number,
  first: number,
  stop: number,
): number {
  let i = first;
  while (i < stop && a.code(from1 + i) === b.code(from2 + i)) i++;
  return i;
}

/** Like `differingIndex`, for characters without regard to case. */
function differingFolded(
  a: LString,
  from1: number,
  b: LString,
  from2: number,
  first: number,
  stop: number,
): number {
  let i = first;
  for (; i < stop; i++) {
    const p = a.code(from1 + i);
    const q = b.code(from2 + i);
    if (p !== q && upcaseCode(p) !== upcaseCode(q)) break;
  }
  return i;
}

function compareParts(
  host: LeafHost,
  fold: boolean,
  [x, y, start1, end1, start2, end2]: ComparisonArguments,
  then: Verdict,
): LispValue {
  const a = designatedString(x);
  const b = designatedString(y);
  const [from1, to1] = bounds(start1, end1, a.length);
  const [from2, to2] = bounds(start2, end2, b.length);
  const shared = Math.min(to1 - from1, to2 - from2);
  const differing = fold ? differingFolded : differingIndex;
  const from = (first: number): LispValue => {
    const stop = Math.min(shared, first + SHARE);
    const i = differing(a, from1, b, from2, first, stop);
    if (i < stop) {
      const p = a.code(from1 + i);
      const q = b.code(from2 + i);
      return then(from1 + i, fold ? upcaseCode(p) - upcaseCode(q) : p - q);
    }
    if (stop < shared) throw new Unfinished(() => from(stop));
    host.charge(stop - first);
    return then(from1 + shared, to1 - from1 - (to2 - from2));
  };
  return from(0);
}

function installComparisons(define: DefineLeaf, host: LeafHost): void {
  for (const [name, fold] of [
    ["STRING=", false],
    ["STRING-EQUAL", true],
  ] as const) {
    define(
      name,
      COMPARISON_LIST,
      (
        x: LispValue,
        y: LispValue,
        start1?: LispValue,
        end1?: LispValue,
        start2?: LispValue,
        end2?: LispValue,
      ) => {
        if (
          !fold &&
          start1 === undefined &&
          end1 === undefined &&
          start2 === undefined &&
          end2 === undefined
        ) {
          if (!(x instanceof LString) || !(y instanceof LString))
            return bool(designatedText(x) === designatedText(y));
          return x.length === y.length ? bool(x.toJS() === y.toJS()) : NIL;
        }
        const parts: ComparisonArguments = [x, y, start1, end1, start2, end2];
        return compareParts(host, fold, parts, (_index, order) => bool(order === 0));
      },
    );
  }
  for (const [exact, folded, holds] of COMPARISONS) {
    for (const [name, fold] of [
      [exact, false],
      [folded, true],
    ] as const) {
      define(
        name,
        COMPARISON_LIST,
        (x: LispValue, y: LispValue, start1?: Bound, end1?: Bound, start2?: Bound, end2?: Bound) => {
          const plain =
            start1 === undefined && end1 === undefined && start2 === undefined && end2 === undefined;
          if (plain && !fold && x instanceof LString && y instanceof LString && x.length < SHARE) {
            const shared = Math.min(x.length, y.length);
            const i = differingIndex(x, 0, y, 0, 0, shared);
            host.charge(i);
            return holds(i < shared ? x.code(i) - y.code(i) : x.length - y.length) ? i : NIL;
          }
          const parts: ComparisonArguments = [x, y, start1, end1, start2, end2];
          return compareParts(host, fold, parts, (index, order) => (holds(order) ? index : NIL));
        },
      );
    }
  }
}

function isWhitespace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** The digits of a part of a string in ASCII; digits of other scripts count by their weight. */
function digitText(string: LString, start: number, count: number, radix: number): string {
  const text = string.substring(start, start + count).toJS();
  if (/^[0-9a-zA-Z]*$/.test(text)) return text;
  return Array.from({ length: count }, (_, i) =>
    digitWeight(string.code(start + i), radix).toString(36),
  ).join("");
}

function installParseInteger(define: DefineLeaf, host: LeafHost): void {
  define(
    "PARSE-INTEGER",
    "string &key start end radix junk-allowed",
    (
      x: LispValue,
      start?: LispValue,
      end?: LispValue,
      radix: LispValue = 10,
      junkAllowed: LispValue = NIL,
    ) => {
      const string = requireString(x);
      if (typeof radix !== "number" || radix < 2 || radix > 36) throw typeError(radix, "(INTEGER 2 36)");
      const [from, to] = bounds(start, end, string.length);
      let at = from;
      while (at < to && isWhitespace(string.code(at))) at++;
      const sign = at < to ? string.code(at) : 0;
      if (sign === 43 || sign === 45) at++;
      const firstDigit = at;
      while (at < to && digitWeight(string.code(at), radix) >= 0) at++;
      const count = at - firstDigit;
      if (junkAllowed === NIL) {
        let rest = at;
        while (rest < to && isWhitespace(string.code(rest))) rest++;
        if (count === 0 || rest < to) {
          throw simpleError(
            "AUTOLITH-SYSTEM::SIMPLE-PARSE-ERROR",
            "~S does not hold an integer in radix ~D.",
            string,
            radix,
          );
        }
        at = rest;
      }
      if (count === 0) return host.values(NIL, at);
      host.charge(to - from);
      const digits = digitText(string, firstDigit, count, radix);
      const magnitude = parseDigits(digits, radix);
      return host.values(sign === 45 ? negInt(magnitude) : magnitude, at);
    },
    { values: true },
  );
}

/** Access, case, trimming and comparison of strings, and PARSE-INTEGER. */
export const installStrings: LeafInstaller = (define, host) => {
  installAccess(define, host);
  installCase(define, host);
  installTrimming(define);
  installComparisons(define, host);
  installParseInteger(define, host);
};
