import { wrongArgumentCount } from "../runtime/argument-count.ts";
import { type Asking, SAFE_POINT } from "../compiler/analysis.ts";
import { Analyzer } from "../compiler/analyzer.ts";
import { Environment } from "../compiler/environment.ts";
import { type Tail, compileLambda, evaluate } from "../compiler/evaluate.ts";
import { coreMacros } from "../compiler/core-macros.ts";
import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import { programError, typeError } from "../data/error.ts";
import { LFunction } from "../data/function.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, T, bool } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { CoroutineDriver } from "../runtime/coroutine.ts";
import { leafShape } from "../runtime/leaf-entry.ts";
import { FrameCode } from "../compiler/frame-code.ts";
import { call } from "../runtime/runtime.ts";
import { SUSPEND } from "../runtime/suspend.ts";
import { functionCellOf } from "./definition-leaves.ts";
import type { Image } from "./image.ts";

/** What ends a list that is not a proper one; the list itself when it has no end. */
function improperEnd(items: LispValue): LispValue {
  let rest = items;
  for (let mark = items, steps = 1; rest instanceof Cons; steps++) {
    rest = rest.cdr;
    if (rest === mark) return items;
    if ((steps & (steps - 1)) === 0) mark = rest;
  }
  return rest;
}

function values(...all: readonly LispValue[]): Tail {
  return { kind: "values", values: all };
}

function environmentOf(value: LispValue | undefined): Environment {
  return value instanceof Environment ? value : Environment.empty;
}

/**
 * Registers an operator that may ask for Lisp calls: `make` gets the arguments as a leaf would and gives a computation, which
 * is driven by a suspendable frame. Number of arguments is checked; no keywords.
 */
export function defineCoroutine(
  image: Image,
  driver: CoroutineDriver,
  name: string,
  lambdaList: string,
  make: (...args: LispValue[]) => Asking<Tail>,
): void {
  image.define(name, lambdaList, () => NIL, { caller: true, values: true });
  const cell = image.cell(name);
  const { required, optional, rest } = leafShape(lambdaList);
  cell.fn!.code = (_self: LFunction, ...args: LispValue[]) => {
    if (args.length < required || (!rest && args.length > required + optional)) {
      return image.runtime.trap(wrongArgumentCount({ name: cell, lambdaList }));
    }
    return driver.drive(make(...args), NIL);
  };
}

/** The operators of the evaluator, which call functions: EVAL, COMPILE, MACROEXPAND, FUNCALL, APPLY. */
export function installCallers(image: Image): CoroutineDriver {
  const driver = new CoroutineDriver(image.runtime);
  installFuncall(image);
  for (const [name, expand] of coreMacros(image)) {
    const info = {
      name: image.symbol(name),
      lambdaList: "&rest forms",
      documentation: NIL,
      location: null,
      leaf: true,
      source: null,
    };
    const code = (_self: LFunction, form?: LispValue, env?: LispValue, more?: LispValue): LispValue => {
      if (!(form instanceof Cons) || env === undefined || more !== undefined) {
        return image.runtime.trap(
          programError("a macro function takes a form and an environment: ~S", info.name),
        );
      }
      return expand(form, environmentOf(env));
    };
    image.symbol(name).macro = new LFunction(code, [], info);
  }
  defineCoroutine(image, driver, "EVAL", "form", (form) => evaluate(form, Environment.empty, image));
  defineCoroutine(image, driver, "SYS:%EVAL-IN", "form environment", (form, env) =>
    evaluate(form, environmentOf(env), image),
  );
  defineCoroutine(image, driver, "MACROEXPAND-1", "form &optional environment", function* (form, env) {
    const result = yield* new Analyzer(image).macroexpand1(form, environmentOf(env));
    return values(result.form, result.expanded ? T : NIL);
  });
  defineCoroutine(image, driver, "MACROEXPAND", "form &optional environment", function* (form, env) {
    const analyzer = new Analyzer(image);
    let current = form;
    for (let any = false; ; any = true) {
      if (analyzer.due()) yield SAFE_POINT;
      const result = yield* analyzer.macroexpand1(current, environmentOf(env));
      if (!result.expanded) return values(current, any ? T : NIL);
      current = result.form;
    }
  });
  defineCoroutine(image, driver, "COMPILE", "name &optional definition", function* (name, definition) {
    const cell = name === NIL ? null : functionCellOf(image, name);
    const source = definition ?? cell?.macro ?? cell?.fn;
    if (source === undefined || source === null) throw programError("nothing to compile for ~S", name);
    const fn = yield* compileLambda(source, name, image);
    if (cell !== null && definition !== undefined) {
      if (cell.macro !== null) cell.macro = fn;
      else cell.fn = fn;
    }
    return values(cell === null ? fn : name, NIL, NIL);
  });
  image.define("MACRO-FUNCTION", "symbol &optional environment", (symbol: LispValue, env?: LispValue) => {
    if (!(symbol instanceof LSymbol)) throw typeError(symbol, "SYMBOL");
    const local = environmentOf(env).operator(symbol);
    if (local !== null) return local.kind === "macro" ? local.fn : NIL;
    return symbol.macro ?? NIL;
  });
  image.define("SYS:%LOCALLY-DEFINED-P", "symbol environment", (symbol: LispValue, env: LispValue) =>
    bool(symbol instanceof LSymbol && environmentOf(env).operator(symbol) !== null),
  );
  installEnds(image);
  return driver;
}

