import { Cons, list, listToArray } from "../data/cons.ts";
import { LispError, programError } from "../data/error.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** An optional, keyword or auxiliary parameter as written. */
export interface WrittenParameter {
  /** Symbol, or a pattern in a destructuring lambda list. */
  readonly target: LispValue;
  readonly init: LispValue;
  readonly supplied: LSymbol | null;
  /** Keyword (symbol) of a keyword parameter as written in `((key var) …)`; null when it follows from the name. */
  readonly key: LSymbol | null;
}

/** A parsed lambda list. `whole` and `environment` occur in macro lambda lists only. */
export interface LambdaList {
  readonly whole: LispValue | null;
  readonly environment: LSymbol | null;
  readonly required: readonly LispValue[];
  readonly optional: readonly WrittenParameter[];
  readonly rest: LispValue | null;
  readonly keys: readonly WrittenParameter[] | null;
  readonly allowOtherKeys: boolean;
  readonly aux: readonly WrittenParameter[];
}

type Section =
  | "required"
  | "optional"
  | "rest"
  | "after-rest"
  | "key"
  | "after-key"
  | "aux"
  | "whole"
  | "environment";

const sections: ReadonlyMap<string, Section> = new Map([
  ["&OPTIONAL", "optional"],
  ["&REST", "rest"],
  ["&BODY", "rest"],
  ["&KEY", "key"],
  ["&AUX", "aux"],
  ["&WHOLE", "whole"],
  ["&ENVIRONMENT", "environment"],
]);

const order: readonly Section[] = ["required", "optional", "rest", "after-rest", "key", "after-key", "aux"];

/** Parses a lambda list. `destructuring`: patterns, `&whole`, `&body`, `&environment` and a dotted tail are allowed. */
export function parseLambdaList(form: LispValue, destructuring: boolean): LambdaList {
  const parser = new LambdaListParser(form, destructuring);
  return parser.parse();
}

/** Elements of a lambda list: far more than LAMBDA-PARAMETERS-LIMIT, so that a circular list is noticed. */
const MOST_ELEMENTS = 100_000;

class LambdaListParser {
  private readonly form: LispValue;
  private readonly destructuring: boolean;
  private section: Section = "required";
  private whole: LispValue | null = null;
  private environment: LSymbol | null = null;
  private readonly required: LispValue[] = [];
  private readonly optional: WrittenParameter[] = [];
  private rest: LispValue | null = null;
  private keys: WrittenParameter[] | null = null;
  private allowOtherKeys = false;
  private readonly aux: WrittenParameter[] = [];

  constructor(form: LispValue, destructuring: boolean) {
    this.form = form;
    this.destructuring = destructuring;
  }

  parse(): LambdaList {
    let tail = this.form;
    let elements = 0;
    for (; tail instanceof Cons; tail = tail.cdr) {
      // A circular one has no end.
      if (++elements > MOST_ELEMENTS)
        throw programError("a lambda list has more than ~D elements", MOST_ELEMENTS);
      this.element(tail.car);
    }
    if (tail !== NIL) {
      if (!this.destructuring || !(tail instanceof LSymbol) || this.rest !== null) throw this.bad();
      this.rest = tail;
    }
    if (this.section === "rest" || this.section === "whole" || this.section === "environment")
      throw this.bad();
    return {
      whole: this.whole,
      environment: this.environment,
      required: this.required,
      optional: this.optional,
      rest: this.rest,
      keys: this.keys,
      allowOtherKeys: this.allowOtherKeys,
      aux: this.aux,
    };
  }

  private bad(): Error {
    return programError("malformed lambda list ~S", this.form);
  }

  private element(item: LispValue): void {
    if (item instanceof LSymbol && item.name.startsWith("&")) {
      if (item.name === "&ALLOW-OTHER-KEYS") {
        if (this.section !== "key") throw this.bad();
        this.allowOtherKeys = true;
        this.section = "after-key";
        return;
      }
      const section = sections.get(item.name);
      if (section !== undefined) return this.enter(section, item.name);
    }
    this.parameter(item);
  }

  private saved: Section = "required";

  private enter(section: Section, name: string): void {
    if (section === "whole" || section === "environment" || name === "&BODY") {
      if (!this.destructuring) throw this.bad();
    }
    if (section === "whole" || section === "environment") {
      this.saved = this.section;
    } else if (order.indexOf(section) <= order.indexOf(this.section)) {
      throw this.bad();
    }
    if (section === "key") this.keys = [];
    this.section = section;
  }

  private parameter(item: LispValue): void {
    switch (this.section) {
      case "required":
        this.required.push(this.target(item));
        return;
      case "optional":
        this.optional.push(this.written(item, false));
        return;
      case "rest":
        this.rest = this.target(item);
        this.section = "after-rest";
        return;
      case "key":
        this.keys!.push(this.written(item, true));
        return;
      case "aux":
        this.aux.push(this.written(item, false));
        return;
      case "whole":
        this.whole = this.target(item);
        this.section = this.saved;
        return;
      case "environment":
        if (!(item instanceof LSymbol)) throw this.bad();
        this.environment = item;
        this.section = this.saved;
        return;
      default:
        throw this.bad();
    }
  }

  private target(item: LispValue): LispValue {
    if (item instanceof LSymbol && item !== NIL) {
      if (item.kind === "constant") throw programError("the constant ~S cannot be a parameter", item);
      return item;
    }
    if (this.destructuring && (item instanceof Cons || item === NIL)) return item;
    throw this.bad();
  }

  private written(item: LispValue, key: boolean): WrittenParameter {
    if (!(item instanceof Cons)) return { target: this.target(item), init: NIL, supplied: null, key: null };
    const parts = listToArray(item);
    if (parts === null || parts.length > (this.section === "aux" ? 2 : 3)) throw this.bad();
    const supplied = parts[2] ?? null;
    if (supplied !== null && !(supplied instanceof LSymbol)) throw this.bad();
    const init = parts[1] ?? NIL;
    const head = parts[0]!;
    if (key && head instanceof Cons) {
      const pair = listToArray(head);
      if (pair === null || pair.length !== 2 || !(pair[0] instanceof LSymbol)) throw this.bad();
      return { target: this.target(pair[1]!), init, supplied, key: pair[0] };
    }
    return { target: this.target(head), init, supplied, key: null };
  }
}

function allTargets(parsed: LambdaList): LispValue[] {
  const written = [...parsed.optional, ...(parsed.keys ?? []), ...parsed.aux];
  return [
    ...parsed.required,
    ...(parsed.rest === null ? [] : [parsed.rest]),
    ...written.flatMap((p) => (p.supplied === null ? [p.target] : [p.target, p.supplied])),
  ];
}

/** True when a parameter is a special variable; `specials` are those declared so. */
export function hasSpecial(parsed: LambdaList, specials: ReadonlySet<LSymbol>): boolean {
  return allTargets(parsed).some((t) => t instanceof LSymbol && (t.kind === "special" || specials.has(t)));
}

/** Refuses parameters that occur twice. */
export function checkParameters(parsed: LambdaList, lambdaList: LispValue): void {
  const targets = allTargets(parsed).slice(0, -parsed.aux.length || undefined);
  if (new Set(targets).size !== targets.length) {
    throw new LispError(
      "AUTOLITH-SYSTEM::SIMPLE-PROGRAM-ERROR",
      [
        ["FORMAT-CONTROL", "a parameter occurs twice in the lambda list ~S"],
        ["FORMAT-ARGUMENTS", list(lambdaList)],
      ],
      "duplicate parameter",
    );
  }
}
