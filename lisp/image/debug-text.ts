import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { LFunction } from "../data/function.ts";
import { LInstance, LStruct } from "../data/instance.ts";
import { DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { LPackage, LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Short text of a value for messages of the boot and the build, where the Lisp printer is not there yet. Bounded in depth and length. */
export function debugText(value: LispValue, depth = 6): string {
  if (typeof value !== "object") return String(value);
  if (value instanceof LSymbol) return value.name;
  if (value instanceof LString) return JSON.stringify(value.toJS());
  if (value instanceof Char) return `#\\${String.fromCodePoint(value.code)}`;
  if (value instanceof DoubleFloat || value instanceof SingleFloat) return String(value.v);
  if (value instanceof Ratio) return `${value.num}/${value.den}`;
  if (value instanceof LFunction) return `#<function ${debugText(value.info.name, depth - 1)}>`;
  if (value instanceof LPackage) return `#<package ${value.name}>`;
  if (depth <= 0) return "…";
  if (value instanceof Cons) return listText(value, depth);
  if (Array.isArray(value))
    return `#(${value
      .slice(0, 10)
      .map((item: LispValue) => debugText(item, depth - 1))
      .join(" ")})`;
  if (value instanceof LStruct)
    return `#S(${value.layout.name.name} ${value.slots.map((slot) => debugText(slot, depth - 2)).join(" ")})`;
  if (value instanceof LInstance) {
    const name = (value.layout.cls as { readonly name?: LispValue }).name;
    const slots = value.layout.slotNames.map(
      (slot, i) => `${slot.name}=${debugText(value.slots[i]!, depth - 2)}`,
    );
    return `#<${name === undefined ? "instance" : debugText(name)} ${slots.join(" ")}>`;
  }
  return `#<${value.constructor.name}>`;
}

function listText(list: Cons, depth: number): string {
  const parts: string[] = [];
  let rest: LispValue = list;
  for (; rest instanceof Cons && parts.length < 30; rest = rest.cdr)
    parts.push(debugText(rest.car, depth - 1));
  if (rest instanceof Cons) parts.push("…");
  else if (!(rest instanceof LSymbol && rest.name === "NIL")) parts.push(".", debugText(rest, depth - 1));
  return `(${parts.join(" ")})`;
}
