import { arrayToList } from "../data/cons.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { FormBuilder } from "./form-building.ts";

/** Cells of a list that a loop passes before it looks whether the list has an end. */
const FIRST_LOOK = 65_536;

/** A loop over the cells that the variables in `cells` hold; `body` is run for each until one of the lists ends. */
export function cellLoop(b: FormBuilder, cells: readonly LispValue[], body: readonly LispValue[]): LispValue {
  const top = b.name("NEXT");
  const end = b.name("END");
  const left = b.name("LEFT");
  const first = cells[0]!;
  const ends = cells.map((cell) =>
    b.list(
      "IF",
      b.list("CONSP", cell),
      NIL,
      b.list("PROGN", b.list("IF", b.list("NULL", cell), NIL, b.list("ENDP", cell)), b.list("GO", end)),
    ),
  );
  const steps = cells.map((cell) => b.list("SETQ", cell, b.list("CDR", cell)));
  const look = b.list(
    "IF",
    b.list("EQ", b.list("SETQ", left, b.list("SYS:%LESS-ONE", left)), 0),
    b.list("SETQ", left, b.list("SYS:%CHECK-END", first)),
    NIL,
  );
  const loop = b.list("TAGBODY", top, ...ends, ...body, ...steps, look, b.list("GO", top), end);
  return b.list("LET", b.list(b.list(left, FIRST_LOOK)), loop);
}

/** A loop over the elements of the vector in a variable; `body` gets the forms of an element and its index. */
export function vectorLoop(
  b: FormBuilder,
  vector: LispValue,
  body: (element: LispValue, index: LispValue) => readonly LispValue[],
): LispValue {
  const top = b.name("NEXT");
  const end = b.name("END");
  const index = b.name("INDEX");
  const length = b.name("LENGTH");
  const bindings = b.list(b.list(index, 0), b.list(length, b.list("LENGTH", vector)));
  const loop = b.list(
    "TAGBODY",
    top,
    b.list("IF", b.list("<", index, length), NIL, b.list("GO", end)),
    ...body(b.list("AREF", vector, index), index),
    b.list("SETQ", index, b.list("1+", index)),
    b.list("GO", top),
    end,
  );
  return b.list("LET", bindings, loop);
}

/** A loop over the elements of the sequence in a variable, which may be a list or a vector; the body is written twice. */
export function elementLoop(
  b: FormBuilder,
  sequence: LispValue,
  body: (element: LispValue, index: LispValue | null) => readonly LispValue[],
  indexed = false,
): LispValue {
  const cell = b.name("CELL");
  const position = indexed ? b.name("POSITION") : null;
  const step = position === null ? [] : [b.list("SETQ", position, b.list("1+", position))];
  const overList = cellLoop(b, [cell], [...body(b.list("CAR", cell), position), ...step]);
  const bindings = [b.list(cell, sequence), ...(position === null ? [] : [b.list(position, 0)])];
  return b.list(
    "IF",
    b.list("LISTP", sequence),
    b.list("LET", arrayToList(bindings), overList),
    vectorLoop(b, sequence, body),
  );
}

/** A form that collects: `add` gives the form that puts a value to the end, `value` the list. */
export function collecting(
  b: FormBuilder,
  body: (add: (value: LispValue) => LispValue) => LispValue,
): LispValue {
  const head = b.name("HEAD");
  const last = b.name("LAST");
  const cell = b.name("CELL");
  const add = (value: LispValue): LispValue =>
    b.list(
      "LET",
      b.list(b.list(cell, b.list("LIST", value))),
      b.list("RPLACD", last, cell),
      b.list("SETQ", last, cell),
    );
  return b.list(
    "LET*",
    b.list(b.list(head, b.list("LIST", NIL)), b.list(last, head)),
    body(add),
    b.list("CDR", head),
  );
}
