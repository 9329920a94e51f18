import { downcaseText, upcaseText } from "../characters/char-case.ts";
import type { LeafHost } from "../data/leaf.ts";
import type { LPackage, LSymbol } from "../data/symbol.ts";
import type { PrintCase, PrintSettings } from "./settings.ts";

/** Characters that cannot stand unescaped in a token. */
const special = /[\s\p{Cc}"'(),:;`|\\]/u;

function isDigit(code: number, base: number): boolean {
  if (code >= 48 && code <= 57) return code - 48 < base || base <= 10;
  const letter = code >= 97 ? code - 32 : code;
  return base > 10 && letter >= 65 && letter <= 90 && letter - 55 < base;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** True when a token could be read as a number in that base (section 2.3.1.1). */
export function isPotentialNumber(token: string, base: number): boolean {
  let digits = 0;
  for (let i = 0; i < token.length; i++) {
    const code = token.charCodeAt(i);
    if (isDigit(code, base)) digits++;
    else if (isLetter(code)) {
      const next = token.charCodeAt(i + 1);
      if (i === 0 || (isLetter(next) && !isDigit(next, base))) return false;
    } else if (!"+-/.^_".includes(token[i] ?? "")) return false;
  }
  const first = token.charCodeAt(0);
  const last = token.at(-1);
  return (
    digits > 0 && (isDigit(first, base) || "+-.^_".includes(token[0] ?? "")) && last !== "+" && last !== "-"
  );
}

/** Whether reading the bare name would change its letters. */
function caseWouldChange(name: string, caseMode: string): boolean {
  if (caseMode === "UPCASE") return name !== upcaseText(name);
  if (caseMode === "DOWNCASE") return name !== downcaseText(name);
  return false;
}

/** Names remembered as needing no escape, before they are forgotten again. */
const maximumPlainNames = 20_000;

function needsEscape(name: string, settings: PrintSettings): boolean {
  const { plainNames } = settings;
  if (settings.base !== 10 || settings.caseMode !== "UPCASE") return mustEscape(name, settings);
  if (plainNames.has(name)) return false;
  if (mustEscape(name, settings)) return true;
  if (plainNames.size >= maximumPlainNames) plainNames.clear();
  plainNames.add(name);
  return false;
}

function mustEscape(name: string, settings: PrintSettings): boolean {
  if (name === "" || special.test(name) || name.startsWith("#")) return true;
  if (caseWouldChange(name, settings.caseMode)) return true;
  const first = name.charCodeAt(0);
  if (first === 46 && /^\.+$/.test(name)) return true;
  if (settings.base <= 10 && isLetter(first)) return false;
  return isPotentialNumber(name, settings.base);
}

function capitalizeWords(name: string): string {
  return name.replace(/[\p{L}\p{Nd}]+/gu, (word) => word.charAt(0) + downcaseText(word.slice(1)));
}

function inDowncase(name: string, printCase: PrintCase): string {
  if (printCase === "downcase") return name;
  if (printCase === "upcase") return upcaseText(name);
  return name.replace(/[\p{L}\p{Nd}]+/gu, (word) => upcaseText(word.charAt(0)) + word.slice(1));
}

function inverted(name: string): string {
  const [hasUpper, hasLower] = [/\p{Lu}/u.test(name), /\p{Ll}/u.test(name)];
  if (hasUpper === hasLower) return name;
  return hasUpper ? downcaseText(name) : upcaseText(name);
}

/** A symbol's or package's name with the letters as *PRINT-CASE* and the readtable want them, without escapes. */
export function caseName(name: string, { caseMode, printCase }: PrintSettings): string {
  switch (caseMode) {
    case "PRESERVE":
      return name;
    case "INVERT":
      return inverted(name);
    case "DOWNCASE":
      return inDowncase(name, printCase);
    default:
      if (printCase === "upcase") return name;
      return printCase === "downcase" ? downcaseText(name) : capitalizeWords(name);
  }
}

/** The name as a token that reads back, with multiple escapes when it needs them. */
export function tokenText(name: string, settings: PrintSettings): string {
  if (needsEscape(name, settings)) return `|${name.replace(/[|\\]/g, "\\$&")}|`;
  return caseName(name, settings);
}

/** What stands before a symbol's name: nothing, a colon, `#:`, or a package name and colons. */
function packagePrefix(symbol: LSymbol, settings: PrintSettings, host: LeafHost): string {
  const home: LPackage | null = host.symbolPackage(symbol);
  if (home?.keywords) return ":";
  const current = settings.package;
  if (home === null) return settings.gensym ? "#:" : "";
  if (home === current || current.lookup(symbol.name) === symbol) return "";
  const local = [...current.localNicknames].find(([, pkg]) => pkg === home)?.[0];
  const mark = home.external.get(symbol.name) === symbol ? ":" : "::";
  return tokenText(local ?? home.name, settings) + mark;
}

/** Printed representation of a symbol. */
export function symbolText(symbol: LSymbol, settings: PrintSettings, host: LeafHost): string {
  if (!settings.escape) return caseName(symbol.name, settings);
  return packagePrefix(symbol, settings, host) + tokenText(symbol.name, settings);
}
