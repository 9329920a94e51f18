import { Cons, arrayToList } from "../data/cons.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Environment } from "./environment.ts";
import type { FormBuilder } from "./form-building.ts";
import { type Callee, callee } from "./inline-callee.ts";
import { constantSearch } from "./inline-constant-searches.ts";
import { keywordForms } from "./inline-keywords.ts";
import { cellLoop, collecting, elementLoop } from "./inline-loops.ts";
import type { InlineWriter } from "./inline-mapping.ts";

/** What a search looks for. */
interface Search {
  /** Bindings for LET* of everything but the sequence. */
  readonly bindings: readonly LispValue[];
  readonly sequence: LispValue;
  readonly around: (body: LispValue) => LispValue;
  /** Form that is true when an element, given as a form used once, is looked for. */
  readonly found: (element: LispValue) => LispValue;
  /** The same call as a full one, for sequences that the loop leaves out. */
  readonly full: LispValue;
}

type SearchReader = (
  b: FormBuilder,
  name: string,
  args: readonly LispValue[],
  env: Environment,
  often: boolean,
) => Search | null;

function keyOf(
  b: FormBuilder,
  keys: ReadonlyMap<string, LispValue>,
  env: Environment,
  often: boolean,
): Callee | null | undefined {
  const form = keys.get("KEY");
  return form === undefined || form === NIL ? undefined : callee(b, form, 1, env, often);
}

function parts(callees: readonly (Callee | undefined)[]): Pick<Search, "bindings" | "around"> {
  const given = callees.filter((one) => one !== undefined);
  return {
    bindings: given.flatMap((one) => one.bindings),
    around: (body) => given.reduce((inner, one) => one.around(inner), body),
  };
}

/** A search for an item by a test, after a key. */
const byItem: SearchReader = (b, name, args, env, often) => {
  const keys = keywordForms(args.slice(2), ["TEST", "KEY"]);
  if (args.length < 2 || keys === null) return null;
  const testForm = keys.get("TEST");
  const key = keyOf(b, keys, env, often);
  const test =
    testForm === undefined
      ? callee(b, b.list("FUNCTION", "EQL"), 2, env, often)
      : callee(b, testForm, 2, env, often);
  if (test === null || key === null) return null;
  const item = b.name("ITEM");
  const sequence = b.name("SEQUENCE");
  const { bindings, around } = parts([test, key]);
  const rest: LispValue[] = [];
  if (testForm !== undefined) rest.push(b.host.keyword("TEST"), test.object);
  if (key !== undefined) rest.push(b.host.keyword("KEY"), key.object);
  return {
    bindings: [b.list(item, args[0]!), b.list(sequence, args[1]!), ...bindings],
    sequence,
    around,
    found: (element) => test.call(item, key === undefined ? element : key.call(element)),
    full: b.list(name, item, sequence, ...rest),
  };
};

/** A search by a predicate, after a key; `negated` for the functions that end in -IF-NOT. */
function byPredicate(negated: boolean): SearchReader {
  return (b, name, args, env, often) => {
    const keys = keywordForms(args.slice(2), ["KEY"]);
    if (args.length < 2 || keys === null) return null;
    const predicate = callee(b, args[0]!, 1, env, often);
    const key = keyOf(b, keys, env, often);
    if (predicate === null || key === null) return null;
    const sequence = b.name("SEQUENCE");
    const { bindings, around } = parts([predicate, key]);
    const rest: LispValue[] = key === undefined ? [] : [b.host.keyword("KEY"), key.object];
    return {
      bindings: [
        ...predicate.bindings,
        b.list(sequence, args[1]!),
        ...bindings.slice(predicate.bindings.length),
      ],
      sequence,
      around,
      found: (element) => {
        const holds = predicate.call(key === undefined ? element : key.call(element));
        return negated ? b.list("NOT", holds) : holds;
      },
      full: b.list(name, predicate.object, sequence, ...rest),
    };
  };
}

/** What a search does with the elements; `leave` gives the form that ends it with a value. */
type SearchLoop = (b: FormBuilder, search: Search, leave: (value: LispValue) => LispValue) => LispValue;

const findLoop: SearchLoop = (b, { sequence, found }, leave) => {
  const element = b.name("ELEMENT");
  return elementLoop(b, sequence, (form) => [
    b.list("LET", b.list(b.list(element, form)), b.list("IF", found(element), leave(element), NIL)),
  ]);
};

const positionLoop: SearchLoop = (b, { sequence, found }, leave) =>
  elementLoop(b, sequence, (form, index) => [b.list("IF", found(form), leave(index!), NIL)], true);

const countLoop: SearchLoop = (b, { sequence, found }, leave) => {
  const total = b.name("TOTAL");
  const loop = elementLoop(b, sequence, (form) => [
    b.list("IF", found(form), b.list("SETQ", total, b.list("1+", total)), NIL),
  ]);
  return b.list("LET", b.list(b.list(total, 0)), loop, leave(total));
};

const memberLoop: SearchLoop = (b, { sequence, found }, leave) => {
  const cell = b.name("CELL");
  const step = b.list("IF", found(b.list("CAR", cell)), leave(cell), NIL);
  return b.list("LET", b.list(b.list(cell, sequence)), cellLoop(b, [cell], [step]));
};

