import { Cons, list } from "../data/cons.ts";
import { programError } from "../data/error.ts";
import { LFunction } from "../data/function.ts";
import { LSymbol, NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Analysis, Asking, SpecialOperator } from "./analysis.ts";
import { properList, withSpecials } from "./analyzer.ts";
import { parseBody } from "./declarations.ts";
import { noteDeclared, seemsDouble } from "./double-hints.ts";
import type { Environment } from "./environment.ts";
import { declaredKinds, type Kind } from "./kinds.ts";
import type { LetBinding, LocalFunction, Node, SpecialBinding, Variable } from "./ir.ts";

const NIL_NODE: Node = { op: "const", value: NIL };

/** Argument forms of a special form, checked for number. */
export function operands(form: Cons, least: number, most = Number.POSITIVE_INFINITY): LispValue[] {
  const items = properList(form.cdr);
  if (items.length < least || items.length > most) throw programError("malformed special form ~S", form);
  return items;
}

function bindingParts(binding: LispValue, form: LispValue): [LSymbol, LispValue] {
  if (binding instanceof LSymbol) return [binding, NIL];
  const parts = properList(binding);
  const [name, init] = parts;
  if (!(name instanceof LSymbol) || parts.length > 2)
    throw programError("malformed binding ~S in ~S", binding, form);
  return [name, init ?? NIL];
}

function isSpecial(symbol: LSymbol, specials: ReadonlySet<LSymbol>): boolean {
  if (symbol.kind === "constant") throw programError("cannot bind the constant ~S", symbol);
  return symbol.kind === "special" || specials.has(symbol);
}

/** Names of handlers and restarts: who overflows the stack still sees those around the call. */
const guardedNames: ReadonlySet<string> = new Set([
  "*HANDLER-CLUSTERS*",
  "*RESTART-CLUSTERS*",
  "*LEVEL-RESTART*",
]);

/** True for a name whose dynamic binding must survive an exhausted stack. */
function guards(symbol: LSymbol): boolean {
  return guardedNames.has(symbol.name);
}

const letOperator: SpecialOperator = function* (a, form, env) {
  const [bindings, ...rest] = operands(form, 1);
  const body = (form.cdr as Cons).cdr;
  const { specials, forms, declarations } = parseBody(body, false);
  let inner = env;
  const lexical: LetBinding[] = [];
  const dynamic: SpecialBinding[] = [];
  if (rest.length === 0 && bindings === NIL) return NIL_NODE;
  const declared = new Set(specials);
  const kinds = declaredKinds(declarations);
  for (const binding of properList(bindings!)) {
    const [symbol, initForm] = bindingParts(binding, form);
    const init = yield* a.form(initForm, env);
    declared.delete(symbol);
    if (isSpecial(symbol, specials)) {
      const variable = a.variable("special", env);
      lexical.push({ variable, init });
      dynamic.push({ symbol, init: { op: "local", variable } });
      inner = inner.withVariable(symbol, { kind: "special" });
    } else {
      const variable = hinted(a.variable(symbol, env), symbol, init, kinds);
      lexical.push({ variable, init });
      inner = inner.withVariable(symbol, { kind: "lexical", variable });
    }
  }
  let node = yield* a.progn(forms, withSpecials(inner.declaring(declarations), declared));
  if (dynamic.length > 0) {
    node = {
      op: "bind",
      bindings: dynamic,
      body: node,
      guarded: dynamic.some(({ symbol }) => guards(symbol)),
    };
  }
  return lexical.length === 0 ? node : { op: "let", bindings: lexical, body: node };
};

const letStar: SpecialOperator = function* (a, form, env) {
  const [bindings] = operands(form, 1);
  const { specials, forms, declarations } = parseBody((form.cdr as Cons).cdr, false);
  const declared = new Set(specials);
  const rest = { form, specials, forms, declared, declarations, kinds: declaredKinds(declarations) };
  return yield* letStarFrom(a, properList(bindings!), 0, rest, env);
};

interface LetStarRest {
  readonly form: Cons;
  readonly specials: ReadonlySet<LSymbol>;
  readonly forms: LispValue;
  readonly declared: Set<LSymbol>;
  readonly declarations: readonly LispValue[];
  readonly kinds: ReadonlyMap<LispValue, Kind>;
}

/** The variable, marked when it seems to hold double-floats. */
function hinted(
  variable: Variable,
  symbol: LSymbol,
  init: Node,
  kinds: ReadonlyMap<LispValue, Kind>,
): Variable {
  variable.double = seemsDouble(init);
  noteDeclared(variable, symbol, kinds);
  return variable;
}

