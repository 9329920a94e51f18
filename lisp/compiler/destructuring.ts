import { Cons, arrayToList, list } from "../data/cons.ts";
import { LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { CompilerHost } from "./analysis.ts";
import { parseLambdaList } from "./lambda-list.ts";

/**
 * Expansion of a destructuring lambda list: bindings for LET* which take the value of `source` apart and check its shape.
 * `environment` names the variable that `&environment` is bound to; `whole` the form for `&whole` at the outermost level.
 */
export function destructure(
  host: CompilerHost,
  pattern: LispValue,
  source: LispValue,
  outer: { readonly whole: LispValue; readonly environment: LispValue } | null,
): LispValue[] {
  const bindings: LispValue[] = [];
  new Destructurer(host, bindings, outer?.environment ?? NIL).pattern(
    pattern,
    source,
    outer?.whole ?? source,
  );
  return bindings;
}

class Destructurer {
  private readonly host: CompilerHost;
  private readonly bindings: LispValue[];
  private readonly environment: LispValue;

  constructor(host: CompilerHost, bindings: LispValue[], environment: LispValue) {
    this.host = host;
    this.bindings = bindings;
    this.environment = environment;
  }

  private sym(name: string): LSymbol {
    return this.host.symbol(name);
  }

  private bind(target: LispValue, value: LispValue): void {
    this.bindings.push(list(target, value));
  }

  /** Binds a variable, or takes a nested pattern apart. */
  private target(target: LispValue, value: LispValue): void {
    if (target instanceof LSymbol && target !== NIL) return this.bind(target, value);
    const part = this.host.gensym("PART");
    this.bind(part, value);
    this.pattern(target, part, part);
  }

  pattern(pattern: LispValue, source: LispValue, whole: LispValue): void {
    const parsed = parseLambdaList(pattern, true);
    if (parsed.whole !== null) this.target(parsed.whole, whole);
    if (parsed.environment !== null) this.bind(parsed.environment, this.environment);
    const least = parsed.required.length;
    const open = parsed.rest !== null || parsed.keys !== null;
    const most = open ? NIL : least + parsed.optional.length;
    const quoted = list(this.sym("QUOTE"), pattern);
    let tail: LispValue = this.host.gensym("TAIL");
    const check = list(this.sym("SYS:%DESTRUCTURE-CHECK"), source, least, most, quoted);
    this.bind(tail, check);
    const advance = (value: (tail: LispValue) => void): void => {
      value(tail);
      const next = this.host.gensym("TAIL");
      this.bind(next, list(this.sym("CDR"), tail));
      tail = next;
    };
    for (const required of parsed.required) advance((at) => this.target(required, list(this.sym("CAR"), at)));
    for (const p of parsed.optional) {
      advance((at) => {
        this.target(p.target, list(this.sym("IF"), at, list(this.sym("CAR"), at), p.init));
        if (p.supplied !== null) this.bind(p.supplied, list(this.sym("IF"), at, T, NIL));
      });
    }
    if (parsed.rest !== null) this.target(parsed.rest, tail);
    if (parsed.keys !== null) this.keys(parsed.keys, parsed.allowOtherKeys, tail, quoted);
    for (const aux of parsed.aux) this.target(aux.target, aux.init);
  }

  private keys(
    keys: NonNullable<ReturnType<typeof parseLambdaList>["keys"]>,
    allow: boolean,
    tail: LispValue,
    quoted: LispValue,
  ): void {
    const keywords = keys.map((p) => p.key ?? this.host.keyword((p.target as LSymbol).name));
    const known = list(this.sym("QUOTE"), arrayToList(keywords));
    this.bind(
      this.host.gensym("KEYS"),
      list(this.sym("SYS:%DESTRUCTURE-KEYS"), tail, known, allow ? T : NIL, quoted),
    );
    for (const [i, p] of keys.entries()) {
      const at = this.host.gensym("KEY");
      this.bind(at, list(this.sym("SYS:%FIND-KEY"), tail, list(this.sym("QUOTE"), keywords[i]!)));
      this.target(p.target, list(this.sym("IF"), at, list(this.sym("CAR"), at), p.init));
      if (p.supplied !== null) this.bind(p.supplied, list(this.sym("IF"), at, T, NIL));
    }
  }
}

/** Lambda expression of a macro function: `(lambda (form environment) …)` with the macro lambda list taken apart. */
export function macroLambda(
  host: CompilerHost,
  name: LispValue,
  lambdaList: LispValue,
  parts: {
    readonly declarations: readonly LispValue[];
    readonly documentation: LispValue;
    readonly forms: LispValue;
  },
): LispValue {
  const sym = (text: string): LSymbol => host.symbol(text);
  const form = host.gensym("FORM");
  const environment = host.gensym("ENVIRONMENT");
  const args = list(sym("CDR"), form);
  const bindings = destructure(host, lambdaList, args, { whole: form, environment });
  const declare = new Cons(sym("DECLARE"), arrayToList(parts.declarations));
  const letForm = new Cons(sym("LET*"), new Cons(arrayToList(bindings), new Cons(declare, parts.forms)));
  const blockName = name instanceof Cons ? (name.cdr as Cons).car : name;
  const body = list(sym("BLOCK"), blockName, letForm);
  const lambda = list(sym("LAMBDA"), list(form, environment), body);
  return lambda;
}
