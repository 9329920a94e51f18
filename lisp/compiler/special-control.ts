import { Cons, list } from "../data/cons.ts";
import { programError } from "../data/error.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { SpecialOperator } from "./analysis.ts";
import { properList } from "./analyzer.ts";
import { parseBody } from "./declarations.ts";
import { noteDeclared } from "./double-hints.ts";
import { declaredKinds, kindOfType } from "./kinds.ts";
import { type Node, Tag, Tagbody, type Variable } from "./ir.ts";
import { operands } from "./special-binding.ts";

const NIL_NODE: Node = { op: "const", value: NIL };

const quote: SpecialOperator = (_a, form) => {
  const [value] = operands(form, 1, 1);
  return { op: "const", value: value! };
};

const ifOperator: SpecialOperator = function* (a, form, env) {
  const [test, then, otherwise] = operands(form, 2, 3);
  return {
    op: "if",
    test: yield* a.form(test!, env),
    whenTrue: yield* a.form(then!, env),
    whenFalse: otherwise === undefined ? NIL_NODE : yield* a.form(otherwise, env),
  };
};

const progn: SpecialOperator = function* (a, form, env) {
  return yield* a.progn(form.cdr, env);
};

const or: SpecialOperator = function* (a, form, env) {
  const nodes = yield* a.args(form.cdr, env);
  if (nodes.length === 0) return NIL_NODE;
  return nodes.reduceRight((rest, first) => ({ op: "or", first, rest }));
};

const locally: SpecialOperator = function* (a, form, env) {
  return yield* a.locally(form.cdr, env);
};

const the: SpecialOperator = function* (a, form, env) {
  const [type, valueForm] = operands(form, 2, 2);
  const kind = kindOfType(type!);
  const value = yield* a.form(valueForm!, env);
  return kind.type === "any" ? value : { op: "the", kind, value };
};

const block: SpecialOperator = function* (a, form, env) {
  operands(form, 1);
  const { car: name, cdr: body } = form.cdr as Cons;
  if (!(name instanceof LSymbol)) throw programError("expected a symbol as block name, got ~S", name);
  const record = a.block(name, env);
  const node = yield* a.progn(body, env.withBlock(record));
  return record.used ? { op: "block", block: record, body: node } : node;
};

const returnFrom: SpecialOperator = function* (a, form, env) {
  const [name, valueForm] = operands(form, 1, 2);
  const record = name instanceof LSymbol ? env.block(name) : null;
  if (record === null) throw programError("no block named ~S is visible", name!);
  const value = valueForm === undefined ? NIL_NODE : yield* a.form(valueForm, env);
  record.used = true;
  const unwinds = record.owner !== env.fn || env.protectDepth > record.protectDepth;
  if (unwinds) {
    record.unwinds = true;
    a.refer(record.token, env);
  }
  return { op: "return", block: record, value, unwinds };
};

function isTag(item: LispValue): boolean {
  return item instanceof LSymbol || typeof item === "number" || typeof item === "bigint";
}

const tagbody: SpecialOperator = function* (a, form, env) {
  const items = properList(form.cdr);
  const record = new Tagbody(env.fn!, a.variable("tagbody", env), env.protectDepth);
  const groups: LispValue[][] = [[]];
  const tags: Tag[] = [];
  let inner = env;
  for (const item of items) {
    if (!isTag(item)) {
      groups.at(-1)!.push(item);
      continue;
    }
    if (groups.at(-1)!.length > 0 || tags.length === 0) groups.push([]);
    const tag = new Tag(item, record, groups.length - 1);
    tags.push(tag);
    inner = inner.withTag(tag);
  }
  const segments: Node[] = [];
  for (const [i, group] of groups.entries()) {
    record.segment = i;
    const body: Node[] = [];
    for (const item of group) body.push(yield* a.form(item, inner));
    segments.push({ op: "progn", body });
  }
  return { op: "tagbody", tagbody: record, tags, segments };
};

const go: SpecialOperator = (a, form, env) => {
  const [name] = operands(form, 1, 1);
  const tag = env.tag(name!);
  if (tag === null) throw programError("no tag ~S is visible", name!);
  const { tagbody: record } = tag;
  const unwinds = record.owner !== env.fn || env.protectDepth > record.protectDepth;
  if (unwinds) {
    record.unwinds = true;
    a.refer(record.token, env);
  } else tag.sources.add(record.segment);
  return { op: "go", tag, unwinds };
};

const catchOperator: SpecialOperator = function* (a, form, env) {
  operands(form, 1);
  const { car: tag, cdr: body } = form.cdr as Cons;
  return { op: "catch", tag: yield* a.form(tag, env), body: yield* a.progn(body, env) };
};

const throwOperator: SpecialOperator = function* (a, form, env) {
  const [tag, value] = operands(form, 2, 2);
  env.fn!.calls = true;
  return { op: "throw", tag: yield* a.form(tag!, env), value: yield* a.form(value!, env) };
};

