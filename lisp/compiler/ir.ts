import type { LeafEntry } from "../runtime/leaf-entry.ts";
import type { LispValue } from "../data/value.ts";
import { ANY, isFloat, type Kind } from "./kinds.ts";
import type { LSymbol } from "../data/symbol.ts";
import type { SourceLocation } from "../data/function.ts";

/** A lexical variable, or a hidden one (exit tokens, local functions). */
export class Variable {
  readonly name: LSymbol | string;
  readonly owner: FunctionNode;
  /** JavaScript name, unique in its compilation unit. */
  readonly js: string;
  /** Referred to from an inner function. */
  captured = false;
  /** Assigned after its binding. */
  assigned = false;
  /** Some reference exists (for unused-variable elimination of hidden variables). */
  used = false;
  /** Declared or seen to hold double-floats: a hint, code that trusts it checks first. */
  double = false;
  /** What a declaration says of it; null when none does. */
  declared: Kind | null = null;
  /** What all its values are; found once the outermost function is analysed. */
  kind: Kind = ANY;
  /** Always holds one object that is there anyway. */
  constant = false;
  /** Only ever goes by small steps from where it begins; `kind` tells how far it can get. */
  counter = false;
  /** Set for the variable of a local function that is never assigned: calls go straight to its code. */
  fn: FunctionNode | null = null;
  constructor(name: LSymbol | string, owner: FunctionNode, js: string) {
    this.name = name;
    this.owner = owner;
    this.js = js;
  }
  /** Lives in a Box, because an inner function sees its assignments. */
  get boxed(): boolean {
    return this.captured && this.assigned;
  }
  /** Holds a JavaScript number in place of a float. */
  get raw(): boolean {
    return isFloat(this.kind) && !this.boxed && !this.constant;
  }
}

/** Target of RETURN-FROM. */
export class Block {
  readonly name: LSymbol;
  readonly owner: FunctionNode;
  /** Variable with the exit token; used only when `unwinds`. */
  readonly token: Variable;
  used = false;
  /** Left from an inner function or across an UNWIND-PROTECT: needs a token and a region. */
  unwinds = false;
  /** Number of UNWIND-PROTECTs of the owner around it. */
  readonly protectDepth: number;
  constructor(name: LSymbol, owner: FunctionNode, token: Variable, protectDepth: number) {
    this.name = name;
    this.owner = owner;
    this.token = token;
    this.protectDepth = protectDepth;
  }
}

/** A TAGBODY as exit target. */
export class Tagbody {
  readonly owner: FunctionNode;
  readonly token: Variable;
  unwinds = false;
  /** Segment being analysed. */
  segment = 0;
  readonly protectDepth: number;
  constructor(owner: FunctionNode, token: Variable, protectDepth: number) {
    this.owner = owner;
    this.token = token;
    this.protectDepth = protectDepth;
  }
}

/** A tag; `index` is the number of the segment that follows it (segment 0 precedes all tags). */
export class Tag {
  readonly name: LispValue;
  readonly tagbody: Tagbody;
  readonly index: number;
  /** Segments with a GO to it from the same function. */
  readonly sources = new Set<number>();
  constructor(name: LispValue, tagbody: Tagbody, index: number) {
    this.name = name;
    this.tagbody = tagbody;
    this.index = index;
  }
}

/** An optional or keyword parameter. */
export interface OptionalParameter {
  readonly variable: Variable;
  readonly supplied: Variable | null;
  readonly init: Node;
  /** Keyword symbol of a keyword parameter; null for an optional one. */
  readonly keyword: LSymbol | null;
}

/** One lambda expression. */
export class FunctionNode {
  readonly id: number;
  readonly parent: FunctionNode | null;
  name: LispValue;
  lambdaList: LispValue;
  documentation: LispValue;
  location: SourceLocation | null = null;
  source: LispValue | null = null;
  required: Variable[] = [];
  optional: OptionalParameter[] = [];
  rest: Variable | null = null;
  keys: OptionalParameter[] | null = null;
  allowOtherKeys = false;
  body: Node = { op: "const", value: 0 };
  /** Variables of enclosing functions, in the order of the closure's environment. */
  readonly free: Variable[] = [];
  /** Layout (JavaScript names saved) of each resume point, filled by the fast generation and checked by the slow one. */
  layouts: string[] | null = null;
  /** Calls something that may suspend. */
  calls = false;
  /** How many functions it is written in. */
  readonly depth: number;
  constructor(
    id: number,
    parent: FunctionNode | null,
    name: LispValue,
    lambdaList: LispValue,
    documentation: LispValue,
  ) {
    this.id = id;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.name = name;
    this.lambdaList = lambdaList;
    this.documentation = documentation;
  }
}

