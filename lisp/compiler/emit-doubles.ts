import { DoubleFloat } from "../data/number.ts";
import { type Dest, toVar } from "./emit-text.ts";
import { ValueEmitter } from "./emit-values.ts";
import { type ArithmeticNode, isArithmetic, seemsDouble } from "./double-hints.ts";
import type { Node } from "./ir.ts";
import type { Primitive } from "./primitives.ts";

/** An operand of arithmetic: an expression that may be used several times, or an operation on two operands. */
type Operand =
  | { readonly kind: "atom"; readonly text: string; readonly value: number | null }
  | {
      readonly kind: "operation";
      readonly node: ArithmeticNode;
      readonly left: Operand;
      readonly right: Operand;
    };

/** Most operands of one expression over JavaScript numbers. */
const mostAtoms = 8;

/**
 * Arithmetic that seems to be of double-floats. When all operands are, a whole expression is computed with JavaScript numbers and
 * only its result is made an object; otherwise each operation is done as usual. A result that is not finite goes the usual way
 * too, which signals where it came up: no sum, difference or product of such a number is finite again.
 */
export abstract class DoubleEmitter extends ValueEmitter {
  /** True when the node can be written so. */
  protected isDoubleArithmetic(node: Node): boolean {
    if (!isArithmetic(node) || !seemsDouble(node)) return false;
    const atoms = countAtoms(node, true);
    return atoms > 0 && atoms <= mostAtoms && this.quiet(node);
  }

  /** True when evaluating the operands has no effect, so that no operation can be seen to happen before one. */
  private quiet(node: Node): boolean {
    return isArithmetic(node) ? node.args.every((arg) => this.quiet(arg)) : this.pure(node);
  }

  /** Operand for a node; atoms are evaluated here, in order. */
  private operand(node: Node): Operand {
    if (isArithmetic(node) && seemsDouble(node)) {
      const [left, right] = node.args.map((arg) => this.operand(arg)) as [Operand, Operand];
      return { kind: "operation", node, left, right };
    }
    return { kind: "atom", text: this.atom(node), value: numberOf(node) };
  }

  /** Writes the arithmetic of a node. */
  protected doubleArithmetic(node: ArithmeticNode, dest: Dest): void {
    const operand = this.operand(node);
    const result = this.newTemp();
    if (!this.slow) {
      const number = this.local("d0");
      const text = `(${number}=${numberText(operand)})-${number}===0`;
      this.put(`if(${[...this.doubleGuards(operand), text].join("&&")})${result}=new Db(${number});else{`);
    }
    this.withTemps(() => this.assign(result, this.usual(operand)));
    if (!this.slow) this.put("}");
    this.deliver(result, dest, false);
  }

  /** Writes an operand the usual way and gives its expression. */
  private usual(operand: Operand): string {
    if (operand.kind === "atom") return operand.text;
    const left = this.usual(operand.left);
    const right = this.usual(operand.right);
    const { leaf } = operand.node;
    const result = this.newTemp();
    const primitive = this.primitive(operand.node);
    const fast = primitive?.kind === "checked" ? primitive.fast("§", left, right) : "";
    this.call(`${this.unit.leaf(leaf, 2)}(${left},${right})`, toVar(result), { fast });
    return result;
  }

  /** Conditions that all operands are double-floats, and no divisor is 0. */
  private doubleGuards(operand: Operand, guards = new Set<string>()): Set<string> {
    if (operand.kind === "operation") {
      this.doubleGuards(operand.left, guards);
      this.doubleGuards(operand.right, guards);
      if (operand.node.leaf.name === "/") guards.add(`${numberText(operand.right)}!==0`);
    } else if (operand.value === null) guards.add(`${operand.text} instanceof Db`);
    return guards;
  }

  protected override comparison(
    node: Extract<Node, { op: "leaf" }>,
    primitive: Extract<Primitive, { kind: "compare" }>,
  ): string {
    const sides = node.args;
    const apt =
      Object.hasOwn(comparisons, node.leaf.name) &&
      sides.length === 2 &&
      sides.some(seemsDouble) &&
      sides.every(
        (side) => this.quiet(side) && countAtoms(side, true) > 0 && countAtoms(side, true) <= mostAtoms,
      );
    if (!apt) return super.comparison(node, primitive);
    const [left, right] = sides.map((side) => this.operand(side)) as [Operand, Operand];
    const result = this.newTemp();
    if (!this.slow) {
      const [p, q] = [this.local("d0"), this.local("d1")];
      const guards = [...this.doubleGuards(left), ...this.doubleGuards(right)];
      const numbers = [`(${p}=${numberText(left)})-${p}===0`, `(${q}=${numberText(right)})-${q}===0`];
      this.put(
        `if(${[...new Set(guards), ...numbers].join("&&")})${result}=${p}${comparisons[node.leaf.name]}${q};else{`,
      );
    }
    this.withTemps(() => {
      const [a, b] = [this.usual(left), this.usual(right)];
      if (!this.slow) this.put(`if(${primitive.guard(a, b)})${result}=${primitive.js(a, b)};else{`);
      this.assign(result, `${this.unit.leaf(node.leaf, 2)}(${a},${b})`);
      this.check(result);
      this.assign(result, `${result}!==N`);
      if (!this.slow) this.put("}");
    });
    if (!this.slow) this.put("}");
    return result;
  }
}

const comparisons: Readonly<Record<string, string>> = {
  "<": "<",
  ">": ">",
  "<=": "<=",
  ">=": ">=",
  "=": "===",
};

/** Number of operands that are no operations; 0 when the expression may not be computed at once: a division inside it. */
function countAtoms(node: Node, outermost: boolean): number {
  if (!isArithmetic(node) || !seemsDouble(node)) return isArithmetic(node) ? 0 : 1;
  const division = node.leaf.name === "/";
  // What is divided by must be finite for the result to tell.
  if (division && (!outermost || isArithmetic(node.args[1]!))) return 0;
  const [left, right] = node.args.map((arg) => countAtoms(arg, false)) as [number, number];
  return left === 0 || right === 0 ? 0 : left + right;
}

/** Value of a constant operand; null for others. An integer counts like the double-float it becomes. */
function numberOf(node: Node): number | null {
  if (node.op !== "const") return null;
  if (node.value instanceof DoubleFloat) return node.value.v;
  return typeof node.value === "number" ? node.value : null;
}

/** JavaScript expression of an operand's value, for operands that are double-floats. */
function numberText(operand: Operand): string {
  if (operand.kind === "operation")
    return `(${numberText(operand.left)}${operand.node.leaf.name}${numberText(operand.right)})`;
  if (operand.value === null) return `${operand.text}.v`;
  const text = Object.is(operand.value, -0) ? "-0" : String(operand.value);
  return text.startsWith("-") ? `(${text})` : text;
}
