import { LFunction, type FunctionInfo, Box } from "../data/function.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { LSymbol, NIL, T, UNBOUND } from "../data/symbol.ts";
import type { LispCode } from "../data/function.ts";
import type { LeafCode } from "../data/leaf.ts";
import type { LispValue } from "../data/value.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import { SUSPEND } from "../runtime/suspend.ts";
import { FunctionEmitter } from "./emit-function.ts";
import type { UnitScope } from "./emit-text.ts";
import type { FrameCode } from "./frame-code.ts";
import type { LoopEntry } from "./loop-entry.ts";
import type { FunctionNode, Node } from "./ir.ts";

/** What compiled code gets from the runtime; the members it uses are named in `emit-function.ts`. */
export interface UnitRuntime {
  readonly save: (frame: FrameCode, pc: number, locals: readonly unknown[]) => LispValue;
  readonly trap: (error: unknown, leaf?: LeafCode, ...args: LispValue[]) => LispValue;
  /** Puts an UndefinedFunction in the function cell of a symbol that has none. */
  ensureCallable(symbol: LSymbol): void;
}

/** One entry of the constant vector. */
export type UnitConstant =
  | { readonly kind: "value"; readonly value: LispValue }
  | { readonly kind: "callee"; readonly symbol: LSymbol }
  | { readonly kind: "cell"; readonly cell: { value: LispValue }; readonly form: LispValue }
  | { readonly kind: "leaf"; readonly leaf: LeafEntry }
  | { readonly kind: "keys"; readonly keys: readonly LSymbol[]; readonly allow: boolean };

/** Keyword table of a function, as the parser of keyword arguments wants it. */
export interface KeyTable {
  readonly keys: readonly LSymbol[];
  readonly allow: boolean;
}

/**
 * A compilation unit: one function with all its inner functions, or several such functions of a library file. Collects the
 * constants, then assembles the text of the unit.
 */
export class Unit implements UnitScope {
  readonly constants: UnitConstant[] = [];
  readonly functions: FunctionNode[] = [];
  readonly entries: Map<string, LoopEntry> | null;
  private readonly known = new Map<unknown, string>();
  private readonly wrappers = new Map<string, string>();
  private readonly expressions = new Map<string, string>();
  private readonly included = new Set<FunctionNode>();
  private readonly caches = new Map<Node, string>();

  constructor(entries: boolean) {
    this.entries = entries ? new Map() : null;
  }

  include(fn: FunctionNode): void {
    if (this.included.has(fn)) return;
    this.included.add(fn);
    this.functions.push(fn);
  }

  private entry(key: unknown, make: () => UnitConstant): string {
    let name = this.known.get(key);
    if (name === undefined) {
      name = `k${this.constants.length}`;
      this.constants.push(make());
      this.known.set(key, name);
    }
    return name;
  }

  constant(value: LispValue): string {
    if (typeof value === "number") return value < 0 ? `(${value})` : String(value);
    if (value === NIL) return "N";
    if (value === T) return "T";
    return this.entry(value, () => ({ kind: "value", value }));
  }

  callee(symbol: LSymbol): string {
    const key = this.entry(symbol, () => ({ kind: "callee", symbol }));
    const index = Number(key.slice(1));
    if (this.constants[index]!.kind === "value") this.constants[index] = { kind: "callee", symbol };
    return key;
  }

  cell(node: Extract<Node, { op: "load-time-value" }>): string {
    return `${this.entry(node.cell, () => ({ kind: "cell", cell: node.cell, form: node.form }))}.value`;
  }

  cache(node: Node): string {
    let name = this.caches.get(node);
    if (name === undefined) this.caches.set(node, (name = `q${this.caches.size}`));
    return name;
  }

  keys(fn: FunctionNode): string {
    return this.entry(fn.keys, () => ({
      kind: "keys",
      keys: fn.keys!.map((p) => p.keyword!),
      allow: fn.allowOtherKeys,
    }));
  }

  rawLeaf(leaf: LeafEntry): string {
    return this.entry(leaf, () => ({ kind: "leaf", leaf }));
  }

  leaf(leaf: LeafEntry, count: number): string {
    const raw = this.rawLeaf(leaf);
    const name = `l${raw.slice(1)}_${count}`;
    if (!this.wrappers.has(name)) {
      const args = parameters(count);
      this.wrappers.set(name, guarded(name, args, `${raw}(${args})`));
    }
    return name;
  }