/** Intermediate form: a tree. Order of `args` is order of evaluation. */
export type Node =
  | { readonly op: "const"; readonly value: LispValue }
  | { readonly op: "load-time-value"; readonly cell: { value: LispValue }; readonly form: LispValue }
  | { readonly op: "local"; readonly variable: Variable }
  | { readonly op: "set-local"; readonly variable: Variable; readonly value: Node }
  | { readonly op: "the"; readonly kind: Kind; readonly value: Node }
  | { readonly op: "special"; readonly symbol: LSymbol; readonly checked: boolean }
  | { readonly op: "set-special"; readonly symbol: LSymbol; readonly value: Node }
  | { readonly op: "if"; readonly test: Node; readonly whenTrue: Node; readonly whenFalse: Node }
  | { readonly op: "or"; readonly first: Node; readonly rest: Node }
  | { readonly op: "progn"; readonly body: readonly Node[] }
  | { readonly op: "let"; readonly bindings: readonly LetBinding[]; readonly body: Node }
  | {
      readonly op: "bind";
      readonly bindings: readonly SpecialBinding[];
      readonly body: Node;
      readonly guarded: boolean;
    }
  | { readonly op: "progv"; readonly symbols: Node; readonly values: Node; readonly body: Node }
  | {
      readonly op: "call";
      readonly symbol: LSymbol;
      readonly args: readonly Node[];
      /** Set for a call of a generic function that remembers what it found. */
      readonly inline?: InlineCall;
    }
  | { readonly op: "cache" }
  /** An optional or keyword argument that a call of a leaf does not give. */
  | { readonly op: "absent" }
  | { readonly op: "call-local"; readonly variable: Variable; readonly args: readonly Node[] }
  | { readonly op: "funcall"; readonly fn: Node; readonly args: readonly Node[] }
  | { readonly op: "apply"; readonly fn: Node; readonly args: readonly Node[] }
  | { readonly op: "leaf"; readonly leaf: LeafEntry; readonly args: readonly Node[] }
  | { readonly op: "function"; readonly symbol: LSymbol }
  | { readonly op: "lambda"; readonly fn: FunctionNode }
  | { readonly op: "local-functions"; readonly bindings: readonly LocalFunction[]; readonly body: Node }
  | { readonly op: "block"; readonly block: Block; readonly body: Node }
  | { readonly op: "return"; readonly block: Block; readonly value: Node; readonly unwinds: boolean }
  | {
      readonly op: "tagbody";
      readonly tagbody: Tagbody;
      readonly tags: readonly Tag[];
      readonly segments: readonly Node[];
    }
  | { readonly op: "go"; readonly tag: Tag; readonly unwinds: boolean }
  | { readonly op: "catch"; readonly tag: Node; readonly body: Node }
  | { readonly op: "throw"; readonly tag: Node; readonly value: Node }
  | { readonly op: "unwind-protect"; readonly body: Node; readonly cleanup: Node }
  | { readonly op: "values"; readonly args: readonly Node[] }
  | {
      readonly op: "multiple-value-bind";
      readonly variables: readonly Variable[];
      readonly form: Node;
      readonly body: Node;
    }
  | { readonly op: "multiple-value-call"; readonly fn: Node; readonly args: readonly Node[] }
  | { readonly op: "multiple-value-list"; readonly form: Node }
  | { readonly op: "multiple-value-prog1"; readonly first: Node; readonly rest: Node };

/** How a call of a generic function is written: as the access to a slot, or as the call of the effective method for the first argument. */
export type InlineCall = "reader" | "writer" | "method";

export interface LetBinding {
  readonly variable: Variable;
  readonly init: Node;
}

export interface SpecialBinding {
  readonly symbol: LSymbol;
  readonly init: Node;
}

export interface LocalFunction {
  readonly variable: Variable;
  readonly fn: FunctionNode;
}