function* letStarFrom(
  a: Analysis,
  bindings: readonly LispValue[],
  index: number,
  rest: LetStarRest,
  env: Environment,
): Asking<Node> {
  const lexical: LetBinding[] = [];
  let inner = env;
  for (let i = index; i < bindings.length; i++) {
    const [symbol, initForm] = bindingParts(bindings[i]!, rest.form);
    const init = yield* a.form(initForm, inner);
    rest.declared.delete(symbol);
    if (isSpecial(symbol, rest.specials)) {
      inner = inner.withVariable(symbol, { kind: "special" });
      const body = yield* letStarFrom(a, bindings, i + 1, rest, inner);
      const node: Node = { op: "bind", bindings: [{ symbol, init }], body, guarded: guards(symbol) };
      return lexical.length === 0 ? node : { op: "let", bindings: lexical, body: node };
    }
    const variable = hinted(a.variable(symbol, env), symbol, init, rest.kinds);
    lexical.push({ variable, init });
    inner = inner.withVariable(symbol, { kind: "lexical", variable });
  }
  const body = yield* a.progn(rest.forms, withSpecials(inner.declaring(rest.declarations), rest.declared));
  return lexical.length === 0 ? body : { op: "let", bindings: lexical, body };
}

const setq: SpecialOperator = function* (a, form, env) {
  const items = operands(form, 0);
  if (items.length % 2 !== 0) throw programError("odd number of arguments in ~S", form);
  const nodes: Node[] = [];
  for (let i = 0; i < items.length; i += 2) {
    const symbol = items[i]!;
    if (!(symbol instanceof LSymbol))
      throw programError("expected a symbol to assign in ~S, got ~S", form, symbol);
    nodes.push(yield* assignment(a, symbol, items[i + 1]!, env));
  }
  if (nodes.length === 0) return NIL_NODE;
  return nodes.length === 1 ? nodes[0]! : { op: "progn", body: nodes };
};

function* assignment(a: Analysis, symbol: LSymbol, valueForm: LispValue, env: Environment): Asking<Node> {
  const meaning = env.variable(symbol);
  if (meaning?.kind === "symbol-macro" || (meaning === null && symbol.kind === "symbol-macro")) {
    return yield* a.form(list(a.host.symbol("SETF"), symbol, valueForm), env);
  }
  const value = yield* a.form(valueForm, env);
  if (meaning?.kind === "lexical") {
    const { variable } = meaning;
    variable.assigned = true;
    variable.double ||= seemsDouble(value);
    a.refer(variable, env);
    return { op: "set-local", variable, value };
  }
  if (symbol.kind === "constant") throw programError("cannot assign the constant ~S", symbol);
  if (meaning === null && symbol.kind === "lexical" && symbol.value === UNBOUND) {
    a.host.nameUses?.push({ symbol, count: null });
  }
  return { op: "set-special", symbol, value };
}

/** Cell of a function name: the symbol itself or the hidden one of `(setf symbol)`. */
export function functionCell(a: Analysis, name: LispValue): LSymbol {
  if (name instanceof LSymbol) return name;
  if (name instanceof Cons && name.car === a.host.symbol("SETF") && name.cdr instanceof Cons) {
    const symbol = name.cdr.car;
    if (symbol instanceof LSymbol && name.cdr.cdr === NIL) return a.host.setfCell(symbol);
  }
  throw programError("expected a function name, got ~S", name);
}

const functionOperator: SpecialOperator = function* (a, form, env) {
  const [name] = operands(form, 1, 1);
  const lambda = a.host.symbol("LAMBDA");
  if (name instanceof Cons && (name.car === lambda || name.car === a.host.symbol("SYS:NAMED-LAMBDA"))) {
    const named = name.car !== lambda;
    const parts = named ? name.cdr : name;
    if (!(parts instanceof Cons) || !(parts.cdr instanceof Cons)) throw programError("malformed ~S", name);
    const fn = yield* a.lambda(parts.cdr.car, parts.cdr.cdr, env, named ? parts.car : NIL);
    return { op: "lambda", fn };
  }
  const cell = functionCell(a, name!);
  const local = env.operator(cell);
  if (local?.kind === "function") {
    a.refer(local.variable, env);
    return { op: "local", variable: local.variable };
  }
  if (local?.kind === "macro" || cell.macro !== null || a.host.specialOperator(cell) !== null) {
    throw programError("~S names a macro or special operator, not a function", name!);
  }
  return { op: "function", symbol: cell };
};

interface Definition {
  readonly name: LispValue;
  readonly cell: LSymbol;
  readonly lambdaList: LispValue;
  readonly body: LispValue;
}

