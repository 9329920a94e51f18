import { arrayToList, Cons } from "../data/cons.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { directoryParts, isWild, type PathKeywords, sameComponent, WildPattern } from "./components.ts";
import { NameProblem } from "./native-names.ts";

function isKeyword(value: LispValue, name: string): boolean {
  return value instanceof LSymbol && value.name === name;
}

/** What the wild parts of `pattern` stand for in `value`; undefined when it does not match. Case counts only for native names. */
function matchComponent(value: LispValue, pattern: LispValue): LispValue[] | undefined {
  if (pattern === NIL || isKeyword(pattern, "UNSPECIFIC")) {
    return value === NIL || value === pattern || isKeyword(value, "UNSPECIFIC") ? [] : undefined;
  }
  if (isKeyword(pattern, "WILD")) return [value];
  if (pattern instanceof WildPattern) {
    if (!(value instanceof LString)) return sameComponent(value, pattern) ? [] : undefined;
    const match = pattern.expression.exec(value.toJS());
    return match ? match.slice(1).map((text) => LString.from(text)) : undefined;
  }
  return sameComponent(value, pattern) ? [] : undefined;
}

/** Matches the elements of directories; each `**` gives the list of elements it stands for. */
function matchParts(values: LispValue[], patterns: LispValue[]): LispValue[] | undefined {
  const [pattern, ...rest] = patterns;
  if (pattern === undefined) return values.length === 0 ? [] : undefined;
  if (isKeyword(pattern, "WILD-INFERIORS")) {
    for (let taken = 0; taken <= values.length; taken++) {
      const after = matchParts(values.slice(taken), rest);
      if (after) return [arrayToList(values.slice(0, taken)), ...after];
    }
    return undefined;
  }
  const [value, ...others] = values;
  if (value === undefined) return undefined;
  const here = matchComponent(value, pattern);
  const after = here && matchParts(others, rest);
  return after && [...here, ...after];
}

function matchDirectory(value: LispValue, pattern: LispValue): LispValue[] | undefined {
  if (pattern === NIL) return value === NIL ? [] : [value];
  if (isKeyword(pattern, "WILD")) return [value];
  if (!(pattern instanceof Cons)) return undefined;
  if (!(value instanceof Cons)) {
    return isKeyword(pattern.car, "RELATIVE") ? matchParts([], directoryParts(pattern)) : undefined;
  }
  if (value.car !== pattern.car) return undefined;
  return matchParts(directoryParts(value), directoryParts(pattern));
}

/** PATHNAME-MATCH-P: missing parts of the wildcard match anything. */
export function pathnameMatches(pathname: Pathname, wild: Pathname): boolean {
  const free = (component: LispValue): boolean => component === NIL;
  return (
    (free(wild.host) || sameComponent(pathname.host, wild.host)) &&
    (free(wild.directory) || matchDirectory(pathname.directory, wild.directory) !== undefined) &&
    (free(wild.name) || matchComponent(pathname.name, wild.name) !== undefined) &&
    (free(wild.type) || matchComponent(pathname.type, wild.type) !== undefined) &&
    (free(wild.version) ||
      isKeyword(wild.version, "NEWEST") ||
      pathname.version === NIL ||
      isKeyword(pathname.version, "NEWEST") ||
      matchComponent(pathname.version, wild.version) !== undefined)
  );
}

/** Fills the wild parts of a component with what was matched, in order. */
function fill(component: LispValue, source: LispValue, found: LispValue[]): LispValue {
  if (isKeyword(component, "WILD")) return found.length > 0 ? found.shift()! : source;
  if (!(component instanceof WildPattern)) return component;
  const texts = component.pieces.map(({ kind, text }) => {
    const next = kind === "wild" ? found.shift() : undefined;
    return next instanceof LString ? next.toJS() : text;
  });
  return LString.from(texts.join(""));
}

function fillDirectory(to: LispValue, source: LispValue, found: LispValue[]): LispValue {
  if (!(to instanceof Cons)) return to === NIL ? source : to;
  const parts: LispValue[] = [];
  for (const part of directoryParts(to)) {
    if (isKeyword(part, "WILD-INFERIORS")) {
      let list = found.shift() ?? NIL;
      while (list instanceof Cons) {
        parts.push(list.car);
        list = list.cdr;
      }
    } else parts.push(fill(part, NIL, found));
  }
  return new Cons(to.car, arrayToList(parts));
}

/** Converts strings between the case of logical pathnames and that of native ones. */
function recase(component: LispValue, convert: (text: string) => string): LispValue {
  if (component instanceof LString) return LString.from(convert(component.toJS()));
  if (component instanceof Cons)
    return new Cons(recase(component.car, convert), recase(component.cdr, convert));
  return component;
}

/** TRANSLATE-PATHNAME. */
export function translate(source: Pathname, from: Pathname, to: Pathname, keywords: PathKeywords): Pathname {
  const mismatch = (part: string): never => {
    throw new NameProblem(`the source does not match the wildcard in its ${part}`);
  };
  const convert =
    source.logical === to.logical
      ? undefined
      : (text: string) => (to.logical ? text.toUpperCase() : text.toLowerCase());
  const cased = (values: LispValue[]): LispValue[] =>
    convert ? values.map((value) => recase(value, convert)) : values;
  const component = (key: "name" | "type"): LispValue => {
    const found = from[key] === NIL ? [] : (matchComponent(source[key], from[key]) ?? mismatch(key));
    const original = convert ? recase(source[key], convert) : source[key];
    return to[key] === NIL ? original : fill(to[key], original, cased(found));
  };
  const found = matchDirectory(source.directory, from.directory) ?? mismatch("directory");
  const directory = fillDirectory(
    to.directory,
    convert ? recase(source.directory, convert) : source.directory,
    cased(found),
  );
  const keep = to.version === NIL || isWild(to.version) || to.version === keywords.newest;
  return new Pathname(
    to.host,
    to.device,
    directory,
    component("name"),
    component("type"),
    keep ? source.version : to.version,
    to.logical,
  );
}
