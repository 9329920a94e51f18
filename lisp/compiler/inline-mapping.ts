import { Cons, arrayToList } from "../data/cons.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Environment } from "./environment.ts";
import type { FormBuilder } from "./form-building.ts";
import { type Callee, callee } from "./inline-callee.ts";
import { cellLoop, collecting, elementLoop } from "./inline-loops.ts";
import { keywordForms } from "./inline-keywords.ts";

/** Writes a call of a standard function as a loop; null when it cannot. `args` are the argument forms. */
export type InlineWriter = (b: FormBuilder, args: readonly LispValue[], env: Environment) => LispValue | null;

/** Most lists that a mapping function goes along in a loop of its own. */
const MOST_LISTS = 3;

/** `(let* bindings body)`. */
function binding(b: FormBuilder, bindings: readonly LispValue[], ...body: readonly LispValue[]): LispValue {
  return b.list("LET*", arrayToList(bindings), ...body);
}

interface Mapping {
  readonly fn: Callee;
  /** Variables with the cells. */
  readonly cells: readonly LispValue[];
  /** Variable with the first list. */
  readonly first: LispValue;
  /** The call for the current elements. */
  readonly call: LispValue;
}

function mapping(write: (b: FormBuilder, mapping: Mapping) => LispValue, tails = false): InlineWriter {
  return (b, [fnForm, ...lists], env) => {
    if (fnForm === undefined || lists.length === 0 || lists.length > MOST_LISTS) return null;
    const fn = callee(b, fnForm, lists.length, env, false);
    if (fn === null) return null;
    const first = b.name("LIST");
    const cells = lists.map(() => b.name("CELL"));
    const held = lists.map(() => b.name("LIST"));
    held[0] = first;
    const bindings = [
      ...fn.bindings,
      ...lists.map((list, i) => b.list(held[i]!, list)),
      ...cells.map((cell, i) => b.list(cell, held[i]!)),
    ];
    const call = fn.call(...cells.map((cell) => (tails ? cell : b.list("CAR", cell))));
    return binding(b, bindings, write(b, { fn, cells, first, call }));
  };
}

const mapcar = mapping((b, { cells, call }) => collecting(b, (add) => cellLoop(b, cells, [add(call)])));

const mapc = mapping((b, { cells, first, call }) => b.list("PROGN", cellLoop(b, cells, [call]), first));

/** Joins lists as NCONC does. */
const mapcan = mapping((b, { cells, call }) => {
  const head = b.name("HEAD");
  const last = b.name("LAST");
  const value = b.name("VALUE");
  const join = b.list(
    "LET",
    b.list(b.list(value, call)),
    b.list(
      "IF",
      value,
      b.list(
        "PROGN",
        b.list("SETQ", last, b.list("LAST", last)),
        b.list("RPLACD", last, value),
        b.list("IF", b.list("CONSP", value), b.list("SETQ", last, value), NIL),
      ),
      NIL,
    ),
  );
  const bindings = [b.list(head, b.list("LIST", NIL)), b.list(last, head)];
  return binding(b, bindings, cellLoop(b, cells, [join]), b.list("CDR", head));
});

/** EVERY and the like over one sequence: `stop` says what ends the loop with `answer`, or with the value itself when that is null. */
function quantifier(stopsAt: boolean, answer: LispValue | null, otherwise: LispValue): InlineWriter {
  return (b, args, env) => {
    const [fnForm, sequenceForm] = args;
    if (args.length !== 2) return null;
    const fn = callee(b, fnForm!, 1, env, true);
    if (fn === null) return null;
    const sequence = b.name("SEQUENCE");
    const block = b.name("FOUND");
    const value = b.name("VALUE");
    const leave = (result: LispValue): LispValue => b.list("RETURN-FROM", block, result);
    const step = (element: LispValue): LispValue => {
      if (answer === null)
        return b.list("LET", b.list(b.list(value, fn.call(element))), b.list("IF", value, leave(value), NIL));
      const [yes, no] = stopsAt ? [leave(answer), NIL] : [NIL, leave(answer)];
      return b.list("IF", fn.call(element), yes, no);
    };
    const loop = elementLoop(b, sequence, (element) => [step(element)]);
    const inside = binding(b, [...fn.bindings, b.list(sequence, sequenceForm!)], fn.around(loop), otherwise);
    return b.list("BLOCK", block, inside);
  };
}

