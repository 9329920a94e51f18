import { Cons, listToArray } from "../data/cons.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** A part of a wild component: one plain character, or something that stands for others, as it is spelt. */
export type WildPiece = Readonly<{ kind: "plain" | "wild"; text: string; source: string }>;

/** A name, type or directory with wild characters in it: `*`, `?`, `[…]`; a backslash makes the next one plain, in brackets too. */
export class WildPattern {
  readonly source: string;
  readonly pieces: readonly WildPiece[];
  /** Matches the whole text; a group for each wild piece. */
  readonly expression: RegExp;
  constructor(source: string) {
    this.source = source;
    this.pieces = [...wildPieces(source)];
    this.expression = new RegExp(`^${this.pieces.map(pieceExpression).join("")}$`, "u");
  }
}

/** The keywords that stand in pathname components. */
export interface PathKeywords {
  absolute: LSymbol;
  relative: LSymbol;
  wild: LSymbol;
  wildInferiors: LSymbol;
  up: LSymbol;
  back: LSymbol;
  home: LSymbol;
  newest: LSymbol;
  unspecific: LSymbol;
}

/** Index of the bracket that closes the class begun before `from`, or -1. */
function closingBracket(source: string, from: number): number {
  for (let i = from; i < source.length; i++) {
    if (source[i] === "]") return i;
    if (source[i] === "\\") i++;
  }
  return -1;
}

function* wildPieces(source: string): Generator<WildPiece> {
  for (let i = 0; i < source.length; i++) {
    const c = source[i]!;
    const close = c === "[" ? closingBracket(source, i + 1) : -1;
    if (c === "*" || c === "?") yield { kind: "wild", text: c, source: c };
    else if (close > 0) {
      const text = source.slice(i, close + 1);
      yield { kind: "wild", text, source: text };
      i = close;
    } else if (c === "\\" && i + 1 < source.length) {
      const text = source[++i]!;
      yield { kind: "plain", text, source: c + text };
    } else yield { kind: "plain", text: c, source: c };
  }
}

function pieceExpression({ kind, text }: WildPiece): string {
  if (kind === "plain") return text.replace(/[.*+?^${}()|[\]\\/]/, "\\$&");
  if (text === "*") return "([^]*)";
  return text === "?" ? "([^])" : `([${classMembers(text.slice(1, -1))}])`;
}

/** Members of a character class: `a-z` is a range; where the end comes before the beginning the three are plain characters. */
function classMembers(source: string): string {
  const spelt = source.match(/\\[^]|[^]/gu) ?? [];
  const member = (piece: string): string => piece.replace(/^\\(?=[^])/u, "").replace(/[\\\]^-]/, "\\$&");
  const code = (piece: string): number => piece.codePointAt(piece.length > 1 && piece[0] === "\\" ? 1 : 0)!;
  let text = "";
  for (let i = 0; i < spelt.length; i++) {
    const first = spelt[i]!;
    const last = spelt[i + 1] === "-" ? spelt[i + 2] : undefined;
    text += member(first);
    if (last === undefined || code(first) > code(last)) continue;
    text += `-${member(last)}`;
    i += 2;
  }
  return text;
}

const wildCharacter = /(^|[^\\])(\\\\)*[*?[]/;

/** Component of a piece of a native name: keyword for `*`, pattern, or string without its escapes. */
export function parseComponent(text: string, keywords: PathKeywords): LispValue {
  if (text === "*") return keywords.wild;
  if (wildCharacter.test(text)) return new WildPattern(text);
  return LString.from(text.replace(/\\([^])/g, "$1"));
}

/** Text of a component in a native name, or undefined when it has none there. */
export function componentText(component: LispValue): string | undefined {
  if (component instanceof LString) return component.toJS().replace(/[*?[\\]/g, "\\$&");
  if (component instanceof WildPattern) return component.source;
  if (component instanceof LSymbol && component.name === "WILD") return "*";
  return undefined;
}

/** Elements of a directory component after its first. */
export function directoryParts(directory: LispValue): LispValue[] {
  return directory instanceof Cons ? (listToArray(directory.cdr) ?? []) : [];
}

/** True for a directory that begins at the root. */
export function isAbsolute(directory: LispValue): boolean {
  return directory instanceof Cons && directory.car instanceof LSymbol && directory.car.name === "ABSOLUTE";
}

/** True for a component that stands for several names. */
export function isWild(component: LispValue): boolean {
  if (component instanceof WildPattern) return true;
  return component instanceof LSymbol && (component.name === "WILD" || component.name === "WILD-INFERIORS");
}

/** EQUAL on components. */
export function sameComponent(a: LispValue, b: LispValue): boolean {
  if (a === b) return true;
  if (a instanceof LString && b instanceof LString) return a.toJS() === b.toJS();
  if (a instanceof WildPattern && b instanceof WildPattern) return a.source === b.source;
  if (a instanceof Cons && b instanceof Cons)
    return sameComponent(a.car, b.car) && sameComponent(a.cdr, b.cdr);
  return false;
}

/** EQUAL on pathnames; a version that is missing and the newest one are the same. */
export function samePathname(a: Pathname, b: Pathname): boolean {
  const version = (v: LispValue): LispValue => (v instanceof LSymbol && v.name === "NEWEST" ? NIL : v);
  return (
    a.logical === b.logical &&
    sameComponent(a.host, b.host) &&
    sameComponent(a.device, b.device) &&
    sameComponent(a.directory, b.directory) &&
    sameComponent(a.name, b.name) &&
    sameComponent(a.type, b.type) &&
    sameComponent(version(a.version), version(b.version))
  );
}
