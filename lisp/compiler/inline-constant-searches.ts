import { char, Char } from "../data/character.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { FormBuilder } from "./form-building.ts";

/** Most elements of a constant sequence that are compared one after the other. */
const FEW = 12;

/** One comparison: the element, and what the search gives when the item is it. */
interface Choice {
  readonly element: LispValue;
  readonly result: LispValue;
}

/** True for objects that are EQL to themselves only. */
function isIdentity(value: LispValue): boolean {
  return typeof value === "number" || value instanceof LSymbol || value instanceof Char;
}

/** The constant that a form stands for: a quoted list or a string; undefined for other forms. */
function constantSequence(b: FormBuilder, form: LispValue): LispValue | undefined {
  if (form instanceof LString) return form;
  if (!(form instanceof Cons) || form.car !== b.host.symbol("QUOTE") || !(form.cdr instanceof Cons))
    return undefined;
  return form.cdr.cdr === NIL && form.cdr.car instanceof Cons ? form.cdr.car : undefined;
}

/** The cells of a proper list. */
function cellsOf(list: LispValue): Cons[] | null {
  if (listToArray(list) === null) return null;
  const cells: Cons[] = [];
  for (let rest = list; rest instanceof Cons; rest = rest.cdr) cells.push(rest);
  return cells;
}

function listChoices(name: string, list: LispValue): Choice[] | null {
  const cells = cellsOf(list);
  if (cells === null || cells.length > FEW) return null;
  switch (name) {
    case "MEMBER":
      return cells.map((cell) => ({ element: cell.car, result: cell }));
    case "FIND":
      return cells.map((cell) => ({ element: cell.car, result: cell.car }));
    case "POSITION":
      return cells.map((cell, i) => ({ element: cell.car, result: i }));
    case "ASSOC": {
      const pairs = cells.map((cell) => cell.car).filter((pair) => pair !== NIL);
      if (!pairs.every((pair) => pair instanceof Cons)) return null;
      return pairs.map((pair) => ({ element: pair.car, result: pair }));
    }
    default:
      return null;
  }
}

function stringChoices(name: string, string: LString): Choice[] | null {
  if (string.length > FEW || (name !== "FIND" && name !== "POSITION")) return null;
  return Array.from({ length: string.length }, (_, i) => {
    const element = char(string.code(i));
    return { element, result: name === "FIND" ? element : i };
  });
}

/**
 * A plain search (EQL, no key) of a few constant symbols, fixnums or characters as comparisons; null for other searches. The
 * results are parts of the constant.
 */
export function constantSearch(
  b: FormBuilder,
  name: string,
  item: LispValue,
  sequenceForm: LispValue,
): LispValue | null {
  const sequence = constantSequence(b, sequenceForm);
  if (sequence === undefined) return null;
  const choices = sequence instanceof LString ? stringChoices(name, sequence) : listChoices(name, sequence);
  if (choices === null || !choices.every(({ element }) => isIdentity(element))) return null;
  const variable = b.name("ITEM");
  const tests = choices.reduceRight<LispValue>(
    (rest, { element, result }) =>
      b.list("IF", b.list("EQ", variable, b.list("QUOTE", element)), b.list("QUOTE", result), rest),
    NIL,
  );
  return b.list("LET", b.list(b.list(variable, item)), tests);
}
