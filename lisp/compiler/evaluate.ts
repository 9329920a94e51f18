import { Cons } from "../data/cons.ts";
import { LispError, programError } from "../data/error.ts";
import { LFunction, UndefinedFunction } from "../data/function.ts";
import { LSymbol, NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { type Asking, type CompilerHost, type LispCall, SAFE_POINT } from "./analysis.ts";
import { Analyzer, properList } from "./analyzer.ts";
import { Environment } from "./environment.ts";
import { executes } from "./special-control.ts";

/** How an evaluation goes on: with values at hand, or with a last call whose values are the result. */
export type Tail =
  | { readonly kind: "values"; readonly values: readonly LispValue[] }
  | { readonly kind: "call"; readonly call: LispCall };

function one(value: LispValue): Tail {
  return { kind: "values", values: [value] };
}

/** Calls nested deeper are compiled: a request of the innermost generator passes through all those around it. */
const maximumDepth = 8;

/** Evaluates a form as EVAL does: top-level forms of PROGN one after the other, simple calls directly, the rest compiled. */
export function* evaluate(form: LispValue, env: Environment, host: CompilerHost, depth = 0): Asking<Tail> {
  const analyzer = new Analyzer(host);
  for (;;) {
    if (analyzer.due()) yield SAFE_POINT;
    if (form instanceof LSymbol) {
      const { form: expansion, expanded } = yield* analyzer.macroexpand1(form, env);
      // Compiled code has the place where a restart can put a value: for what is unbound or undefined.
      if (!expanded) return form.value === UNBOUND ? yield* compiled(form, env, host) : one(form.value);
      form = expansion;
      continue;
    }
    if (!(form instanceof Cons)) return one(form);
    const head = form.car;
    if (!(head instanceof LSymbol) || !env.isEmpty || depth > maximumDepth) {
      return yield* compiled(form, env, host);
    }
    const special = host.specialOperator(head);
    if (special !== null) {
      const next = yield* topSpecial(head, form, env, host);
      if (next.kind === "values" || next.kind === "call") return next;
      form = next.form;
      continue;
    }
    if (head.macro === null && !isDefined(head.fn)) return yield* compiled(form, env, host);
    if (head.macro === null) return yield* globalCall(head, form, env, host, depth);
    form = yield* analyzer.expand(head.macro, form, env);
  }
}

/** Runs a form by compiling a function of no arguments. */
function* compiled(form: LispValue, env: Environment, host: CompilerHost): Asking<Tail> {
  const fn = yield* new Analyzer(host).thunk(form, env);
  return { kind: "call", call: { fn: host.instantiate(fn), args: [] } };
}

/** Special forms that are better taken apart at top level. */
function* topSpecial(
  head: LSymbol,
  form: Cons,
  env: Environment,
  host: CompilerHost,
): Asking<Tail | { readonly kind: "form"; readonly form: LispValue }> {
  const body = form.cdr;
  if (head === host.symbol("QUOTE") && body instanceof Cons && body.cdr === NIL) return one(body.car);
  if (head === host.symbol("EVAL-WHEN") && body instanceof Cons) {
    if (!executes(body.car)) return one(NIL);
    return { kind: "form", form: new Cons(host.symbol("PROGN"), body.cdr) };
  }
  if (head === host.symbol("PROGN")) {
    const forms = properList(body);
    if (forms.length === 0) return one(NIL);
    for (const item of forms.slice(0, -1)) yield* valueOf(item, env, host);
    return { kind: "form", form: forms.at(-1)! };
  }
  return yield* compiled(form, env, host);
}

/** Primary value of a form evaluated in the middle of an evaluation. */
export function* valueOf(
  form: LispValue,
  env: Environment,
  host: CompilerHost,
  depth = 0,
): Asking<LispValue> {
  const tail = yield* evaluate(form, env, host, depth);
  if (tail.kind === "values") return tail.values[0] ?? NIL;
  return yield tail.call;
}

function isDefined(fn: LFunction | null): fn is LFunction {
  return fn !== null && !(fn instanceof UndefinedFunction);
}

function* globalCall(
  head: LSymbol,
  form: Cons,
  env: Environment,
  host: CompilerHost,
  depth: number,
): Asking<Tail> {
  const args: LispValue[] = [];
  for (const item of properList(form.cdr)) args.push(yield* valueOf(item, env, host, depth + 1));
  const { fn } = head;
  if (!isDefined(fn)) {
    throw new LispError("UNDEFINED-FUNCTION", [["NAME", head]], `undefined function ${head.name}`);
  }
  return { kind: "call", call: { fn, args } };
}

/** `(funcall (compile nil form))` for COMPILE: the function of a lambda expression in the null environment. */
export function* compileLambda(lambda: LispValue, name: LispValue, host: CompilerHost): Asking<LFunction> {
  if (lambda instanceof LFunction) return lambda;
  if (!(lambda instanceof Cons) || lambda.car !== host.symbol("LAMBDA") || !(lambda.cdr instanceof Cons)) {
    throw programError("expected a lambda expression to compile, got ~S", lambda);
  }
  const fn = yield* new Analyzer(host).lambda(lambda.cdr.car, lambda.cdr.cdr, Environment.empty, name);
  return host.instantiate(fn);
}