function definitions(a: Analysis, form: Cons): Definition[] {
  const [definitionList] = operands(form, 1);
  return properList(definitionList!).map((definition) => {
    if (!(definition instanceof Cons) || !(definition.cdr instanceof Cons)) {
      throw programError("malformed local definition ~S", definition);
    }
    const { car: name, cdr } = definition;
    return { name, cell: functionCell(a, name), lambdaList: cdr.car, body: cdr.cdr };
  });
}

function* localFunction(a: Analysis, d: Definition, env: Environment): Asking<LocalFunction["fn"]> {
  const { declarations, documentation, forms } = parseBody(d.body, true);
  const sym = (name: string): LSymbol => a.host.symbol(name);
  const blockName = d.name instanceof Cons ? (d.name.cdr as Cons).car : d.name;
  let body: LispValue = list(new Cons(sym("BLOCK"), new Cons(blockName, forms)));
  for (const declaration of declarations.toReversed())
    body = new Cons(list(sym("DECLARE"), declaration), body);
  if (documentation !== NIL) body = new Cons(documentation, body);
  return yield* a.lambda(d.lambdaList, body, env, d.name);
}

function localOperator(recursive: boolean): SpecialOperator {
  return function* (a, form, env) {
    const all = definitions(a, form);
    let inner = env;
    const variables: Variable[] = all.map(({ cell }) => {
      const variable = a.variable(cell, env);
      inner = inner.withOperator(cell, { kind: "function", variable });
      return variable;
    });
    const bindings: LocalFunction[] = [];
    for (const [i, definition] of all.entries()) {
      const fn = yield* localFunction(a, definition, recursive ? inner : env);
      variables[i]!.fn = fn;
      bindings.push({ variable: variables[i]!, fn });
    }
    const body = yield* a.locally((form.cdr as Cons).cdr, inner);
    return { op: "local-functions", bindings, body };
  };
}

const macrolet: SpecialOperator = function* (a, form, env) {
  let inner = env;
  const sym = (name: string): LSymbol => a.host.symbol(name);
  for (const { name, cell, lambdaList, body } of definitions(a, form)) {
    const lambda = yield* a.macroexpand1(
      new Cons(sym("SYS:MACRO-LAMBDA"), new Cons(name, new Cons(lambdaList, body))),
      env,
    );
    const fn = yield* a.compileNow(lambda.form, env.macrosOnly());
    inner = inner.withOperator(cell, { kind: "macro", fn });
  }
  return yield* a.locally((form.cdr as Cons).cdr, inner);
};

const symbolMacrolet: SpecialOperator = function* (a, form, env) {
  const [bindings] = operands(form, 1);
  const { specials } = parseBody((form.cdr as Cons).cdr, false);
  let inner = env;
  for (const binding of properList(bindings!)) {
    const [symbol, expansion] = bindingParts(binding, form);
    if (isSpecial(symbol, specials))
      throw programError("~S is special and cannot be a local symbol macro", symbol);
    inner = inner.withVariable(symbol, { kind: "symbol-macro", expansion });
  }
  return yield* a.locally((form.cdr as Cons).cdr, inner);
};

const progv: SpecialOperator = function* (a, form, env) {
  operands(form, 2);
  const { car: symbolsForm, cdr } = form.cdr as Cons;
  const { car: valuesForm, cdr: body } = cdr as Cons;
  const symbols = yield* a.form(symbolsForm, env);
  const values = yield* a.form(valuesForm, env);
  return { op: "progv", symbols, values, body: yield* a.progn(body, env) };
};

const loadTimeValue: SpecialOperator = function* (a, form, _env) {
  const [valueForm] = operands(form, 1, 2);
  return { op: "load-time-value", cell: a.loadTimeCell(yield* a.evaluateNow(valueForm!)), form: valueForm! };
};

/** `(sys:%the-function fn)`: a function object as a constant (used by COMPILE). */
const constantFunction: SpecialOperator = (_a, form) => {
  const [fn] = operands(form, 1, 1);
  if (!(fn instanceof LFunction)) throw programError("expected a function object, got ~S", fn!);
  return { op: "const", value: fn };
};

/** Special operators that bind names, by registered name. */
export const bindingOperators: ReadonlyMap<string, SpecialOperator> = new Map([
  ["LET", letOperator],
  ["LET*", letStar],
  ["SETQ", setq],
  ["FUNCTION", functionOperator],
  ["FLET", localOperator(false)],
  ["LABELS", localOperator(true)],
  ["MACROLET", macrolet],
  ["SYMBOL-MACROLET", symbolMacrolet],
  ["PROGV", progv],
  ["LOAD-TIME-VALUE", loadTimeValue],
  ["SYS:%THE-FUNCTION", constantFunction],
]);
