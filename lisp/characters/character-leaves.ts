/** Registers characters (chapter 13) as leaves. */
import { char, Char, CHAR_CODE_LIMIT, isSurrogate } from "../data/character.ts";
import { typeError } from "../data/error.ts";
import type { DefineLeaf, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { defineConstant } from "../numbers/function-leaves.ts";
import {
  digitWeight,
  downcaseCode,
  isGraphicCode,
  isLowerCode,
  isUpperCode,
  upcaseCode,
} from "./char-case.ts";
import { codeOfName, nameOfCode } from "./char-names.ts";

export function requireChar(x: LispValue): Char {
  if (x instanceof Char) return x;
  throw typeError(x, "CHARACTER");
}

const alphabetic = /^\p{L}$/u;
const numeric = /^\p{N}$/u;

function matches(pattern: RegExp, code: number): boolean {
  return !isSurrogate(code) && pattern.test(String.fromCodePoint(code));
}

function isAlphabetic(code: number): boolean {
  if (code < 128) return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return matches(alphabetic, code) || isUpperCode(code) || isLowerCode(code);
}

function requireRadix(x: LispValue): number {
  if (typeof x === "number" && x >= 2 && x <= 36) return x;
  throw typeError(x, "(INTEGER 2 36)");
}

function installPredicates(define: DefineLeaf): void {
  define("CHARACTERP", "object", (x: LispValue) => bool(x instanceof Char), { total: true });
  define("ALPHA-CHAR-P", "character", (c: LispValue) => bool(isAlphabetic(requireChar(c).code)));
  define("ALPHANUMERICP", "character", (c: LispValue) => {
    const { code } = requireChar(c);
    return bool(isAlphabetic(code) || (code < 128 ? code >= 48 && code <= 57 : matches(numeric, code)));
  });
  define("GRAPHIC-CHAR-P", "char", (c: LispValue) => bool(isGraphicCode(requireChar(c).code)));
  define("STANDARD-CHAR-P", "character", (c: LispValue) => {
    const { code } = requireChar(c);
    return bool(code === 10 || (code >= 32 && code < 127));
  });
  define("UPPER-CASE-P", "character", (c: LispValue) => bool(isUpperCode(requireChar(c).code)));
  define("LOWER-CASE-P", "character", (c: LispValue) => bool(isLowerCode(requireChar(c).code)));
  define("BOTH-CASE-P", "character", (c: LispValue) => {
    const { code } = requireChar(c);
    return bool(isUpperCode(code) || isLowerCode(code));
  });
  define("DIGIT-CHAR-P", "char &optional radix", (c: LispValue, radix: LispValue = 10) => {
    const weight = digitWeight(requireChar(c).code, requireRadix(radix));
    return weight < 0 ? NIL : weight;
  });
}

function installConversions(define: DefineLeaf): void {
  define("CHAR-CODE", "character", (c: LispValue) => requireChar(c).code);
  define("CHAR-INT", "character", (c: LispValue) => requireChar(c).code);
  define("CODE-CHAR", "code", (code: LispValue) => {
    if (typeof code === "number" && code >= 0 && code < CHAR_CODE_LIMIT) {
      return isSurrogate(code) ? NIL : char(code);
    }
    throw typeError(code, `(INTEGER 0 (${CHAR_CODE_LIMIT}))`);
  });
  define("CHAR-UPCASE", "character", (c: LispValue) => char(upcaseCode(requireChar(c).code)));
  define("CHAR-DOWNCASE", "character", (c: LispValue) => char(downcaseCode(requireChar(c).code)));
  define("DIGIT-CHAR", "weight &optional radix", (weight: LispValue, radix: LispValue = 10) => {
    const base = requireRadix(radix);
    if (typeof weight === "bigint" && weight >= 0n) return NIL;
    if (typeof weight !== "number" || weight < 0) throw typeError(weight, "UNSIGNED-BYTE");
    return weight < base ? char(weight < 10 ? 48 + weight : 55 + weight) : NIL;
  });
  define("CHAR-NAME", "character", (c: LispValue) => {
    const name = nameOfCode(requireChar(c).code);
    return name === undefined ? NIL : LString.from(name);
  });
  define("NAME-CHAR", "name", (name: LispValue) => {
    const code = codeOfName(designatedText(name));
    return code === undefined ? NIL : char(code);
  });
  define("CHARACTER", "character", (x: LispValue) => {
    if (x instanceof Char) return x;
    if (x instanceof LString && x.length === 1) return char(x.code(0));
    if (x instanceof LSymbol && Array.from(x.name).length === 1) return char(x.name.codePointAt(0) as number);
    throw typeError(x, "(OR CHARACTER (STRING 1))");
  });
}

/** Text of a string designator. */
export function designatedText(x: LispValue): string {
  if (x instanceof LString) return x.toJS();
  if (x instanceof LSymbol) return x.name;
  if (x instanceof Char) return String.fromCodePoint(x.code);
  throw typeError(x, "(OR STRING SYMBOL CHARACTER)");
}

type Order = (a: number, b: number) => boolean;

const ORDERS: readonly (readonly [exact: string, folded: string, holds: Order])[] = [
  ["CHAR=", "CHAR-EQUAL", (a, b) => a === b],
  ["CHAR<", "CHAR-LESSP", (a, b) => a < b],
  ["CHAR>", "CHAR-GREATERP", (a, b) => a > b],
  ["CHAR<=", "CHAR-NOT-GREATERP", (a, b) => a <= b],
  ["CHAR>=", "CHAR-NOT-LESSP", (a, b) => a >= b],
];

/** Folded comparisons compare upper-case forms, so that letters stay where the standard's order has them. */
function installComparisons(define: DefineLeaf): void {
  const codes = (chars: readonly LispValue[], fold: boolean): number[] =>
    chars.map((c) => (fold ? upcaseCode(requireChar(c).code) : requireChar(c).code));
  for (const [exact, folded, holds] of ORDERS) {
    for (const [name, fold] of [
      [exact, false],
      [folded, true],
    ] as const) {
      define(name, "character &rest more-characters", (...chars: LispValue[]) => {
        const list = codes(chars, fold);
        return bool(list.every((code, i) => i === 0 || holds(list[i - 1] as number, code)));
      });
    }
  }
  for (const [name, fold] of [
    ["CHAR/=", false],
    ["CHAR-NOT-EQUAL", true],
  ] as const) {
    define(name, "character &rest more-characters", (...chars: LispValue[]) => {
      const list = codes(chars, fold);
      return bool(new Set(list).size === list.length);
    });
  }
}

export const installCharacters: LeafInstaller = (define, host) => {
  defineConstant(host, "CHAR-CODE-LIMIT", CHAR_CODE_LIMIT);
  installPredicates(define);
  installConversions(define);
  installComparisons(define);
};
