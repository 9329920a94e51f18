import type { LFunction } from "../data/function.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { LSymbol, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Block, FunctionNode, Tag, Variable } from "./ir.ts";

/** What a symbol means as a variable in some scope. */
export type VariableMeaning =
  | { readonly kind: "lexical"; readonly variable: Variable }
  | { readonly kind: "special" }
  | { readonly kind: "symbol-macro"; readonly expansion: LispValue };

/** What a name means as an operator in some scope. */
export type OperatorMeaning =
  | { readonly kind: "function"; readonly variable: Variable }
  | { readonly kind: "macro"; readonly fn: LFunction };

interface Entry<Key, Meaning> {
  readonly key: Key;
  readonly meaning: Meaning;
  readonly next: Entry<Key, Meaning> | null;
}

function find<Key, Meaning>(entry: Entry<Key, Meaning> | null, key: Key): Meaning | null {
  for (let e = entry; e !== null; e = e.next) if (e.key === key) return e.meaning;
  return null;
}

interface Parts {
  readonly variables: Entry<LSymbol, VariableMeaning> | null;
  readonly operators: Entry<LSymbol, OperatorMeaning> | null;
  readonly blocks: Entry<LSymbol, Block> | null;
  readonly tags: Entry<LispValue, Tag> | null;
  /** Whether NOTINLINE (true) or INLINE (false) was declared last of a function. */
  readonly notInline: Entry<LSymbol, { readonly forbidden: boolean }> | null;
  /** Function being analysed; null at top level. */
  readonly fn: FunctionNode | null;
  /** UNWIND-PROTECTs around the form within `fn`. */
  readonly protectDepth: number;
}

/**
 * A lexical environment during compilation: immutable, each `with…` gives an extended one. This is the object macros get as
 * their `&environment`. Setf functions are keyed by the hidden symbol that holds them.
 */
export class Environment {
  private readonly parts: Parts;
  constructor(parts: Parts) {
    this.parts = parts;
  }

  static readonly empty = new Environment({
    variables: null,
    operators: null,
    blocks: null,
    tags: null,
    notInline: null,
    fn: null,
    protectDepth: 0,
  });

  get fn(): FunctionNode | null {
    return this.parts.fn;
  }
  get protectDepth(): number {
    return this.parts.protectDepth;
  }
  /** True when nothing lexical is visible. */
  get isEmpty(): boolean {
    const { variables, operators, blocks, tags } = this.parts;
    return variables === null && operators === null && blocks === null && tags === null;
  }

  variable(symbol: LSymbol): VariableMeaning | null {
    return find(this.parts.variables, symbol);
  }
  operator(name: LSymbol): OperatorMeaning | null {
    return find(this.parts.operators, name);
  }
  block(name: LSymbol): Block | null {
    return find(this.parts.blocks, name);
  }
  /** The tag that is EQL to `name` (tags are symbols and integers). */
  tag(name: LispValue): Tag | null {
    return find(this.parts.tags, name);
  }

  withVariable(symbol: LSymbol, meaning: VariableMeaning): Environment {
    return new Environment({
      ...this.parts,
      variables: { key: symbol, meaning, next: this.parts.variables },
    });
  }
  withOperator(name: LSymbol, meaning: OperatorMeaning): Environment {
    return new Environment({ ...this.parts, operators: { key: name, meaning, next: this.parts.operators } });
  }
  /** True where a NOTINLINE declaration of a function holds. */
  notInline(name: LSymbol): boolean {
    return find(this.parts.notInline, name)?.forbidden ?? name.props?.get("notinline") === T;
  }

  /** The environment in which the INLINE and NOTINLINE declarations among these specifiers hold. */
  declaring(specifiers: readonly LispValue[]): Environment {
    let { notInline } = this.parts;
    for (const specifier of specifiers) {
      if (!(specifier instanceof Cons) || !(specifier.car instanceof LSymbol)) continue;
      const { name } = specifier.car;
      if (name !== "INLINE" && name !== "NOTINLINE") continue;
      for (const key of listToArray(specifier.cdr) ?? [])
        if (key instanceof LSymbol)
          notInline = { key, meaning: { forbidden: name === "NOTINLINE" }, next: notInline };
    }
    return notInline === this.parts.notInline ? this : new Environment({ ...this.parts, notInline });
  }

  withBlock(block: Block): Environment {
    return new Environment({
      ...this.parts,
      blocks: { key: block.name, meaning: block, next: this.parts.blocks },
    });
  }
  withTag(tag: Tag): Environment {
    return new Environment({ ...this.parts, tags: { key: tag.name, meaning: tag, next: this.parts.tags } });
  }
  inFunction(fn: FunctionNode): Environment {
    return new Environment({ ...this.parts, fn, protectDepth: 0 });
  }
  protected(): Environment {
    return new Environment({ ...this.parts, protectDepth: this.parts.protectDepth + 1 });
  }
  /** Only the macros and symbol macros: what a macro function of MACROLET may see. */
  macrosOnly(): Environment {
    const keep = <Key, Meaning extends { readonly kind: string }>(
      entry: Entry<Key, Meaning> | null,
      kind: string,
    ): Entry<Key, Meaning> | null => {
      if (entry === null) return null;
      const next = keep(entry.next, kind);
      return entry.meaning.kind === kind ? { ...entry, next } : next;
    };
    return new Environment({
      ...Environment.empty.parts,
      variables: keep(this.parts.variables, "symbol-macro"),
      operators: keep(this.parts.operators, "macro"),
    });
  }
}
