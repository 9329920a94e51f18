import { arrayToList } from "../data/cons.ts";
import type { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { CompilerHost } from "./analysis.ts";

/** A part of a form that is built: JavaScript strings are names of symbols. */
export type Item = LispValue | string;

/** Builds forms for the compiler. */
export class FormBuilder {
  readonly host: CompilerHost;

  constructor(host: CompilerHost) {
    this.host = host;
  }

  private value(item: Item): LispValue {
    return typeof item === "string" ? this.host.symbol(item) : item;
  }

  /** The list of the items. */
  list(...items: readonly Item[]): LispValue {
    return arrayToList(items.map((item) => this.value(item)));
  }

  /** The list of the items, followed by those of the list `tail`. */
  onto(tail: LispValue, ...items: readonly Item[]): LispValue {
    return arrayToList(
      items.map((item) => this.value(item)),
      0,
      tail,
    );
  }

  name(prefix: string): LSymbol {
    return this.host.gensym(prefix);
  }
}
