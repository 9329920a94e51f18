import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Environment } from "./environment.ts";
import type { FormBuilder } from "./form-building.ts";
import { parseBody } from "./declarations.ts";

/** A function argument that is known when the call is compiled. */
export interface Callee {
  /** Bindings for LET* where the argument stands. */
  readonly bindings: readonly LispValue[];
  /** Form that calls the function. */
  readonly call: (...args: LispValue[]) => LispValue;
  /** Form whose value is the function. */
  readonly object: LispValue;
  /** Puts what the calls need around the forms that have them. */
  readonly around: (body: LispValue) => LispValue;
}

/** Parameters of a lambda list that has nothing but required ones, each another symbol; else null. */
function plainParameters(lambdaList: LispValue): LSymbol[] | null {
  const names = listToArray(lambdaList);
  if (names === null) return null;
  const plain = names.every(
    (name): name is LSymbol =>
      name instanceof LSymbol && !name.name.startsWith("&") && name.kind !== "constant",
  );
  return plain && new Set(names).size === names.length ? names : null;
}

/** The lambda expression that a form names as a function, or null. */
export function lambdaExpression(b: FormBuilder, form: LispValue): Cons | null {
  if (!(form instanceof Cons)) return null;
  if (form.car === b.host.symbol("LAMBDA")) return form.cdr instanceof Cons ? form : null;
  if (form.car !== b.host.symbol("FUNCTION") || !(form.cdr instanceof Cons) || form.cdr.cdr !== NIL)
    return null;
  const { car: lambda } = form.cdr;
  return lambda instanceof Cons && lambda.car === b.host.symbol("LAMBDA") && lambda.cdr instanceof Cons
    ? lambda
    : null;
}

/** The call of a lambda expression with as many arguments as it has parameters as a LET form; null when its parameters are others. */
export function letOfLambda(b: FormBuilder, lambda: Cons, args: readonly LispValue[]): LispValue | null {
  const { car: lambdaList, cdr: body } = lambda.cdr as Cons;
  const names = plainParameters(lambdaList);
  if (names === null || names.length !== args.length || listToArray(body) === null) return null;
  const { declarations, forms } = parseBody(body, true);
  const bindings = arrayToList(names.map((name, i) => b.list(name, args[i]!)));
  const declare = b.onto(arrayToList([...declarations]), "DECLARE");
  return b.onto(forms === NIL ? b.list(NIL) : forms, "LET", bindings, declare);
}

const asIs = (body: LispValue): LispValue => body;

function calleeOfLambda(b: FormBuilder, lambda: Cons, arity: number, often: boolean): Callee | null {
  const { car: lambdaList, cdr: body } = lambda.cdr as Cons;
  const names = plainParameters(lambdaList);
  if (names === null || names.length !== arity || listToArray(body) === null) return null;
  const fn = b.list("FUNCTION", lambda);
  if (!often) {
    return { bindings: [], object: fn, around: asIs, call: (...args) => letOfLambda(b, lambda, args)! };
  }
  const name = b.name("LAMBDA");
  return {
    bindings: [],
    object: b.list("FUNCTION", name),
    around: (inner) => b.list("FLET", b.list(b.onto(body, name, lambdaList)), inner),
    call: (...args) => arrayToList([name, ...args]),
  };
}

/** The symbol that a form names as a function, with whether it does so by QUOTE; else null. */
function namedFunction(b: FormBuilder, form: LispValue): { symbol: LSymbol; quoted: boolean } | null {
  if (!(form instanceof Cons) || !(form.cdr instanceof Cons) || form.cdr.cdr !== NIL) return null;
  const { car: symbol } = form.cdr;
  if (!(symbol instanceof LSymbol)) return null;
  const quoted = form.car === b.host.symbol("QUOTE");
  return quoted || form.car === b.host.symbol("FUNCTION") ? { symbol, quoted } : null;
}

/**
 * What a function argument says about the function, when it is a lambda expression with `arity` parameters or names a function;
 * else null. `often`: the call is written more than once.
 */
export function callee(
  b: FormBuilder,
  form: LispValue,
  arity: number,
  env: Environment,
  often: boolean,
): Callee | null {
  const lambda = lambdaExpression(b, form);
  if (lambda !== null) return calleeOfLambda(b, lambda, arity, often);
  const named = namedFunction(b, form);
  if (named === null) return null;
  const { symbol, quoted } = named;
  const direct: Callee = {
    bindings: [],
    object: form,
    around: asIs,
    call: (...args) => arrayToList([symbol, ...args]),
  };
  const { host } = b;
  const local = quoted ? null : env.operator(symbol);
  if (local !== null) return local.kind === "function" ? direct : null;
  if (symbol.macro !== null || host.specialOperator(symbol) !== null) return null;
  if (host.isStandard(symbol)) return symbol.fn === null ? null : direct;
  if (quoted) return null;
  const fixed =
    symbol.props?.get("compiler-macro") !== undefined || host.inlineCall(symbol, arity) !== undefined;
  if (fixed) return direct;
  const variable = b.name("FUNCTION");
  return {
    bindings: [b.list(variable, form)],
    object: variable,
    around: asIs,
    call: (...args) => arrayToList([b.host.symbol("FUNCALL"), variable, ...args]),
  };
}
