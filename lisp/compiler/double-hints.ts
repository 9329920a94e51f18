import { Cons, listToArray } from "../data/cons.ts";
import { DoubleFloat } from "../data/number.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Node, Variable } from "./ir.ts";

/** Operations that are written over JavaScript numbers when their operands are double-floats. */
const operators: Readonly<Record<string, string>> = { "+": "+", "-": "-", "*": "*", "/": "/" };

/** A call of `+`, `-`, `*` or `/` with two arguments. */
export type ArithmeticNode = Extract<Node, { op: "leaf" }>;

export function isArithmetic(node: Node): node is ArithmeticNode {
  return node.op === "leaf" && node.args.length === 2 && Object.hasOwn(operators, node.leaf.name);
}

/** True when the value of a node is likely to be a double-float. Code that trusts it checks first. */
export function seemsDouble(node: Node): boolean {
  if (node.op === "const") return node.value instanceof DoubleFloat;
  if (node.op === "local") return node.variable.double;
  return isArithmetic(node) && node.args.some(seemsDouble);
}

const doubleTypes: ReadonlySet<string> = new Set(["DOUBLE-FLOAT", "LONG-FLOAT"]);

function namesDouble(type: LispValue): boolean {
  if (type instanceof Cons) return namesDouble(type.car);
  return type instanceof LSymbol && doubleTypes.has(type.name);
}

/** Marks a variable when declarations give it the type DOUBLE-FLOAT. */
export function noteDeclared(
  variable: Variable,
  symbol: LispValue,
  declarations: readonly LispValue[],
): void {
  for (const specifier of declarations) {
    if (!(specifier instanceof Cons) || !(specifier.car instanceof LSymbol)) continue;
    const isType = specifier.car.name === "TYPE" && specifier.cdr instanceof Cons;
    const [type, names] = isType
      ? [(specifier.cdr as Cons).car, (specifier.cdr as Cons).cdr]
      : [specifier.car, specifier.cdr];
    if (namesDouble(type) && listToArray(names)?.includes(symbol) === true) variable.double = true;
  }
}
