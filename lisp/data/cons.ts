import { NIL } from "./symbol.ts";
import type { LispValue } from "./value.ts";

/** A cons cell. */
export class Cons {
  car: LispValue;
  cdr: LispValue;
  constructor(car: LispValue, cdr: LispValue) {
    this.car = car;
    this.cdr = cdr;
  }
}

/** A proper list of the arguments. */
export function list(...items: readonly LispValue[]): LispValue {
  return arrayToList(items);
}

/** List of `items` from index `from`, ending in `tail` (NIL by default). */
export function arrayToList(items: readonly LispValue[], from = 0, tail: LispValue = NIL): LispValue {
  let result = tail;
  for (let i = items.length - 1; i >= from; i--) result = new Cons(items[i]!, result);
  return result;
}

/** Length up to which a list is not looked at for a circle. */
const SHORT = 1_024;

/** Items of a proper list, or null when the value is not a proper list (dotted, circular or not a list). */
export function listToArray(value: LispValue): LispValue[] | null {
  const items: LispValue[] = [];
  while (value instanceof Cons && items.length < SHORT) {
    items.push(value.car);
    value = value.cdr;
  }
  if (!(value instanceof Cons)) return value === NIL ? items : null;
  let slow: LispValue = value;
  while (value instanceof Cons) {
    items.push(value.car);
    value = value.cdr;
    if ((items.length & 1) === 0) {
      slow = (slow as Cons).cdr;
      if (slow === value && value !== NIL) return null;
    }
  }
  return value === NIL ? items : null;
}