  wrapped(text: string, count: number): string {
    let name = this.expressions.get(text);
    if (name === undefined) {
      name = `w${this.expressions.size}`;
      this.expressions.set(text, name);
      this.wrappers.set(name, guarded(name, parameters(count), text));
    }
    return name;
  }

  /**
   * Fast code of all functions included so far and of those they include. The first function of a unit that is run at once
   * stands in parentheses, which makes the JavaScript engine compile it in the same pass.
   */
  private bodies(): string {
    const texts: string[] = [];
    for (let i = 0; i < this.functions.length; i++) {
      const text = new FunctionEmitter(this.functions[i]!, this, false).emit();
      texts.push(i === 0 && this.entries !== null ? `const c${this.functions[0]!.id}=(${text});` : text);
    }
    return texts.join("\n");
  }

  /** Statements that bind constants, frames and function descriptions, for parameters K, F and I, and make the caches. */
  private prelude(): string {
    const names = this.constants.map((_, i) => `k${i}=K[${i}]`);
    for (const { id } of this.functions) names.push(`F${id}=F[${id}]`, `I${id}=I[${id}]`);
    for (const name of this.caches.values()) names.push(`${name}=R.newCache()`);
    return names.length === 0 ? "" : `const ${names.join(",")};`;
  }

  /** Text of the whole unit: a function body returning the array of code functions by id. */
  text(): string {
    const bodies = this.bodies();
    const codes = this.functions.map(({ id }) => `${id}:c${id}`).join(",");
    return `${this.prelude()}${[...this.wrappers.values()].join("\n")}\n${bodies}\nreturn {${codes}};`;
  }

  /** Text of the slow versions of all functions: a function body returning a table of functions that make them. */
  slowTable(): string {
    const bodies = this.functions.map(
      (fn) => `${fn.id}(){return ${new FunctionEmitter(fn, this, true).emit()}}`,
    );
    const codes = this.functions.map(({ id }) => `c${id}=C[${id}]`).join(",");
    return `${this.prelude()}const ${codes};${[...this.wrappers.values()].join("\n")}\nreturn {${bodies.join(",\n")}};`;
  }

  /** Text of the fast version of one function from a loop head on, a function body returning it. */
  entryText(fn: FunctionNode, key: string, live: string): string {
    const body = new FunctionEmitter(fn, this, false, this.entries!.get(key)).emitEntry(live);
    const codes = this.functions.map(({ id }) => `c${id}=C[${id}]`).join(",");
    return `${this.prelude()}const ${codes};${[...this.wrappers.values()].join("\n")}\nreturn ${body};`;
  }

  /** Text of the slow version of one function, a function body returning it; `C` is the table of fast code. */
  slowText(fn: FunctionNode): string {
    const body = new FunctionEmitter(fn, this, true).emit();
    const codes = this.functions.map(({ id }) => `c${id}=C[${id}]`).join(",");
    return `${this.prelude()}const ${codes};${[...this.wrappers.values()].join("\n")}\nreturn ${body};`;
  }
}

function parameters(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i}`).join(",");
}

/** A function whose errors are signalled where it is called; what takes long is made again in steps there. */
function guarded(name: string, args: string, text: string): string {
  return `function ${name}(${args}){try{return ${text}}catch(e){return X(e,()=>${text})}}`;
}

/** Parameters of the function that wraps the text of a unit. */
export const PARAMETERS = [
  "R",
  "S",
  "N",
  "T",
  "UB",
  "E",
  "Cons",
  "Box",
  "Fn",
  "Ch",
  "s",
  "X",
  "K",
  "F",
  "I",
  "C",
  "Db",
  "Sf",
  "Fr",
] as const;

/** Values of the parameters. `codes` is the table of fast code, empty while that is being made. */
export function unitArguments(
  runtime: UnitRuntime,
  constants: readonly unknown[],
  frames: Readonly<Record<number, FrameCode>>,
  infos: Readonly<Record<number, FunctionInfo>>,
  codes: Readonly<Record<number, LispCode>>,
): readonly unknown[] {
  return [
    runtime,
    SUSPEND,
    NIL,
    T,
    UNBOUND,
    [],
    Cons,
    Box,
    LFunction,
    Char,
    runtime.save,
    runtime.trap,
    constants,
    frames,
    infos,
    codes,
    DoubleFloat,
    SingleFloat,
    Math.fround,
  ];
}