/** ASSOC and RASSOC: `part` names the part of the pairs that counts. */
function pairLoop(part: "CAR" | "CDR"): SearchLoop {
  return (b, { sequence, found }, leave) => {
    const cell = b.name("CELL");
    const pair = b.name("PAIR");
    const test = b.list("IF", found(b.list(part, pair)), leave(pair), NIL);
    const step = b.list("LET", b.list(b.list(pair, b.list("CAR", cell))), b.list("IF", pair, test, NIL));
    return b.list("LET", b.list(b.list(cell, sequence)), cellLoop(b, [cell], [step]));
  };
}

/** REMOVE of lists; vectors go to the function itself. */
const removeLoop: SearchLoop = (b, { sequence, found, full }, leave) => {
  const cell = b.name("CELL");
  const element = b.name("ELEMENT");
  const kept = collecting(b, (add) =>
    cellLoop(
      b,
      [cell],
      [
        b.list(
          "LET",
          b.list(b.list(element, b.list("CAR", cell))),
          b.list("IF", found(element), NIL, add(element)),
        ),
      ],
    ),
  );
  const list = b.list("LET", b.list(b.list(cell, sequence)), kept);
  return leave(b.list("IF", b.list("LISTP", sequence), list, b.list("SYS:%FULL-CALL", full)));
};

function searching(name: string, read: SearchReader, loop: SearchLoop, often: boolean): InlineWriter {
  return (b, args, env) => {
    const search = read(b, name, args, env, often);
    if (search === null) return null;
    const block = b.name("FOUND");
    const body = loop(b, search, (value) => b.list("RETURN-FROM", block, value));
    const inside = b.list("LET*", arrayToList(search.bindings), search.around(body), NIL);
    return b.list("BLOCK", block, inside);
  };
}

/** The names of functions whose plain calls (EQL, no key) are leaves. */
const plainLeaves: ReadonlyMap<string, string> = new Map([
  ["MEMBER", "SYS:%MEMBER-EQL"],
  ["ASSOC", "SYS:%ASSOC-EQL"],
  ["RASSOC", "SYS:%RASSOC-EQL"],
  ["FIND", "SYS:%FIND-EQL"],
  ["POSITION", "SYS:%POSITION-EQL"],
  ["COUNT", "SYS:%COUNT-EQL"],
]);

/** True for a form that names EQL or EQ, which find the same where EQL's answer is asked for identical objects only. */
function namesEql(b: FormBuilder, form: LispValue | undefined): boolean {
  if (form === undefined) return true;
  if (!(form instanceof Cons) || !(form.cdr instanceof Cons)) return false;
  const named = form.car === b.host.symbol("FUNCTION") || form.car === b.host.symbol("QUOTE");
  return named && form.cdr.car === b.host.symbol("EQL");
}

function itemSearch(name: string, loop: SearchLoop, often: boolean): InlineWriter {
  const general = searching(name, byItem, loop, often);
  const leaf = plainLeaves.get(name);
  return (b, args, env) => {
    if (leaf !== undefined && args.length >= 2) {
      const keys = keywordForms(args.slice(2), ["TEST"]);
      if (keys !== null && namesEql(b, keys.get("TEST")))
        return constantSearch(b, name, args[0]!, args[1]!) ?? b.list(leaf, args[0]!, args[1]!);
    }
    return general(b, args, env);
  };
}

/** PUSHNEW's function: without a key it is a look-up. */
const adjoin: InlineWriter = (b, args) => {
  const keys = keywordForms(args.slice(2), ["TEST"]);
  if (args.length < 2 || keys === null) return null;
  const item = b.name("ITEM");
  const list = b.name("LIST");
  return b.list(
    "LET*",
    b.list(b.list(item, args[0]!), b.list(list, args[1]!)),
    b.list("IF", b.list("MEMBER", item, list, ...args.slice(2)), list, b.list("CONS", item, list)),
  );
};

interface SearchKind {
  readonly name: string;
  readonly loop: SearchLoop;
  /** The body is written twice: for lists and for vectors. */
  readonly often: boolean;
}

const kinds: readonly SearchKind[] = [
  { name: "FIND", loop: findLoop, often: true },
  { name: "POSITION", loop: positionLoop, often: true },
  { name: "COUNT", loop: countLoop, often: true },
  { name: "MEMBER", loop: memberLoop, often: false },
  { name: "ASSOC", loop: pairLoop("CAR"), often: false },
  { name: "RASSOC", loop: pairLoop("CDR"), often: false },
  { name: "REMOVE", loop: removeLoop, often: true },
  { name: "DELETE", loop: removeLoop, often: true },
];

/** Searching functions, by name. */
export const inlineSearching: ReadonlyMap<string, InlineWriter> = new Map<string, InlineWriter>([
  ["ADJOIN", adjoin],
  ...kinds.flatMap(({ name, loop, often }): [string, InlineWriter][] => [
    [name, itemSearch(name, loop, often)],
    [`${name}-IF`, searching(`${name}-IF`, byPredicate(false), loop, often)],
    [`${name}-IF-NOT`, searching(`${name}-IF-NOT`, byPredicate(true), loop, often)],
  ]),
]);
