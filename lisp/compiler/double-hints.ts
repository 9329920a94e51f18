import { DoubleFloat } from "../data/number.ts";
import type { LispValue } from "../data/value.ts";
import type { Node, Variable } from "./ir.ts";
import type { Kind } from "./kinds.ts";

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
  if (node.op === "the") return node.kind.type === "double";
  return isArithmetic(node) && node.args.some(seemsDouble);
}

/** Notes what declarations say of a variable. */
export function noteDeclared(
  variable: Variable,
  symbol: LispValue,
  declared: ReadonlyMap<LispValue, Kind>,
): void {
  variable.declared = declared.get(symbol) ?? null;
  if (variable.declared?.type === "double") variable.double = true;
}
