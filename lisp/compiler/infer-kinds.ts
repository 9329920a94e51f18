import { listToArray } from "../data/cons.ts";
import { T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { FunctionNode, Node, Variable } from "./ir.ts";
import {
  ANY,
  arrayKind,
  FIXNUM,
  integerKind,
  join,
  type Kind,
  kindOfValue,
  narrower,
  NONE,
  sameKind,
} from "./kinds.ts";
import { resultKind } from "./operator-kinds.ts";
import { visitNodes } from "./subnodes.ts";

/** Kinds of nodes that were asked for; good while the kinds of variables stay as they are. */
export type KnownKinds = Map<Node, Kind>;

/** Kind of the values of a node, as far as the kinds of variables tell. */
export function kindOf(node: Node, known?: KnownKinds): Kind {
  let kind = known?.get(node);
  if (kind === undefined) known?.set(node, (kind = computedKind(node, known)));
  return kind ?? computedKind(node, known);
}

function computedKind(node: Node, known: KnownKinds | undefined): Kind {
  switch (node.op) {
    case "const":
      return kindOfValue(node.value);
    case "local":
      return node.variable.kind;
    case "set-local":
      return storedKind(node.variable, kindOf(node.value, known));
    case "the":
      return narrower(node.kind, kindOf(node.value, known));
    case "if":
      return join(kindOf(node.whenTrue, known), kindOf(node.whenFalse, known));
    case "progn":
      return node.body.length === 0 ? ANY : kindOf(node.body.at(-1)!, known);
    case "let":
    case "local-functions":
      return kindOf(node.body, known);
    case "return":
    case "go":
    case "throw":
      return NONE;
    case "block":
      return node.block.used ? ANY : kindOf(node.body, known);
    case "leaf":
      return leafKind(node, known);
    default:
      return ANY;
  }
}

function leafKind(node: Extract<Node, { op: "leaf" }>, known: KnownKinds | undefined): Kind {
  if (node.leaf.name === "SYS:%MAKE-ARRAY") return madeArray(node);
  const kinds = node.args.map((arg) => kindOf(arg, known));
  if (kinds.some(({ type }) => type === "none")) return NONE;
  const [a, b] = node.args;
  const same = a?.op === "local" && b?.op === "local" && a.variable === b.variable;
  return resultKind(node.leaf.name, kinds, same);
}

/** What a declared variable holds after an assignment. */
function storedKind(variable: Variable, value: Kind): Kind {
  return narrower(variable.kind, value);
}

/** The kind of array that a call of MAKE-ARRAY gives, when it is simple and its rank is written there. */
function madeArray(node: Extract<Node, { op: "leaf" }>): Kind {
  const [dimensions, ...options] = node.args;
  const keys = node.leaf.shape.keys ?? [];
  let element: LispValue = T;
  for (const [i, option] of options.entries()) {
    if (option.op === "absent" || keys[i]?.startsWith("INITIAL-") === true) continue;
    if (keys[i] !== "ELEMENT-TYPE" || option.op !== "const") return ANY;
    element = option.value;
  }
  const rank = dimensions === undefined ? null : rankOf(dimensions);
  return rank === null ? ANY : arrayKind(element, rank);
}

/** Number of dimensions that a node stands for, or null. */
function rankOf(node: Node): number | null {
  if (node.op === "const")
    return typeof node.value === "number" ? 1 : (listToArray(node.value)?.length ?? null);
  if (node.op === "leaf" && node.leaf.name === "LIST") return node.args.length;
  return kindOf(node).type === "integer" ? 1 : null;
}

/** A counter that goes by a step of 1 or 2 stays below this for weeks. */
const MOST_COUNT = 2 ** 51;
const MOST_STEP = 2;

/** Where the values of a variable come from. */
interface Source {
  readonly inits: Node[];
  readonly assigned: Node[];
}

/** Rounds of inference after which ranges that still grow are given up. */
const GROWING_ROUNDS = 3;

/**
 * Finds the kinds of the variables of a function and the functions inside it: from declarations, and for variables of LET from
 * all their values. Called once the function is analysed whole.
 */
export function settleKinds(fn: FunctionNode): void {
  const sources = sourcesOf(fn);
  const found = new Map<Variable, Source>();
  for (const [variable, source] of sources) {
    const declared = variable.declared;
    if (declared !== null) variable.kind = settledDeclaration(variable, declared);
    variable.constant =
      source.assigned.length === 0 && source.inits.length > 0 && source.inits.every(isConstant);
    if (source.inits.length === 0 || variable.boxed) continue;
    if (declared === null || declared.type === "integer") found.set(variable, source);
  }
  const counters = [...found].filter(([variable, source]) => isCounter(variable, source));
  const counting = new Set(counters.map(([variable]) => variable));
  for (const [variable] of found) variable.kind = NONE;
  for (let round = 0; settleRound(found, counting, round); round++);
  for (const [variable] of found) if (variable.kind.type === "none") variable.kind = ANY;
}

function isConstant(node: Node): boolean {
  return node.op === "const" || (node.op === "local" && node.variable.constant);
}

/** A variable that is assigned holds any fixnum when a narrower type was declared: loops go a step beyond their bounds. */
function settledDeclaration(variable: Variable, declared: Kind): Kind {
  return declared.type === "integer" && variable.assigned ? FIXNUM : declared;
}

function sourcesOf(fn: FunctionNode): Map<Variable, Source> {
  const sources = new Map<Variable, Source>();
  const of = (variable: Variable): Source => {
    let source = sources.get(variable);
    if (source === undefined) sources.set(variable, (source = { inits: [], assigned: [] }));
    return source;
  };
  visitNodes(fn, (node) => {
    if (node.op === "let") for (const { variable, init } of node.bindings) of(variable).inits.push(init);
    if (node.op === "set-local") of(node.variable).assigned.push(node.value);
    if (node.op === "local") of(node.variable);
  });
  return sources;
}

/** How far a value is from the variable: the step of `(+ v c)`, `(- v c)`, `(1+ v)` or `(1- v)`; null for other values. */
function stepOf(variable: Variable, value: Node): number | null {
  if (value.op === "the") return stepOf(variable, value.value);
  if (value.op !== "leaf") return null;
  const { name } = value.leaf;
  const isSelf = (node: Node | undefined): boolean => node?.op === "local" && node.variable === variable;
  const [a, b] = value.args;
  if (value.args.length === 1 && isSelf(a)) return name === "1+" ? 1 : name === "1-" ? -1 : null;
  const amount = (node: Node | undefined): number | null =>
    node?.op === "const" && typeof node.value === "number" ? node.value : null;
  if (name === "+") return isSelf(a) ? amount(b) : isSelf(b) ? amount(a) : null;
  const decrement = name === "-" && isSelf(a) ? amount(b) : null;
  return decrement === null ? null : -decrement;
}

function isCounter(variable: Variable, source: Source): boolean {
  return (
    source.assigned.length > 0 &&
    source.assigned.every((value) => Math.abs(stepOf(variable, value) ?? MOST_STEP + 1) <= MOST_STEP)
  );
}

/** What a counter holds that begins in the range. */
function counted(variable: Variable, source: Source, begin: Kind): Kind {
  if (begin.type !== "integer" || begin.low < -MOST_COUNT || begin.high > MOST_COUNT) return ANY;
  const steps = source.assigned.map((value) => stepOf(variable, value)!);
  const low = steps.some((step) => step < 0) ? -MOST_COUNT : begin.low;
  return integerKind(low, steps.some((step) => step > 0) ? MOST_COUNT : begin.high);
}

/** One round over all variables; false when nothing changed. */
function settleRound(
  found: ReadonlyMap<Variable, Source>,
  counters: ReadonlySet<Variable>,
  round: number,
): boolean {
  let changed = false;
  for (const [variable, source] of found) {
    const begin = source.inits.map((value) => kindOf(value)).reduce(join, NONE);
    let kind = counters.has(variable) ? counted(variable, source, begin) : ANY;
    variable.counter = kind.type === "integer";
    if (!variable.counter) kind = source.assigned.map((value) => kindOf(value)).reduce(join, begin);
    kind = join(variable.kind, kind);
    if (round >= GROWING_ROUNDS && kind.type === "integer" && !sameKind(kind, variable.kind)) kind = ANY;
    if (variable.declared !== null) kind = narrower(settledDeclaration(variable, variable.declared), kind);
    if (sameKind(kind, variable.kind)) continue;
    variable.kind = kind;
    changed = true;
  }
  return changed;
}
