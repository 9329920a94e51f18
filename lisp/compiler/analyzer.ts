import { Cons, arrayToList, list, listToArray } from "../data/cons.ts";
import { programError, storageError } from "../data/error.ts";
import type { LFunction } from "../data/function.ts";
import { LSymbol, NIL, symbolFunction, UNBOUND, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { StructureCell } from "../structures/structure-cell.ts";
import { type Analysis, type Asking, type CompilerHost, FORMS_IN_SHARE, SAFE_POINT } from "./analysis.ts";
import { noteDeclared } from "./double-hints.ts";
import { settleKinds } from "./infer-kinds.ts";
import { declaredKinds } from "./kinds.ts";
import { parseBody } from "./declarations.ts";
import type { Environment, OperatorMeaning } from "./environment.ts";
import { Environment as Env } from "./environment.ts";
import { Block, FunctionNode, type Node, type OptionalParameter, Variable } from "./ir.ts";
import { FormBuilder } from "./form-building.ts";
import { lambdaExpression, letOfLambda } from "./inline-callee.ts";
import { inlineMapping } from "./inline-mapping.ts";
import { inlineSearching } from "./inline-searching.ts";
import { keywordLeafCall } from "./keyword-leaves.ts";
import { modularProduct } from "./modular-product.ts";
import {
  type LambdaList,
  type WrittenParameter,
  checkParameters,
  hasSpecial,
  parseLambdaList,
} from "./lambda-list.ts";

/** Functions written one in the other: the memory of their compilation grows with the square of their number. */
const maximumFunctionDepth = 300;

/** Functions of numbers whose calls with more arguments are nested calls with two. */
const foldable: ReadonlySet<string> = new Set(["+", "*", "-", "MAX", "MIN"]);

const NIL_NODE: Node = { op: "const", value: NIL };

/** Turns forms into the intermediate form: expands macros, resolves names, checks syntax. One object per compilation. */
export class Analyzer implements Analysis {
  readonly host: CompilerHost;
  private readonly structureCells = new Map<StructureCell, { value: LispValue }>();
  private variables = 0;
  private functions = 0;
  private forms = 0;

  private readonly builder: FormBuilder;

  constructor(host: CompilerHost) {
    this.host = host;
    this.builder = new FormBuilder(host);
  }

  /** A function of no arguments that evaluates the form. */
  *thunk(form: LispValue, env: Environment): Asking<FunctionNode> {
    const fn = new FunctionNode(this.functions++, null, NIL, NIL, NIL);
    fn.body = yield* this.form(form, env.inFunction(fn));
    settleKinds(fn);
    return fn;
  }

  // ---------------------------------------------------------------- forms

  /** Counts a form; true when it is time for a safe point. */
  due(): boolean {
    this.forms = (this.forms + 1) % FORMS_IN_SHARE;
    return this.forms === 0;
  }

  *form(form: LispValue, env: Environment): Asking<Node> {
    for (;;) {
      if (this.due()) yield SAFE_POINT;
      if (form instanceof LSymbol) {
        const expansion = this.symbolMacro(form, env);
        if (expansion === null) return this.reference(form, env);
        form = expansion;
        continue;
      }
      if (!(form instanceof Cons)) return { op: "const", value: form };
      const head = form.car;
      if (!(head instanceof LSymbol)) return yield* this.lambdaCall(form, env);
      const local = env.operator(head);
      if (local?.kind === "function") return yield* this.localCall(local.variable, form, env);
      if (local === null) {
        const special = this.host.specialOperator(head);
        if (special !== null) {
          const result = special(this, form, env);
          return "op" in result ? result : yield* result;
        }
      }
      const macro = local?.fn ?? head.macro;
      if (macro === null) return yield* this.call(head, form, env);
      form = yield* this.expand(macro, form, env);
    }
  }

  /** Expansion of a symbol macro, or null. */
  private symbolMacro(symbol: LSymbol, env: Environment): LispValue | null {
    const meaning = env.variable(symbol);
    if (meaning !== null) return meaning.kind === "symbol-macro" ? meaning.expansion : null;
    return symbol.kind === "symbol-macro" ? (symbol.props?.get("symbol-macro") ?? NIL) : null;
  }

  private reference(symbol: LSymbol, env: Environment): Node {
    const meaning = env.variable(symbol);
    if (meaning?.kind === "lexical") {
      this.refer(meaning.variable, env);
      return { op: "local", variable: meaning.variable };
    }
    if (symbol.kind === "constant") {
      const { value } = symbol;
      if (symbol === NIL || value === symbol || typeof value === "number") return { op: "const", value };
      return { op: "special", symbol, checked: false };
    }
    if (meaning === null && symbol.kind === "lexical" && symbol.value === UNBOUND) {
      this.host.nameUses?.push({ symbol, count: null });
    }
    return { op: "special", symbol, checked: true };
  }

  *expand(macro: LFunction, form: LispValue, env: Environment): Asking<LispValue> {
    const hook = this.macroexpandHook();
    if (hook !== null) return yield { fn: hook, args: [macro, form, env] };
    if (macro.info.leaf) return (macro.code as (...args: LispValue[]) => LispValue)(macro, form, env);
    return yield { fn: macro, args: [form, env] };
  }

  /** The function of *MACROEXPAND-HOOK*, or null while that is FUNCALL or no function. */
  private macroexpandHook(): LFunction | null {
    const funcall = this.host.symbol("FUNCALL");
    const { value } = this.host.symbol("*MACROEXPAND-HOOK*");
    if (value === funcall) return null;
    const hook = value instanceof LSymbol ? symbolFunction(value) : value;
    return hook !== null && isFunction(hook) && hook !== funcall.fn ? hook : null;
  }

  *macroexpand1(form: LispValue, env: Environment): Asking<{ form: LispValue; expanded: boolean }> {
    if (form instanceof LSymbol) {
      const expansion = this.symbolMacro(form, env);
      return { form: expansion ?? form, expanded: expansion !== null };
    }
    if (!(form instanceof Cons) || !(form.car instanceof LSymbol)) return { form, expanded: false };
    const local: OperatorMeaning | null = env.operator(form.car);
    if (local?.kind === "function") return { form, expanded: false };
    const macro = local?.fn ?? form.car.macro;
    if (macro === null) return { form, expanded: false };
    return { form: yield* this.expand(macro, form, env), expanded: true };
  }

  *progn(forms: LispValue, env: Environment): Asking<Node> {
    const items = properList(forms);
    if (items.length === 0) return NIL_NODE;
    if (items.length === 1) return yield* this.form(items[0]!, env);
    const body: Node[] = [];
    for (const item of items) body.push(yield* this.form(item, env));
    return { op: "progn", body };
  }

  *args(forms: LispValue, env: Environment): Asking<Node[]> {
    const nodes: Node[] = [];
    for (const item of properList(forms)) nodes.push(yield* this.form(item, env));
    return nodes;
  }

  *locally(body: LispValue, env: Environment): Asking<Node> {
    const { specials, forms, declarations } = parseBody(body, false);
    return yield* this.progn(forms, withSpecials(env.declaring(declarations), specials));
  }

  // ---------------------------------------------------------------- calls

  private *localCall(variable: Variable, form: Cons, env: Environment): Asking<Node> {
    const args = yield* this.args(form.cdr, env);
    this.refer(variable, env);
    env.fn!.calls = true;
    return { op: "call-local", variable, args };
  }

  private *lambdaCall(form: Cons, env: Environment): Asking<Node> {
    const head = form.car;
    if (!(head instanceof Cons) || head.car !== this.host.symbol("LAMBDA")) {
      throw programError(
        "illegal function call ~S: expected a function name or a lambda expression first",
        form,
      );
    }
    const lambda = lambdaExpression(this.builder, head);
    const written = lambda === null ? null : letOfLambda(this.builder, lambda, properList(form.cdr));
    if (written !== null) return yield* this.form(written, env);
    const fn = yield* this.form(list(this.host.symbol("FUNCTION"), head), env);
    const args = yield* this.args(form.cdr, env);
    env.fn!.calls = true;
    return { op: "funcall", fn, args };
  }

  private *call(symbol: LSymbol, form: Cons, env: Environment): Asking<Node> {
    const written = this.writtenInline(symbol, form, env);
    return yield* written === null ? this.fullCall(form, env) : this.form(written, env);
  }

  /** The call of a standard function as forms that do its work here, or null. */
  private writtenInline(symbol: LSymbol, form: Cons, env: Environment): LispValue | null {
    if (symbol === this.host.symbol("FUNCALL")) {
      const [fn, ...args] = properList(form.cdr);
      const lambda = fn === undefined ? null : lambdaExpression(this.builder, fn);
      return lambda === null ? null : letOfLambda(this.builder, lambda, args);
    }
    if (!this.host.isStandard(symbol)) return null;
    const write = inlineMapping.get(symbol.name) ?? inlineSearching.get(symbol.name);
    return write === undefined ? null : write(this.builder, properList(form.cdr), env);
  }

  *fullCall(form: Cons, env: Environment): Asking<Node> {
    const symbol = form.car as LSymbol;
    const compilerMacro = symbol.props?.get("compiler-macro");
    if (compilerMacro !== undefined && isFunction(compilerMacro) && !env.notInline(symbol)) {
      const expansion = yield { fn: compilerMacro, args: [form, env] };
      if (expansion !== form) return yield* this.form(expansion, env);
    }
    const args = yield* this.args(form.cdr, env);
    return this.callNode(symbol, args, env);
  }

  /** Call of a global function; a few functions of COMMON-LISP and most leaves have nodes of their own. */
  private callNode(symbol: LSymbol, args: Node[], env: Environment): Node {
    const fn = env.fn!;
    // All images share these two: nothing of one image may go into their function cells.
    if (symbol === NIL || symbol === T) {
      fn.calls = true;
      return { op: "funcall", fn: { op: "const", value: symbol }, args };
    }
    const leaf = this.host.leafOf(symbol);
    if (leaf !== null) {
      if (leaf.name === "VALUES") return { op: "values", args };
      if (leaf.name === "FUNCALL" && args.length > 0) {
        fn.calls = true;
        const [designator, ...rest] = args as [Node, ...Node[]];
        if (designator.op === "function") return this.callNode(designator.symbol, rest, env);
        return { op: "funcall", fn: designator, args: rest };
      }
      if (leaf.name === "APPLY" && args.length > 1) {
        fn.calls = true;
        return { op: "apply", fn: args[0]!, args: args.slice(1) };
      }
      if (leaf.shape.keys !== null && !leaf.traits.caller) {
        const call = keywordLeafCall(leaf, args, () => this.variable("argument", env));
        if (call !== null) {
          if (leaf.traits.values === true) fn.calls = true;
          return call;
        }
      }
      const { required, optional, rest, keys } = leaf.shape;
      const fits = args.length >= required && (rest || args.length <= required + optional);
      if (fits && (keys === null || args.length <= required + optional) && !leaf.traits.caller) {
        if (leaf.traits.values === true) fn.calls = true;
        return (
          this.foldArithmetic(leaf.name, args) ??
          modularProduct(this.host, leaf.name, args) ?? { op: "leaf", leaf, args }
        );
      }
    }
    fn.calls = true;
    this.host.nameUses?.push({ symbol, count: args.length });
    const inline = this.host.inlineCall(symbol, args.length);
    return inline === undefined ? { op: "call", symbol, args } : { op: "call", symbol, args, inline };
  }

  /** `(+ a b c)` as nested two-argument calls, which have fast paths. */
  private foldArithmetic(name: string, args: Node[]): Node | null {
    if (args.length < 3 || !foldable.has(name)) return null;
    const leaf = this.host.leafOf(this.host.symbol(name))!;
    return args.slice(1).reduce<Node>((sum, arg) => ({ op: "leaf", leaf, args: [sum, arg] }), args[0]!);
  }

  // ---------------------------------------------------------------- variables, blocks

  variable(name: LSymbol | string, env: Environment): Variable {
    return new Variable(name, env.fn!, `v${this.variables++}`);
  }

  refer(variable: Variable, env: Environment): void {
    variable.used = true;
    for (let fn = env.fn; fn !== variable.owner && fn !== null; fn = fn.parent) {
      variable.captured = true;
      if (!fn.free.includes(variable)) fn.free.push(variable);
    }
  }

  block(name: LSymbol, env: Environment): Block {
    return new Block(name, env.fn!, this.variable("block", env), env.protectDepth);
  }

  // ---------------------------------------------------------------- functions

  *lambda(lambdaList: LispValue, body: LispValue, env: Environment, name: LispValue): Asking<FunctionNode> {
    const parsed = parseLambdaList(lambdaList, false);
    const { specials, documentation, forms, declarations } = parseBody(body, true);
    const declared = declaredKinds(declarations);
    checkParameters(parsed, lambdaList);
    if (hasSpecial(parsed, specials)) {
      return yield* this.lambdaWithSpecials(parsed, body, env, name, lambdaList);
    }
    const fn = new FunctionNode(this.functions++, env.fn, name, lambdaList, documentation);
    if (fn.depth > maximumFunctionDepth)
      throw storageError(
        "Functions are written one in the other ~D deep; the bound is ~D.",
        fn.depth,
        maximumFunctionDepth,
      );
    let inner = env.inFunction(fn);
    const parameter = (symbol: LispValue): Variable => {
      const variable = this.variable(symbol as LSymbol, inner);
      noteDeclared(variable, symbol, declared);
      inner = inner.withVariable(symbol as LSymbol, { kind: "lexical", variable });
      return variable;
    };
    fn.required = parsed.required.map(parameter);
    for (const written of parsed.optional)
      fn.optional.push(yield* this.optional(written, inner, parameter, null));
    if (parsed.rest !== null) fn.rest = parameter(parsed.rest);
    if (parsed.keys !== null) {
      fn.keys = [];
      fn.allowOtherKeys = parsed.allowOtherKeys;
      for (const written of parsed.keys) {
        const keyword = written.key ?? this.host.keyword((written.target as LSymbol).name);
        fn.keys.push(yield* this.optional(written, inner, parameter, keyword));
      }
    }
    inner = inner.declaring(declarations);
    if (parsed.aux.length === 0) fn.body = yield* this.progn(forms, withSpecials(inner, specials));
    else {
      // Free special declarations of the body are not in force in the initial forms.
      const bindings = parsed.aux.map((aux) => list(aux.target, aux.init));
      const special = new Cons(this.host.symbol("SPECIAL"), arrayToList([...specials]));
      const body = new Cons(list(this.host.symbol("DECLARE"), special), forms);
      fn.body = yield* this.form(
        new Cons(this.host.symbol("LET*"), new Cons(arrayToList(bindings), body)),
        inner,
      );
    }
    if (env.fn === null) settleKinds(fn);
    return fn;
  }

  private *optional(
    written: WrittenParameter,
    env: Environment,
    parameter: (symbol: LispValue) => Variable,
    keyword: LSymbol | null,
  ): Asking<OptionalParameter> {
    const init = written.init === NIL ? NIL_NODE : yield* this.form(written.init, env);
    const variable = parameter(written.target);
    const supplied = written.supplied === null ? null : parameter(written.supplied);
    return { variable, supplied, init, keyword };
  }

  /** Parameters that are special variables become hidden ones, bound in order by LET* in the body. */
  private *lambdaWithSpecials(
    parsed: LambdaList,
    body: LispValue,
    env: Environment,
    name: LispValue,
    written: LispValue,
  ): Asking<FunctionNode> {
    const hidden: LispValue[] = [];
    const bindings: LispValue[] = [];
    const sym = (text: string): LSymbol => this.host.symbol(text);
    const fresh = (): LSymbol => this.host.gensym("P");
    const simple = (target: LispValue): void => {
      const p = fresh();
      hidden.push(p);
      bindings.push(list(target, p));
    };
    const optional = (parameter: WrittenParameter, keyword: LSymbol | null): void => {
      const p = fresh();
      const supplied = fresh();
      hidden.push(list(keyword === null ? p : list(keyword, p), NIL, supplied));
      bindings.push(list(parameter.target, list(sym("IF"), supplied, p, parameter.init)));
      if (parameter.supplied !== null) bindings.push(list(parameter.supplied, supplied));
    };
    for (const target of parsed.required) simple(target);
    if (parsed.optional.length > 0) hidden.push(sym("&OPTIONAL"));
    for (const parameter of parsed.optional) optional(parameter, null);
    if (parsed.rest !== null) {
      hidden.push(sym("&REST"));
      simple(parsed.rest);
    }
    if (parsed.keys !== null) hidden.push(sym("&KEY"));
    for (const parameter of parsed.keys ?? []) {
      optional(parameter, parameter.key ?? this.host.keyword((parameter.target as LSymbol).name));
    }
    if (parsed.allowOtherKeys) hidden.push(sym("&ALLOW-OTHER-KEYS"));
    for (const aux of parsed.aux) bindings.push(list(aux.target, aux.init));
    const { documentation, declarations, forms } = parseBody(body, true);
    const declare = list(new Cons(sym("DECLARE"), arrayToList(declarations)));
    const inside = new Cons(
      sym("LET*"),
      new Cons(arrayToList(bindings), new Cons((declare as Cons).car, forms)),
    );
    const fn = yield* this.lambda(arrayToList(hidden), list(inside), env, name);
    fn.lambdaList = written;
    fn.documentation = documentation;
    return fn;
  }

  /** All accesses to the slots of one structure share a cell, so that the code looks at one place. */
  loadTimeCell(value: LispValue): { value: LispValue } {
    if (!(value instanceof StructureCell)) return { value };
    let cell = this.structureCells.get(value);
    if (cell === undefined) this.structureCells.set(value, (cell = { value }));
    return cell;
  }

  *compileNow(lambda: LispValue, env: Environment): Asking<LFunction> {
    const inner = new Analyzer(this.host);
    const [, lambdaList, ...body] = properList(lambda);
    const fn = yield* inner.lambda(lambdaList ?? NIL, arrayToList(body), env, NIL);
    return this.host.instantiate(fn);
  }

  *evaluateNow(form: LispValue): Asking<LispValue> {
    if (!(form instanceof Cons) && !(form instanceof LSymbol)) return form;
    const inner = new Analyzer(this.host);
    const fn = yield* inner.thunk(form, Env.empty);
    return yield { fn: this.host.instantiate(fn), args: [] };
  }
}

function isFunction(value: LispValue): value is LFunction {
  return typeof value === "object" && "info" in value && "env" in value;
}

/** Items of a form's arguments; a dotted or circular list is a program error. */
export function properList(forms: LispValue): LispValue[] {
  const items = listToArray(forms);
  if (items === null) throw programError("expected a proper list of forms, got ~S", forms);
  return items;
}

/** Extends an environment by free special declarations. */
export function withSpecials(env: Environment, specials: ReadonlySet<LSymbol>): Environment {
  let scope = env;
  for (const symbol of specials) scope = scope.withVariable(symbol, { kind: "special" });
  return scope;
}
