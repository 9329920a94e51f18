import { LFunction } from "../data/function.ts";
import { LPackage, LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Longest way that is told in full. */
const maximumSteps = 8;

/** Says what has no saved form and how it is reached: from the last symbol or function on the way to it. */
export function unsavableText(way: readonly LispValue[]): string {
  const object = way.at(-1)!;
  const what = `a ${object.constructor.name} has no saved form`;
  const start = way.findLastIndex((each) => nameOf(each) !== null);
  if (start < 0) return `${what}; take it out of the image and save again`;
  const steps = way.slice(start + 1, -1).map((each) => plainName(each));
  const through = steps.length === 0 ? "" : ` through ${steps.slice(0, maximumSteps).join(", ")}`;
  const more = steps.length > maximumSteps ? ` and ${steps.length - maximumSteps} more` : "";
  return `${what}; it is reached from ${nameOf(way[start]!)}${through}${more}: take it out there and save again`;
}

function nameOf(object: LispValue): string | null {
  if (object instanceof LSymbol) {
    const { pkg, name } = object;
    if (pkg === null) return null;
    return pkg.keywords ? `:${name}` : `${pkg.name}::${name}`;
  }
  return object instanceof LFunction && object.info.name instanceof LSymbol
    ? `the function ${nameOf(object.info.name) ?? object.info.name.name}`
    : null;
}

function plainName(object: LispValue): string {
  if (object instanceof LPackage) return `the package ${object.name}`;
  if (Array.isArray(object)) return "a vector";
  const { name } = object.constructor;
  return name === "Cons" ? "a list" : `a ${name}`;
}

/** The way from one of the roots to an object, each step in what the one before refers to; empty when there is none. */
export function wayTo(
  object: LispValue,
  roots: readonly LispValue[],
  partsOf: (each: LispValue, visit: (part: LispValue) => void) => void,
): readonly LispValue[] {
  const from = new Map<LispValue, LispValue | null>(roots.map((root) => [root, null]));
  const queue = [...roots];
  for (let i = 0; i < queue.length && !from.has(object); i++) {
    partsOf(queue[i]!, (part) => {
      if (typeof part !== "object" || from.has(part)) return;
      from.set(part, queue[i]!);
      queue.push(part);
    });
  }
  const way: LispValue[] = [];
  for (let step: LispValue | null = from.has(object) ? object : null; step !== null;) {
    way.push(step);
    step = from.get(step) ?? null;
  }
  return way.toReversed();
}
