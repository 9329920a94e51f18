/** Plain text of Lisp values for assertions, independent of the Lisp printer. */
import { LArray } from "../../../lisp/data/array.ts";
import { Char } from "../../../lisp/data/character.ts";
import { Cons } from "../../../lisp/data/cons.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../../../lisp/data/number.ts";
import { LString } from "../../../lisp/data/string.ts";
import { LSymbol, NIL, T } from "../../../lisp/data/symbol.ts";
import type { LispValue } from "../../../lisp/data/value.ts";
import { DOUBLE, SINGLE } from "../../../lisp/numbers/float-bits.ts";
import { formatFloat } from "../../../lisp/numbers/float-text.ts";

function showList(x: Cons): string {
  const parts: string[] = [];
  let rest: LispValue = x;
  while (rest instanceof Cons) {
    parts.push(show(rest.car));
    rest = rest.cdr;
  }
  return rest === NIL ? `(${parts.join(" ")})` : `(${parts.join(" ")} . ${show(rest)})`;
}

function showSymbol(x: LSymbol): string {
  if (x.pkg?.keywords === true) return `:${x.name}`;
  return x.pkg === null && x !== NIL && x !== T ? `#:${x.name}` : x.name;
}

/** Readable text of a value without cycles. */
export function show(x: LispValue): string {
  if (typeof x !== "object") return Object.is(x, -0) ? "negative zero" : String(x);
  if (x instanceof Ratio) return `${x.num}/${x.den}`;
  if (x instanceof DoubleFloat) return formatFloat(x.v, DOUBLE, SINGLE);
  if (x instanceof SingleFloat) return formatFloat(x.v, SINGLE, SINGLE);
  if (x instanceof Complex) return `#C(${show(x.re)} ${show(x.im)})`;
  if (x instanceof LString) return JSON.stringify(x.toJS());
  if (x instanceof LSymbol) return showSymbol(x);
  if (x instanceof Char) return `#\\${String.fromCodePoint(x.code)}`;
  if (x instanceof Cons) return showList(x);
  if (Array.isArray(x)) return `#(${(x as LispValue[]).map(show).join(" ")})`;
  if (x instanceof LArray) {
    const items = Array.from({ length: x.total }, (_, i) => show(x.ref(i)));
    return x.type === "bit" ? `#*${items.join("")}` : `#${x.rank}A[${x.dims.join("x")}](${items.join(" ")})`;
  }
  return `#<${x.constructor.name}>`;
}
