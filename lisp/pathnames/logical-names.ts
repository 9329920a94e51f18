import { arrayToList, Cons } from "../data/cons.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { directoryParts, type PathKeywords, WildPattern } from "./components.ts";
import { NameProblem } from "./native-names.ts";

const word = /^[-A-Z0-9*]+$/;

function logicalComponent(text: string, keywords: PathKeywords): LispValue {
  const upper = text.toUpperCase();
  if (upper === "*") return keywords.wild;
  if (!word.test(upper)) throw new NameProblem(`${JSON.stringify(text)} is no word of a logical pathname`);
  return upper.includes("*") ? new WildPattern(upper) : LString.from(upper);
}

function logicalVersion(text: string, keywords: PathKeywords): LispValue {
  const upper = text.toUpperCase();
  if (upper === "*") return keywords.wild;
  if (upper === "NEWEST") return keywords.newest;
  if (!/^[0-9]+$/.test(upper))
    throw new NameProblem(`${JSON.stringify(text)} is no version of a logical pathname`);
  return Number(upper);
}

/** The host at the beginning of a logical namestring, in upper case, or undefined. */
export function logicalHostOf(text: string): string | undefined {
  const colon = text.indexOf(":");
  if (colon < 0) return undefined;
  const host = text.slice(0, colon).toUpperCase();
  return /^[-A-Z0-9]+$/.test(host) ? host : undefined;
}

/** The logical pathname of a namestring without its host. */
export function parseLogical(host: LString, text: string, keywords: PathKeywords): Pathname {
  const parts = text.split(";");
  const file = parts.pop() ?? "";
  const relative = parts[0] === "" && parts.length > 0;
  const names = (relative ? parts.slice(1) : parts).map((part) =>
    part === "**" ? keywords.wildInferiors : logicalComponent(part, keywords),
  );
  const kind = relative ? keywords.relative : keywords.absolute;
  const directory = relative && names.length === 0 ? new Cons(kind, NIL) : new Cons(kind, arrayToList(names));
  const [name = "", type, version, ...more] = file.split(".");
  if (more.length > 0) throw new NameProblem("a logical pathname has at most a name, a type and a version");
  return new Pathname(
    host,
    keywords.unspecific,
    parts.length === 0 && !relative ? new Cons(keywords.absolute, NIL) : directory,
    name === "" ? NIL : logicalComponent(name, keywords),
    type === undefined || type === "" ? NIL : logicalComponent(type, keywords),
    version === undefined || version === "" ? NIL : logicalVersion(version, keywords),
    true,
  );
}

function logicalText(component: LispValue): string {
  if (component instanceof LString) return component.toJS();
  if (component instanceof WildPattern) return component.source;
  if (typeof component === "number") return String(component);
  if (component instanceof LSymbol && component.name === "WILD") return "*";
  if (component instanceof LSymbol && component.name === "WILD-INFERIORS") return "**";
  if (component instanceof LSymbol && component.name === "NEWEST") return "NEWEST";
  throw new NameProblem("a component has no form in a logical namestring");
}

/** Directory part of a logical namestring. */
export function logicalDirectory(directory: LispValue): string {
  if (!(directory instanceof Cons)) return "";
  const relative = directory.car instanceof LSymbol && directory.car.name === "RELATIVE";
  return (
    (relative ? ";" : "") +
    directoryParts(directory)
      .map((part) => `${logicalText(part)};`)
      .join("")
  );
}

/** Name, type and version of a logical namestring. */
export function logicalFile(pathname: Pathname): string {
  const { name, type, version } = pathname;
  let text = name === NIL ? "" : logicalText(name);
  if (type !== NIL) text += `.${logicalText(type)}`;
  if (version !== NIL) text += `${type === NIL ? "." : ""}.${logicalText(version)}`;
  return text;
}