function rows(value: LispValue): LispValue[][] {
  return (listToArray(value) ?? []).map((row) => listToArray(row) ?? []);
}

function textOf(value: LispValue | undefined): string {
  return value instanceof LString ? value.toJS() : "";
}

/** The ways a thread ends or waits: the debugger, QUIT, SLEEP. */
function installEnds(image: Image): void {
  const { runtime } = image;
  const caller = (name: string, lambdaList: string, code: (...args: LispValue[]) => LispValue): void => {
    image.define(name, lambdaList, () => NIL, { caller: true });
    image.symbol(name).fn!.code = (_self: LFunction, ...args: LispValue[]) => code(...args);
  };
  caller("SYS:%ENTER-DEBUGGER", "condition &optional text type", (condition, text, type) => {
    const thread = runtime.current;
    if (thread !== null) {
      thread.unhandled = condition!;
      if (text instanceof LString && type instanceof LString) {
        thread.unhandledText = { text: text.toJS(), type: type.toJS(), location: image.location };
      }
    }
    return runtime.unwindToTop("unhandled condition");
  });
  caller("SYS:%HAS-DEBUGGER", "", () => bool(runtime.current !== null && runtime.current.debugger !== null));
  caller(
    "SYS:%ASK-DEBUGGER",
    "condition text type slots restarts &optional note",
    (condition, text, type, slots, restarts, note) => {
      const report = {
        condition: condition,
        text: (text as LString).toJS(),
        type: (type as LString).toJS(),
        slots: rows(slots).map(([name, value]) => ({ name: textOf(name), value: textOf(value) })),
        restarts: rows(restarts).map(([restart, name, about, parameters]) => ({
          restart: restart!,
          name: textOf(name),
          text: textOf(about),
          parameters: textOf(parameters),
        })),
        ...(note instanceof LString ? { note: note.toJS() } : {}),
      };
      return runtime.wait(runtime.current!.debugger!(report));
    },
  );
  caller("SYS:%QUIT", "code", (code) => {
    const thread = runtime.current;
    if (thread !== null) thread.quitCode = typeof code === "number" ? code & 255 : 0;
    return runtime.unwindToTop("quit");
  });
  caller("SYS:%ABORT-THREAD", "", () => runtime.unwindToTop("aborted"));
  image.defineWaiting("SYS:%SLEEP", "milliseconds", (ms) => {
    const { promise, resolve } = Promise.withResolvers<LispValue>();
    const timeMs = Math.min(Number(ms), 2 ** 31 - 1);
    const timer = setTimeout(() => resolve(NIL), timeMs);
    const { interrupts } = runtime;
    if (interrupts !== null) {
      // The waiter alone would not keep the JavaScript thread alive.
      void Promise.resolve(Atomics.waitAsync(interrupts.word, 0, 0, timeMs).value).then(() => {
        clearTimeout(timer);
        resolve(NIL);
      });
    }
    return promise;
  });
  caller("SYS:%TAKE-INTERRUPT", "", () => runtime.takeInterrupt());
}

function installFuncall(image: Image): void {
  const { runtime } = image;
  const resume = new FrameCode(NIL, () => (_pc, locals, fn) => {
    if (fn === SUSPEND) return runtime.unwinding ?? runtime.save(resume, 0, locals);
    return call(fn as LFunction, ...(locals[0] as LispValue[]));
  });
  const invoke = (designator: LispValue | undefined, args: LispValue[]): LispValue => {
    if (designator === undefined) return runtime.trap(programError("too few arguments for FUNCALL"));
    const fn = runtime.coerceFunction(designator);
    if (fn === SUSPEND) return runtime.unwinding ?? runtime.save(resume, 0, [args]);
    return call(fn as LFunction, ...args);
  };
  image.define("FUNCALL", "function &rest arguments", () => NIL, { caller: true, values: true });
  image.symbol("FUNCALL").fn!.code = (_self: LFunction, fn: LispValue, ...args: LispValue[]) =>
    invoke(fn, args);
  image.define("APPLY", "function argument &rest arguments", () => NIL, { caller: true, values: true });
  image.symbol("APPLY").fn!.code = (_self: LFunction, fn: LispValue, ...args: LispValue[]) => {
    if (args.length === 0) return runtime.trap(programError("too few arguments for APPLY"));
    const spread = runtime.spread(args.at(-1)!, ...args.slice(0, -1));
    return spread === SUSPEND ? spread : invoke(fn, spread as LispValue[]);
  };
  image.define("VALUES", "&rest objects", (...all: LispValue[]) => image.values(...all), { values: true });
  image.define(
    "VALUES-LIST",
    "list",
    (items: LispValue) => {
      const spread = listToArray(items);
      if (spread === null) throw typeError(improperEnd(items), "LIST");
      return image.values(...spread);
    },
    { values: true },
  );
  image.define("SYS:%LIST-TO-VECTOR", "list", (items: LispValue) => {
    const vector: LispValue[] = [];
    for (let rest = items; rest instanceof Cons; rest = rest.cdr) vector.push(rest.car);
    return vector;
  });
  image.define("SYS:%VECTOR-TO-LIST", "vector", (vector: LispValue[]) => arrayToList(vector));
}
