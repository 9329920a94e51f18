import { Cons, listToArray } from "../data/cons.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** A name, type or directory with wild characters in it: `*`, `?`, `[…]`; a backslash makes the next one plain. */
export class WildPattern {
  readonly source: string;
  readonly expression: RegExp;
  constructor(source: string) {
    this.source = source;
    this.expression = patternExpression(source);
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

function patternExpression(source: string): RegExp {
  let text = "";
  for (let i = 0; i < source.length; i++) {
    const c = source[i]!;
    const close = c === "[" ? source.indexOf("]", i + 1) : -1;
    if (c === "*") text += "([^]*)";
    else if (c === "?") text += "([^])";
    else if (close > 0) {
      text += `([${source.slice(i + 1, close).replace(/[\\\]^]/g, "\\$&")}])`;
      i = close;
    } else {
      const plain = c === "\\" && i + 1 < source.length ? source[++i]! : c;
      text += plain.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    }
  }
  return new RegExp(`^${text}$`, "u");
}

const wildCharacter = /(^|[^\\])(\\\\)*[*?[]/;

/** Component of a piece of a native name: keyword for `*`, pattern, or string without its escapes. */
export function parseComponent(text: string, keywords: PathKeywords): LispValue {
  if (text === "*") return keywords.wild;
  if (wildCharacter.test(text)) return new WildPattern(text);
  return LString.from(text.replace(/\\(.)/g, "$1"));
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
