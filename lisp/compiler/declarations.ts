import { Cons, listToArray } from "../data/cons.ts";
import { programError } from "../data/error.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** A body split into declarations, documentation and forms. */
export interface ParsedBody {
  /** Symbols declared special. */
  readonly specials: ReadonlySet<LSymbol>;
  /** All declaration specifiers. */
  readonly declarations: readonly LispValue[];
  readonly documentation: LispValue;
  /** Remaining forms, a list. */
  readonly forms: LispValue;
}

/** Splits a body. `documentation`: a string before other forms is a documentation string. */
export function parseBody(body: LispValue, documentation: boolean): ParsedBody {
  const specials = new Set<LSymbol>();
  const declarations: LispValue[] = [];
  let doc: LispValue = NIL;
  let rest = body;
  while (rest instanceof Cons) {
    const form = rest.car;
    if (form instanceof Cons && form.car instanceof LSymbol && form.car.name === "DECLARE") {
      for (const specifier of listToArray(form.cdr) ?? fail(form)) {
        declarations.push(specifier);
        // A list or a class in front is a type: (declare ((integer 0 5) x)).
        if (!(specifier instanceof Cons)) fail(form);
        else if (specifier.car instanceof LSymbol && specifier.car.name === "SPECIAL")
          addSpecials(specifier, specials);
      }
    } else if (documentation && form instanceof LString && doc === NIL && rest.cdr !== NIL) {
      doc = form;
    } else break;
    rest = rest.cdr;
  }
  return { specials, declarations, documentation: doc, forms: rest };
}

function addSpecials(specifier: Cons, specials: Set<LSymbol>): void {
  for (const symbol of listToArray(specifier.cdr) ?? fail(specifier)) {
    if (!(symbol instanceof LSymbol)) fail(specifier);
    else specials.add(symbol);
  }
}

function fail(form: LispValue): never {
  throw programError("malformed declaration ~S", form);
}