const unwindProtect: SpecialOperator = function* (a, form, env) {
  operands(form, 1);
  const { car: protectedForm, cdr: cleanup } = form.cdr as Cons;
  return {
    op: "unwind-protect",
    body: yield* a.form(protectedForm, env.protected()),
    cleanup: yield* a.progn(cleanup, env),
  };
};

const multipleValueCall: SpecialOperator = function* (a, form, env) {
  operands(form, 1);
  const { car: fn, cdr: args } = form.cdr as Cons;
  env.fn!.calls = true;
  return { op: "multiple-value-call", fn: yield* a.form(fn, env), args: yield* a.args(args, env) };
};

const multipleValueProg1: SpecialOperator = function* (a, form, env) {
  operands(form, 1);
  const { car: first, cdr: rest } = form.cdr as Cons;
  return { op: "multiple-value-prog1", first: yield* a.form(first, env), rest: yield* a.progn(rest, env) };
};

/** `(sys:%multiple-value-bind (var …) form body…)`; special variables are bound by a LET inside. */
const multipleValueBind: SpecialOperator = function* (a, form, env) {
  operands(form, 2);
  const { car: names, cdr } = form.cdr as Cons;
  const { car: valueForm, cdr: body } = cdr as Cons;
  const { specials, forms, declarations } = parseBody(body, false);
  const value = yield* a.form(valueForm, env);
  env.fn!.calls = true;
  let inner = env;
  const variables: Variable[] = [];
  const rebound: LispValue[] = [];
  for (const name of properList(names)) {
    if (!(name instanceof LSymbol)) throw programError("expected a symbol to bind in ~S, got ~S", form, name);
    const special = name.kind === "special" || specials.has(name);
    if (name.kind === "constant") throw programError("cannot bind the constant ~S", name);
    const own = special ? a.host.gensym("V") : name;
    const variable = a.variable(own, env);
    variables.push(variable);
    inner = inner.withVariable(own, { kind: "lexical", variable });
    if (special) rebound.push(list(name, own));
  }
  if (variables.length === 0) {
    return { op: "progn", body: [value, yield* a.locally(body, env)] };
  }
  if (rebound.length === 0) {
    const kinds = declaredKinds(declarations);
    for (const variable of variables) noteDeclared(variable, variable.name as LSymbol, kinds);
    const [variable] = variables;
    if (variables.length === 1) {
      const bindings = [{ variable: variable!, init: value }];
      return { op: "let", bindings, body: yield* a.locally(body, inner) };
    }
    return { op: "multiple-value-bind", variables, form: value, body: yield* a.locally(body, inner) };
  }
  const declare = new Cons(a.host.symbol("DECLARE"), list(...declarations));
  const letForm = new Cons(a.host.symbol("LET"), new Cons(list(...rebound), new Cons(declare, forms)));
  return { op: "multiple-value-bind", variables, form: value, body: yield* a.form(letForm, inner) };
};

const multipleValueList: SpecialOperator = function* (a, form, env) {
  const [valueForm] = operands(form, 1, 1);
  const value = yield* a.form(valueForm!, env);
  env.fn!.calls = true;
  return { op: "multiple-value-list", form: value };
};

/** `(sys:%cache)`: the object in which this place of the program remembers what it found, for operators that take one. */
const cache: SpecialOperator = () => ({ op: "cache" });

/** `(sys:%full-call form)`: the call of a function as it stands. */
const fullCall: SpecialOperator = function* (a, form, env) {
  const [call] = operands(form, 1, 1);
  return yield* a.fullCall(call as Cons, env);
};

/** EVAL-WHEN inside other forms: the body counts when :EXECUTE (or EVAL) is asked for. */
const evalWhen: SpecialOperator = function* (a, form, env) {
  operands(form, 1);
  const { car: situations, cdr: body } = form.cdr as Cons;
  return executes(situations) ? yield* a.progn(body, env) : NIL_NODE;
};

/** True when the situations of an EVAL-WHEN include execution. */
export function executes(situations: LispValue): boolean {
  return properList(situations).some(
    (s) => s instanceof LSymbol && (s.name === "EXECUTE" || s.name === "EVAL"),
  );
}

/** Special operators of control, by registered name. */
export const controlOperators: ReadonlyMap<string, SpecialOperator> = new Map([
  ["QUOTE", quote],
  ["IF", ifOperator],
  ["PROGN", progn],
  ["LOCALLY", locally],
  ["THE", the],
  ["BLOCK", block],
  ["RETURN-FROM", returnFrom],
  ["TAGBODY", tagbody],
  ["GO", go],
  ["CATCH", catchOperator],
  ["THROW", throwOperator],
  ["UNWIND-PROTECT", unwindProtect],
  ["MULTIPLE-VALUE-CALL", multipleValueCall],
  ["MULTIPLE-VALUE-PROG1", multipleValueProg1],
  ["EVAL-WHEN", evalWhen],
  ["SYS:%OR", or],
  ["SYS:%CACHE", cache],
  ["SYS:%FULL-CALL", fullCall],
  ["SYS:%MULTIPLE-VALUE-BIND", multipleValueBind],
  ["SYS:%MULTIPLE-VALUE-LIST", multipleValueList],
]);
