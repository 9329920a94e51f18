/** Symbols in token syntax: package markers, case conversion, interning. */
import { LString } from "../data/string.ts";
import { LSymbol } from "../data/symbol.ts";
import {
  downcaseCode,
  downcaseText,
  isLowerCode,
  isUpperCode,
  upcaseCode,
  upcaseText,
} from "../characters/char-case.ts";
import type { ReadtableCase } from "./readtable.ts";
import type { ReaderState } from "./reader-state.ts";

/** Name with the case conversion of a readtable, when no character of it was escaped. */
export function convertCase(name: string, mode: ReadtableCase): string {
  switch (mode) {
    case "UPCASE":
      return upcaseText(name);
    case "DOWNCASE":
      return downcaseText(name);
    case "PRESERVE":
      return name;
    default:
      return invertCase(name);
  }
}

function invertCase(name: string): string {
  const codes = Array.from(name, (c) => c.codePointAt(0) as number);
  const upper = codes.some(isUpperCode);
  const lower = codes.some(isLowerCode);
  if (upper === lower) return name;
  return upper ? downcaseText(name) : upcaseText(name);
}

/** The same for codes of which some were escaped; those keep their case. */
export function convertCodes(
  codes: readonly number[],
  escaped: readonly boolean[],
  mode: ReadtableCase,
): number[] {
  let convert: (code: number) => number = (code) => code;
  if (mode === "UPCASE") convert = upcaseCode;
  else if (mode === "DOWNCASE") convert = downcaseCode;
  else if (mode === "INVERT") {
    const free = codes.filter((_, i) => escaped[i] !== true);
    const upper = free.some(isUpperCode);
    if (upper !== free.some(isLowerCode)) convert = upper ? downcaseCode : upcaseCode;
  }
  return codes.map((code, i) => (escaped[i] === true ? code : convert(code)));
}

/** Symbol found or made in the current package. */
export function internCurrent(reader: ReaderState, name: string): LSymbol {
  if (!reader.dry) return reader.pkg.intern(name);
  return reader.pkg.lookup(name) ?? new LSymbol(name, null);
}

export function internKeyword(reader: ReaderState, name: string): LSymbol {
  const { keywordPackage } = reader.context;
  if (!reader.dry) return keywordPackage.intern(name);
  return keywordPackage.lookup(name) ?? new LSymbol(name, null);
}

/** Symbol named with a package prefix; one colon asks for an external symbol. */
export function internQualified(reader: ReaderState, prefix: string, name: string, colons: number): LSymbol {
  if (reader.dry) return new LSymbol(name, null);
  const pkg = reader.context.host.findPackage(prefix);
  if (pkg === null) return reader.fail("there is no package named ~S", LString.from(prefix));
  if (colons === 2) return pkg.intern(name);
  if (pkg.keywords) return pkg.intern(name);
  const found = pkg.find(name);
  if (found === null) {
    return reader.fail("there is no symbol ~S in package ~A", LString.from(name), LString.from(pkg.name));
  }
  if (found.status !== "external") {
    return reader.fail(
      "the symbol ~S is not external in package ~A",
      LString.from(name),
      LString.from(pkg.name),
    );
  }
  return found.symbol;
}

/** Where the package marker of a token is; `colons` 0 when there is none. */
export interface Marker {
  readonly at: number;
  readonly colons: number;
}

/** Finds the package marker among unescaped codes; a wrong one is a reader error. */
export function findMarker(
  reader: ReaderState,
  codes: ArrayLike<number>,
  escaped: readonly boolean[] | null,
): Marker {
  let at = -1;
  let colons = 0;
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] !== 58 || escaped?.[i] === true) continue;
    if (at < 0) {
      at = i;
      colons = 1;
    } else if (colons === 1 && i === at + 1) {
      colons = 2;
    } else {
      reader.fail("a symbol has too many package markers");
    }
  }
  return { at, colons };
}
