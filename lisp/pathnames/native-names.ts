import { arrayToList, Cons } from "../data/cons.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import {
  componentText,
  directoryParts,
  isAbsolute,
  parseComponent,
  type PathKeywords,
} from "./components.ts";

/** Text that names no file: why a pathname has no native name, or a text no pathname. */
export class NameProblem extends Error {
  readonly code = "name-problem";
  constructor(message: string) {
    super(message);
    this.name = "NameProblem";
  }
}

/** Splits at slashes that no backslash makes plain. */
function splitDirectories(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === "\\" && i + 1 < text.length) part += c + text[++i]!;
    else if (c === "/") {
      parts.push(part);
      part = "";
    } else part += c;
  }
  parts.push(part);
  return parts;
}

/** Index of the last dot that no backslash makes plain and that is not the first character, or -1. */
function lastPlainDot(text: string): number {
  let last = -1;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "." && i > 0) last = i;
  }
  return last;
}

/** Puts a backslash before every dot from `from` on that has none. */
function escapedDots(text: string, from: number): string {
  return text.replace(/\\[^]|\./g, (piece, at: number) => (piece === "." && at >= from ? "\\." : piece));
}

/** A name of a directory that the reader would take for something else is written with a backslash. */
function plainDirectory(piece: string, first: boolean): string {
  if (piece === "..") return ".\\.";
  return first && piece === "~" ? "\\~" : piece;
}

function directoryPart(text: string, keywords: PathKeywords): LispValue {
  if (text === "..") return keywords.up;
  if (text === "**") return keywords.wildInferiors;
  return parseComponent(text, keywords);
}

/** The pathname a native (POSIX) name stands for. */
export function parseNative(text: string, keywords: PathKeywords): Pathname {
  if (text.includes("\0")) throw new NameProblem("the name contains a null character");
  const parts = splitDirectories(text);
  const file = parts.pop() ?? "";
  let directory: LispValue = NIL;
  if (parts.length > 0) {
    const absolute = parts[0] === "";
    const names = parts.filter((part) => part !== "").map((part) => directoryPart(part, keywords));
    if (parts[0] === "~") names[0] = keywords.home;
    directory = new Cons(
      absolute || parts[0] === "~" ? keywords.absolute : keywords.relative,
      arrayToList(names),
    );
  }
  if (file === "") return new Pathname(NIL, NIL, directory, NIL, NIL, NIL);
  const dot = lastPlainDot(file);
  const name = parseComponent(dot < 0 ? file : file.slice(0, dot), keywords);
  const type = dot < 0 ? NIL : parseComponent(file.slice(dot + 1), keywords);
  return new Pathname(NIL, NIL, directory, name, type, NIL);
}

/** The native name of a directory component, ending in a slash; empty when there is none. */
export function nativeDirectory(directory: LispValue): string {
  if (!(directory instanceof Cons)) return "";
  let text = isAbsolute(directory) ? "/" : "";
  for (const [i, part] of directoryParts(directory).entries()) {
    const symbol = part instanceof LSymbol ? part.name : "";
    if (symbol === "UP" || symbol === "BACK") text += "../";
    else if (symbol === "WILD-INFERIORS") text += "**/";
    else if (symbol === "HOME" && i === 0) text = "~/";
    else {
      const piece = componentText(part);
      if (piece === undefined) throw new NameProblem("a directory component has no native form");
      text += `${plainDirectory(piece, text === "")}/`;
    }
  }
  return text;
}

/** The native name of the last part of a pathname: name, dot and type. */
export function nativeFile(name: LispValue, type: LispValue): string {
  const nameText = name === NIL ? "" : componentText(name);
  const hasType = type !== NIL && !(type instanceof LSymbol && type.name === "UNSPECIFIC");
  const typeText = hasType ? componentText(type) : "";
  if (nameText === undefined || typeText === undefined)
    throw new NameProblem("a component has no native form");
  if (name === NIL && hasType) throw new NameProblem("there is a type and no name");
  if (name instanceof LString && name.toJS().includes("/"))
    throw new NameProblem("the name contains a slash");
  if (hasType && type instanceof LString && /[/]/.test(type.toJS()))
    throw new NameProblem("the type contains a slash");
  // A dot in a type, or in a name without one, would be read as the beginning of the type.
  return hasType ? `${nameText}.${escapedDots(typeText, 0)}` : escapedDots(nameText, 1);
}

/** The name to hand to the machine: without escapes. */
export function plainName(native: string): string {
  return native.replace(/\\([^])/g, "$1");
}
