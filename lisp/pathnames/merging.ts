import { arrayToList, Cons } from "../data/cons.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { directoryParts, isAbsolute, type PathKeywords, WildPattern } from "./components.ts";

/** A relative directory after another one; `:back` takes away the name before it. */
function mergeDirectories(directory: LispValue, defaults: LispValue): LispValue {
  if (directory === NIL) return defaults;
  if (!(directory instanceof Cons) || isAbsolute(directory) || !(defaults instanceof Cons)) return directory;
  return new Cons(
    defaults.car,
    arrayToList(withoutBacks([...directoryParts(defaults), ...directoryParts(directory)])),
  );
}

/** Takes away each `:back` with the name before it. */
function withoutBacks(parts: readonly LispValue[]): LispValue[] {
  const result: LispValue[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const named =
      last instanceof LString ||
      last instanceof WildPattern ||
      (last instanceof LSymbol && last.name === "WILD");
    if (part instanceof LSymbol && part.name === "BACK" && named) result.pop();
    else result.push(part);
  }
  return result;
}

/** MERGE-PATHNAMES. */
export function mergePathnames(pathname: Pathname, defaults: Pathname, defaultVersion: LispValue): Pathname {
  const host = pathname.host === NIL ? defaults.host : pathname.host;
  const logical = pathname.logical || (pathname.host === NIL && defaults.logical);
  const device = pathname.device === NIL ? defaults.device : pathname.device;
  const version =
    pathname.version !== NIL
      ? pathname.version
      : pathname.name === NIL && defaults.version !== NIL
        ? defaults.version
        : defaultVersion;
  return new Pathname(
    host,
    logical === pathname.logical ? device : defaults.device,
    mergeDirectories(pathname.directory, defaults.directory),
    pathname.name === NIL ? defaults.name : pathname.name,
    pathname.type === NIL ? defaults.type : pathname.type,
    version,
    logical,
  );
}

function commonCase(text: string): string {
  const [upper, lower] = [text.toUpperCase(), text.toLowerCase()];
  if (upper === lower) return text;
  if (text === upper) return lower;
  return text === lower ? upper : text;
}

/** Converts strings between local and common case; the conversion is its own inverse where lower case is customary. */
export function convertCase(component: LispValue): LispValue {
  if (component instanceof LString) return LString.from(commonCase(component.toJS()));
  if (component instanceof Cons) return new Cons(convertCase(component.car), convertCase(component.cdr));
  return component;
}

/** Normal form of a directory argument of MAKE-PATHNAME. */
export function directoryArgument(value: LispValue, keywords: PathKeywords): LispValue {
  if (value instanceof LString) return new Cons(keywords.absolute, new Cons(value, NIL));
  if (value === keywords.wild) return new Cons(keywords.absolute, new Cons(keywords.wildInferiors, NIL));
  if (value instanceof Cons) return new Cons(value.car, arrayToList(withoutBacks(directoryParts(value))));
  return value;
}