/** REDUCE from the start over a whole sequence, with or without a key and an initial value. */
const reduce: InlineWriter = (b, args, env) => {
  const [fnForm, sequenceForm] = args;
  const keys = keywordForms(args.slice(2), ["KEY", "INITIAL-VALUE"]);
  if (args.length < 2 || keys === null) return null;
  const fn = callee(b, fnForm!, 2, env, true);
  const keyForm = keys.get("KEY");
  const key = keyForm === undefined ? null : callee(b, keyForm, 1, env, true);
  if (fn === null || (keyForm !== undefined && key === null)) return null;
  const sequence = b.name("SEQUENCE");
  const result = b.name("RESULT");
  const started = b.name("STARTED");
  const initial = keys.get("INITIAL-VALUE");
  const value = (element: LispValue): LispValue => (key === null ? element : key.call(element));
  const combine = (element: LispValue): LispValue => b.list("SETQ", result, fn.call(result, value(element)));
  const bindings = [...fn.bindings, b.list(sequence, sequenceForm!), ...(key?.bindings ?? [])];
  const around = (body: LispValue): LispValue => fn.around(key === null ? body : key.around(body));
  if (initial !== undefined) {
    const loop = elementLoop(b, sequence, (element) => [combine(element)]);
    return binding(b, [...bindings, b.list(result, initial)], around(loop), result);
  }
  const step = (element: LispValue): LispValue =>
    b.list(
      "IF",
      started,
      combine(element),
      b.list("PROGN", b.list("SETQ", result, value(element)), b.list("SETQ", started, T)),
    );
  const loop = elementLoop(b, sequence, (element) => [step(element)]);
  const empty = b.list("FUNCALL", fn.object);
  return binding(
    b,
    [...bindings, b.list(result, NIL), b.list(started, NIL)],
    around(b.list("PROGN", loop, b.list("IF", started, result, empty))),
  );
};

/** The type that a form names by a constant, when it is LIST, STRING or NIL; else null. */
function simpleType(b: FormBuilder, form: LispValue | undefined): "LIST" | "STRING" | "NIL" | null {
  if (form === NIL) return "NIL";
  if (!(form instanceof Cons) || form.car !== b.host.symbol("QUOTE") || !(form.cdr instanceof Cons))
    return null;
  const { car: name, cdr: rest } = form.cdr;
  if (rest !== NIL) return null;
  if (name === NIL) return "NIL";
  if (name === b.host.symbol("LIST")) return "LIST";
  return name === b.host.symbol("STRING") ? "STRING" : null;
}

/** MAP over one sequence to no result, a list or a string. */
const map: InlineWriter = (b, args, env) => {
  const [typeForm, fnForm, sequenceForm] = args;
  const type = simpleType(b, typeForm);
  if (args.length !== 3 || type === null) return null;
  const fn = callee(b, fnForm!, 1, env, true);
  if (fn === null) return null;
  const sequence = b.name("SEQUENCE");
  const bindings = [...fn.bindings, b.list(sequence, sequenceForm!)];
  if (type === "NIL")
    return binding(b, bindings, fn.around(elementLoop(b, sequence, (element) => [fn.call(element)])), NIL);
  const list = fn.around(
    collecting(b, (add) => elementLoop(b, sequence, (element) => [add(fn.call(element))])),
  );
  return binding(b, bindings, type === "LIST" ? list : b.list("COERCE", list, b.list("QUOTE", "STRING")));
};

/** COERCE to a string or a list, where that is simple. */
const coerce: InlineWriter = (b, args) => {
  const type = simpleType(b, args[1]);
  if (args.length !== 2 || type === null || type === "NIL") return null;
  const object = b.name("OBJECT");
  const full = b.list("SYS:%FULL-CALL", b.list("COERCE", object, args[1]!));
  const quick =
    type === "STRING"
      ? b.list("OR", b.list("SYS:%STRING-OF-LIST", object), full)
      : b.list("IF", b.list("LISTP", object), object, full);
  return binding(b, [b.list(object, args[0]!)], quick);
};

/** Mapping functions, quantifiers and REDUCE, by name. */
export const inlineMapping: ReadonlyMap<string, InlineWriter> = new Map<string, InlineWriter>([
  ["MAPCAR", mapcar],
  ["MAPC", mapc],
  ["MAPCAN", mapcan],
  ["EVERY", quantifier(false, NIL, T)],
  ["SOME", quantifier(true, null, NIL)],
  ["NOTANY", quantifier(true, NIL, T)],
  ["NOTEVERY", quantifier(false, T, NIL)],
  ["REDUCE", reduce],
  ["MAP", map],
  ["COERCE", coerce],
]);
