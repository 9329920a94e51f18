import { Cons, arrayToList } from "../data/cons.ts";
import { programError } from "../data/error.ts";
import { LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { CompilerHost } from "./analysis.ts";
import { properList } from "./analyzer.ts";
import { parseBody } from "./declarations.ts";
import { destructure, macroLambda } from "./destructuring.ts";
import type { Environment } from "./environment.ts";

/** A macro written in TypeScript: never calls Lisp. */
export type CoreMacro = (form: Cons, env: Environment) => LispValue;

/** Builds forms: JavaScript strings are names of symbols. */
type Item = LispValue | string;

/** The macros that the boot library needs before it can define its own. */
export function coreMacros(host: CompilerHost): ReadonlyMap<string, CoreMacro> {
  const value = (item: Item): LispValue => (typeof item === "string" ? host.symbol(item) : item);
  const f = (...items: readonly Item[]): LispValue => arrayToList(items.map(value));
  /** List of the items followed by the list `tail`. */
  const g = (tail: LispValue, ...items: readonly Item[]): LispValue => arrayToList(items.map(value), 0, tail);
  const quote = (x: LispValue): LispValue => f("QUOTE", x);
  const arg = (form: LispValue, n: number): LispValue => {
    let rest: LispValue = form;
    for (let i = 0; i < n; i++) rest = rest instanceof Cons ? rest.cdr : NIL;
    if (!(rest instanceof Cons)) throw programError("too few arguments in ~S", form);
    return rest.car;
  };
  const tail = (form: LispValue, n: number): LispValue => {
    let rest: LispValue = form;
    for (let i = 0; i < n; i++) {
      if (!(rest instanceof Cons)) throw programError("too few arguments in ~S", form);
      rest = rest.cdr;
    }
    return rest;
  };
  const exactly = (form: Cons, least: number, most: number): void => {
    const count = properList(form.cdr).length;
    if (count < least || count > most) throw programError("wrong number of arguments in ~S", form);
  };
  const isName = (name: LispValue): boolean =>
    name instanceof LSymbol ||
    (name instanceof Cons &&
      name.car === host.symbol("SETF") &&
      name.cdr instanceof Cons &&
      name.cdr.cdr === NIL);

  const namedLambda = (name: LispValue, lambdaList: LispValue, body: LispValue): LispValue => {
    const { declarations, documentation, forms } = parseBody(body, true);
    const blockName = name instanceof Cons ? (name.cdr as Cons).car : name;
    const block = g(forms, "BLOCK", blockName);
    const declare = g(arrayToList(declarations), "DECLARE");
    const rest = documentation === NIL ? f(declare, block) : f(documentation, declare, block);
    return f("FUNCTION", g(rest, "SYS:NAMED-LAMBDA", name, lambdaList));
  };

  const variable =
    (operator: string, least: number) =>
    (form: Cons): LispValue => {
      exactly(form, least, 3);
      const items = properList(form.cdr);
      const name = items[0]!;
      if (!(name instanceof LSymbol))
        throw programError("expected a symbol to define in ~S, got ~S", form, name);
      const doc = items[2] ?? NIL;
      const declare = f("EVAL-WHEN", f(":COMPILE-TOPLEVEL"), f("SYS:%PROCLAIM-SPECIAL", quote(name)));
      if (operator === "DEFVAR" && items.length > 1) {
        const set = f("IF", f("SYS:%UNBOUND-P", quote(name)), f("SET", quote(name), items[1]!), NIL);
        return f(
          "PROGN",
          declare,
          f("SYS:%PROCLAIM-SPECIAL", quote(name)),
          set,
          f("SYS:%DEFINED-VARIABLE", quote(name), doc),
        );
      }
      if (operator === "DEFVAR")
        return f("PROGN", declare, f("SYS:%PROCLAIM-SPECIAL", quote(name)), quote(name));
      if (operator === "DEFPARAMETER") {
        const set = f("SET", quote(name), items[1]!);
        return f(
          "PROGN",
          declare,
          f("SYS:%PROCLAIM-SPECIAL", quote(name)),
          set,
          f("SYS:%DEFINED-VARIABLE", quote(name), doc),
        );
      }
      return f(
        "EVAL-WHEN",
        f(":COMPILE-TOPLEVEL", ":LOAD-TOPLEVEL", ":EXECUTE"),
        f("SYS:%DEFCONSTANT", quote(name), items[1]!, doc),
      );
    };

  const and: CoreMacro = (form) => {
    const items = properList(form.cdr);
    if (items.length === 0) return T;
    return items.reduceRight((rest, item) => f("IF", item, rest, NIL));
  };

  const cond: CoreMacro = (form) =>
    properList(form.cdr).reduceRight<LispValue>((rest, clause) => {
      const [test, ...body] = properList(clause);
      if (test === undefined) throw programError("empty clause in ~S", form);
      if (body.length === 0) return rest === NIL ? f("VALUES", test) : f("SYS:%OR", test, rest);
      const forms = body.length === 1 ? body[0]! : g(arrayToList(body), "PROGN");
      return f("IF", test, forms, rest);
    }, NIL);

  return new Map<string, CoreMacro>([
    ["LAMBDA", (form) => f("FUNCTION", form)],
    ["AND", and],
    [
      "OR",
      (form) => {
        const items = properList(form.cdr);
        if (items.length === 0) return NIL;
        return items.length === 1 ? items[0]! : g(form.cdr, "SYS:%OR");
      },
    ],
    ["COND", cond],
    ["WHEN", (form) => f("IF", arg(form, 1), g(tail(form, 2), "PROGN"), NIL)],
    ["UNLESS", (form) => f("IF", arg(form, 1), NIL, g(tail(form, 2), "PROGN"))],
    [
      "RETURN",
      (form) => {
        exactly(form, 0, 1);
        return g(form.cdr, "RETURN-FROM", NIL);
      },
    ],
    [
      "PROG1",
      (form) => {
        const v = host.gensym("V");
        return f("LET", f(f(v, arg(form, 1))), g(tail(form, 2), "PROGN"), v);
      },
    ],
    [
      "PROG2",
      (form) => {
        arg(form, 2);
        const v = host.gensym("V");
        return f("PROGN", arg(form, 1), f("LET", f(f(v, arg(form, 2))), g(tail(form, 3), "PROGN"), v));
      },
    ],
    ["MULTIPLE-VALUE-BIND", (form) => g(tail(form, 1), "SYS:%MULTIPLE-VALUE-BIND")],
    [
      "MULTIPLE-VALUE-LIST",
      (form) => {
        exactly(form, 1, 1);
        return g(form.cdr, "SYS:%MULTIPLE-VALUE-LIST");
      },
    ],
    [
      "DESTRUCTURING-BIND",
      (form) => {
        const source = host.gensym("LIST");
        const bindings = destructure(host, arg(form, 1), source, null);
        return f("LET", f(f(source, arg(form, 2))), g(tail(form, 3), "LET*", arrayToList(bindings)));
      },
    ],
    [
      "SYS:MACRO-LAMBDA",
      (form) => macroLambda(host, arg(form, 1), arg(form, 2), parseBody(tail(form, 3), true)),
    ],
    [
      "DEFMACRO",
      (form) => {
        const name = arg(form, 1);
        if (!(name instanceof LSymbol))
          throw programError("expected a symbol to define in ~S, got ~S", form, name);
        const parts = parseBody(tail(form, 3), true);
        const lambda = macroLambda(host, name, arg(form, 2), parts) as Cons;
        const named = g(lambda.cdr, "SYS:NAMED-LAMBDA", name);
        return f(
          "EVAL-WHEN",
          f(":COMPILE-TOPLEVEL", ":LOAD-TOPLEVEL", ":EXECUTE"),
          f("SYS:%DEFMACRO", quote(name), f("FUNCTION", named), quote(arg(form, 2)), parts.documentation),
        );
      },
    ],
    [
      "DEFUN",
      (form) => {
        const name = arg(form, 1);
        if (!isName(name)) throw programError("expected a function name in ~S, got ~S", form, name);
        return f("SYS:%DEFUN", quote(name), namedLambda(name, arg(form, 2), tail(form, 3)));
      },
    ],
    ["DEFVAR", variable("DEFVAR", 1)],
    ["DEFPARAMETER", variable("DEFPARAMETER", 2)],
    ["DEFCONSTANT", variable("DEFCONSTANT", 2)],
    [
      "IN-PACKAGE",
      (form) => {
        exactly(form, 1, 1);
        return f(
          "EVAL-WHEN",
          f(":COMPILE-TOPLEVEL", ":LOAD-TOPLEVEL", ":EXECUTE"),
          f("SYS:%IN-PACKAGE", quote(arg(form, 1))),
        );
      },
    ],
    [
      "DECLAIM",
      (form) =>
        f(
          "EVAL-WHEN",
          f(":COMPILE-TOPLEVEL", ":LOAD-TOPLEVEL", ":EXECUTE"),
          g(arrayToList(properList(form.cdr).map((specifier) => f("PROCLAIM", quote(specifier)))), "PROGN"),
        ),
    ],
  ]);
}
