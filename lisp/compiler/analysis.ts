import type { LFunction } from "../data/function.ts";
import type { Cons } from "../data/cons.ts";
import type { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import type { Environment } from "./environment.ts";
import type { Block, FunctionNode, InlineCall, Node, Variable } from "./ir.ts";

/** A Lisp call the compiler needs (a macro function, a form to run at compile time); whoever drives it answers with the primary value. */
export interface LispCall {
  readonly fn: LFunction;
  readonly args: readonly LispValue[];
}

/** What a computation yields now and then between its calls, to be interrupted. */
export const SAFE_POINT = Symbol("safe point");

/** Forms that are analysed or expanded between two safe points. */
export const FORMS_IN_SHARE = 512;

/**
 * A computation that may ask for Lisp calls. Driven by a frame of the runtime, so those calls can suspend, fail and unwind. The
 * answer to a safe point means nothing.
 */
export type Asking<Result> = Generator<LispCall | typeof SAFE_POINT, Result, LispValue>;

/** A global name that compiled code uses: as a function with so many arguments, or (null) as a variable nobody declared. */
export interface NameUse {
  readonly symbol: LSymbol;
  readonly count: number | null;
}

/** What the compiler uses of its image. */
export interface CompilerHost {
  /** While it is a list, the analyser adds what it meets that may turn out to be undefined. */
  nameUses: NameUse[] | null;
  /** Symbol by name as in `LeafHost.symbol`. */
  symbol(name: string): LSymbol;
  keyword(name: string): LSymbol;
  /** The leaf in a function cell, as long as it is the one registered there. */
  leafOf(symbol: LSymbol): LeafEntry | null;
  specialOperator(symbol: LSymbol): SpecialOperator | null;
  /** How a call of a function with that many arguments can remember what it found; undefined when it cannot. */
  inlineCall(symbol: LSymbol, count: number): InlineCall | undefined;
  /** True for names of functions of COMMON-LISP once the library is loaded: what they do is known. */
  isStandard(symbol: LSymbol): boolean;
  /** Hidden symbol whose function cell is that of `(setf symbol)`. */
  setfCell(symbol: LSymbol): LSymbol;
  /** A fresh uninterned symbol. */
  gensym(prefix: string): LSymbol;
  /** Runs the machine code generator over a finished function and gives a function object. */
  instantiate(fn: FunctionNode): LFunction;
}

/** Analysis of one special form; a generator when it has subforms. */
export type SpecialOperator = (analysis: Analysis, form: Cons, env: Environment) => Asking<Node> | Node;

/** The services of the analyser to the special operators. */
export interface Analysis {
  readonly host: CompilerHost;
  form(form: LispValue, env: Environment): Asking<Node>;
  /** A call that is not written as a loop. */
  fullCall(form: Cons, env: Environment): Asking<Node>;
  /** A list of forms as one node. */
  progn(forms: LispValue, env: Environment): Asking<Node>;
  args(forms: LispValue, env: Environment): Asking<Node[]>;
  /** Body with declarations: applies free special declarations and analyses. */
  locally(body: LispValue, env: Environment): Asking<Node>;
  lambda(lambdaList: LispValue, body: LispValue, env: Environment, name: LispValue): Asking<FunctionNode>;
  /** A fresh variable of the function being analysed. */
  variable(name: LSymbol | string, env: Environment): Variable;
  /** Notes a reference from the function of `env`. */
  refer(variable: Variable, env: Environment): void;
  /** Fresh block of the function being analysed. */
  block(name: LSymbol, env: Environment): Block;
  /** The cell for a value of LOAD-TIME-VALUE. */
  loadTimeCell(value: LispValue): { value: LispValue };
  /** Compiles a lambda expression now and gives the function. */
  compileNow(lambda: LispValue, env: Environment): Asking<LFunction>;
  /** Value of a form evaluated now, in the global environment. */
  evaluateNow(form: LispValue): Asking<LispValue>;
  macroexpand1(
    form: LispValue,
    env: Environment,
  ): Asking<{ readonly form: LispValue; readonly expanded: boolean }>;
}
