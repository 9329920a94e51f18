import { type Dest, takesFloat, toVar } from "./emit-text.ts";
import { ValueEmitter } from "./emit-values.ts";
import { type ArithmeticNode, isArithmetic, seemsDouble } from "./double-hints.ts";
import { type FloatOperator, floatOperator, floatText, rounded, roundings } from "./float-operators.ts";
import type { Node } from "./ir.ts";
import { DOUBLE, type FloatKind, isFloat, type Kind, kindOfValue, MOST, SINGLE } from "./kinds.ts";
import { isQuiet } from "./quiet-nodes.ts";
import type { Primitive } from "./primitives.ts";

/** An operand of arithmetic. */
type Operand =
  | {
      readonly kind: "atom";
      /** Expression of its JavaScript number, and of the object; both may be used several times. */
      readonly number: string;
      readonly object: string;
      /** True when it is a float or fixnum for certain; otherwise `object` is to be looked at first. */
      readonly certain: boolean;
      readonly constant: number | null;
    }
  | {
      readonly kind: "operation";
      readonly node: ArithmeticNode;
      readonly left: Operand;
      readonly right: Operand;
      readonly certain: boolean;
    };

/** Most operations of one expression; parts of larger ones are computed first. */
const mostOperations = 10;

type LeafNode = Extract<Node, { op: "leaf" }>;

const comparisons: Readonly<Record<string, string>> = {
  "<": "<",
  ">": ">",
  "<=": "<=",
  ">=": ">=",
  "=": "===",
  "/=": "!==",
};
const signs: Readonly<Record<string, string>> = { ZEROP: "===0", PLUSP: ">0", MINUSP: "<0" };

/**
 * Arithmetic on floats. A whole expression is computed with JavaScript numbers; an object is made only of its result, and only
 * where one is needed. A result that is not finite is computed again by the general operators, which signal where it came up: no
 * sum, difference or product of such a number is finite again. Operands of unknown kind that seem to be double-floats are looked
 * at first, and the general operators compute what is otherwise.
 */
export abstract class FloatEmitter extends ValueEmitter {
  /** Writes the call of an operator when it is one on floats. */
  protected floatLeaf(node: LeafNode, dest: Dest): boolean {
    const kind = this.kindOf(node);
    const apt = isFloat(kind) || seemsDouble(node);
    const call: Node = node;
    if (isArithmetic(call)) {
      if (apt) this.arithmetic(call, isFloat(kind) ? kind : DOUBLE, dest);
      return apt;
    }
    const args = node.args.map((arg) => this.kindOf(arg));
    const operator = floatOperator(node.leaf.name, args);
    if (operator !== undefined) this.operatorCall(node, operator, args[0] as FloatKind, dest);
    else if (node.leaf.name === "FLOAT" && isFloat(kind)) this.conversion(node, kind, dest);
    else return this.rounding(node, args, dest);
    return true;
  }

  // ---------------------------------------------------------------- operands

  /** Expression of the JavaScript number of a node whose kind is a float or fixnum; it may be used several times. */
  protected number(node: Node): string {
    if (node.op === "const") return floatText(numberOf(node)!);
    const kind = this.kindOf(node);
    if (!isFloat(kind)) return this.atom(node);
    if (node.op === "local")
      return node.variable.raw ? node.variable.js : `${this.variable(node.variable)}.v`;
    return this.toTemp(node, kind.type === "double" ? DOUBLE : SINGLE);
  }

  /** Numbers of several nodes, evaluated in order. */
  protected numbers(nodes: readonly Node[]): string[] {
    const last = nodes.findLastIndex((node) => !isQuiet(node));
    return nodes.map((node, i) =>
      i < last && !this.stable(node) ? this.fixedNumber(node) : this.number(node),
    );
  }

  /** Like `number`; the expression keeps its value whatever runs after it. */
  private fixedNumber(node: Node): string {
    const temp = this.newTemp();
    this.withTemps(() => this.assign(temp, this.number(node)));
    return temp;
  }

  private operands(nodes: readonly Node[], type: FloatKind["type"]): Operand[] {
    const last = nodes.findLastIndex((node) => !isQuiet(node));
    return nodes.map((node, i) => this.operand(node, type, i < last && !this.stable(node)));
  }

  /** Operand for a node; atoms are evaluated here. `fixed`: it must keep its value whatever runs after it. */
  private operand(node: Node, type: FloatKind["type"], fixed: boolean): Operand {
    if (!fixed && isArithmetic(node) && this.fuses(node, type)) return this.operation(node, type);
    const kind = this.kindOf(node);
    if (kind.type !== "integer" && !isFloat(kind)) {
      const object = fixed ? this.toTemp(node) : this.atom(node);
      return { kind: "atom", number: `${object}.v`, object, certain: false, constant: null };
    }
    const number = fixed ? this.fixedNumber(node) : this.number(node);
    const object = isFloat(kind) ? this.boxed(number, kind) : number;
    const exact =
      type === "double" || kind.type !== "integer" || (kind.high <= 2 ** 24 && kind.low >= -(2 ** 24));
    return {
      kind: "atom",
      number: exact ? number : `Fr(${number})`,
      object,
      certain: true,
      constant: numberOf(node),
    };
  }

  private boxed(number: string, kind: FloatKind): string {
    return kind.type === "double" ? `new Db(${number})` : `new Sf(${number})`;
  }

  /** True when an operation may be part of a larger expression in a format. */
  private fuses(node: ArithmeticNode, type: FloatKind["type"]): boolean {
    const kind = this.kindOf(node);
    const apt = isFloat(kind) ? kind.type === type : type === "double" && seemsDouble(node);
    return apt && operations(node) <= mostOperations;
  }

  private operation(node: ArithmeticNode, type: FloatKind["type"]): Extract<Operand, { kind: "operation" }> {
    let [left, right] = this.operands(node.args, type) as [Operand, Operand];
    // What is divided by must be finite for the result to tell.
    if (node.leaf.name === "/" && right.kind === "operation") {
      const held = this.newTemp();
      this.withTemps(() =>
        this.emitOperation(right as Extract<Operand, { kind: "operation" }>, type, toVar(held)),
      );
      right = { kind: "atom", number: `${held}.v`, object: held, certain: false, constant: null };
    }
    return { kind: "operation", node, left, right, certain: left.certain || right.certain };
  }

  // ---------------------------------------------------------------- arithmetic

  private arithmetic(node: ArithmeticNode, kind: FloatKind, dest: Dest): void {
    this.emitOperation(this.operation(node, kind.type), kind.type, dest, isFloat(this.kindOf(node)));
  }

  /** Writes an expression. `certain`: its value is a float of the format whatever the operands turn out to be. */
  private emitOperation(
    operand: Extract<Operand, { kind: "operation" }>,
    type: FloatKind["type"],
    dest: Dest,
    certain = false,
  ): void {
    const guards = this.guards(operand, null, new Set<string>());
    const args: string[] = [];
    const general = this.general(operand, args);
    const wrapped = `${this.unit.wrapped(general, args.length)}(${args.join(",")})`;
    this.checkedFloat([...guards], numberText(operand, type), wrapped, type, dest, certain);
  }

  /** Writes a float computed by JavaScript, or by a call when a condition does not hold or the result is not finite. */
  private checkedFloat(
    guards: readonly string[],
    text: string,
    otherwise: string,
    type: FloatKind["type"],
    dest: Dest,
    certain: boolean,
  ): void {
    const result = this.newTemp();
    const d = this.local("d0");
    const direct = takesFloat(dest, type);
    if (!this.slow) {
      const conditions = [...guards, `(${d}=${text})-${d}===0`].join("&&");
      this.put(
        `if(${conditions})${direct ? `${dest.name}=${d}` : `${result}=${this.boxed(d, { type, natural: false })}`};else{`,
      );
    }
    this.assign(result, otherwise);
    this.check(result);
    if (direct && certain) this.assign(dest.name, `${result}.v`);
    else if (direct) this.convert(result, dest.name, dest.as!);
    if (!this.slow) this.put("}");
    if (!direct) this.deliver(result, dest, false);
  }

  /** Conditions that all operands are what the expression takes them for, and no divisor is 0. */
  private guards(operand: Operand, other: Operand | null, found: Set<string>): Set<string> {
    if (operand.kind === "operation") {
      this.guards(operand.left, operand.right, found);
      this.guards(operand.right, operand.left, found);
      if (operand.node.leaf.name === "/" && !constantBesides0(operand.right))
        found.add(`${numberText(operand.right, "double")}!==0`);
    } else if (!operand.certain) found.add(`${operand.object} instanceof Db`);
    return found;
  }

  /** Calls of the general operators for an expression over parameters `a0`…; the objects for them go to `args`. */
  private general(operand: Operand, args: string[]): string {
    if (operand.kind === "atom") return `a${args.push(operand.object) - 1}`;
    const [left, right] = [this.general(operand.left, args), this.general(operand.right, args)];
    return `${this.unit.rawLeaf(operand.node.leaf)}(${left},${right})`;
  }

  // ---------------------------------------------------------------- other operators

  private operatorCall(node: LeafNode, operator: FloatOperator, kind: FloatKind, dest: Dest): void {
    const { type } = kind;
    const args = this.numbers(node.args);
    const text = rounded(operator.js(...args), type);
    if (operator.traps === "none") return this.deliverFloat(text, { type, natural: false }, dest);
    const guards = operator.domain === undefined || kind.natural ? [] : [operator.domain(...args)];
    if (operator.domain !== undefined && node.leaf.name === "LOG") guards[0] = operator.domain(...args);
    const objects = args.map((arg) => this.boxed(arg, kind));
    const otherwise = `${this.unit.leaf(node.leaf, args.length)}(${objects.join(",")})`;
    const nonzero = operator.traps === "zero" ? [`${text}!==0`] : [];
    this.checkedFloat([...guards, ...nonzero], text, otherwise, type, dest, isFloat(this.kindOf(node)));
  }

  /** FLOAT with a prototype: a change of format. */
  private conversion(node: LeafNode, kind: FloatKind, dest: Dest): void {
    const [from] = node.args as [Node, Node];
    const source = this.kindOf(from);
    const [number] = this.numbers(node.args) as [string, string];
    if (kind.type === "double" || source.type !== "double")
      return this.deliverFloat(kind.type === "single" ? `Fr(${number})` : number, kind, dest);
    const otherwise = `${this.unit.leaf(node.leaf, 2)}(new Db(${number}),new Sf(0))`;
    this.checkedFloat([], `Fr(${number})`, otherwise, "single", dest, true);
  }

  /** FLOOR and its like of a float, where only the integer is wanted. */
  private rounding(node: LeafNode, args: readonly Kind[], dest: Dest): boolean {
    const [kind] = args;
    const several = dest.kind === "return" || (dest.kind === "var" && dest.multi);
    if (args.length !== 1 || several || kind === undefined || !isFloat(kind)) return false;
    const text = Object.hasOwn(roundings, node.leaf.name) ? roundings[node.leaf.name] : undefined;
    if (text === undefined) return false;
    const [number] = this.numbers(node.args) as [string];
    const otherwise = `${this.unit.leaf(node.leaf, 1)}(${this.boxed(number, kind)})`;
    const fast = `(§=${text(number)})<=${MOST}&&§>=${-MOST}`;
    this.call(otherwise, dest, { fast, multi: true });
    return true;
  }

  // ---------------------------------------------------------------- comparisons

  /** EQ and EQL of floats of one format compare the numbers; there may be no objects. */
  protected override pureTest(node: LeafNode, primitive: Extract<Primitive, { kind: "test" }>): string {
    const [a, b] = node.args.map((arg) => this.kindOf(arg));
    const alike = a !== undefined && b !== undefined && isFloat(a) && isFloat(b) && a.type === b.type;
    if (!alike || (node.leaf.name !== "EQ" && node.leaf.name !== "EQL"))
      return super.pureTest(node, primitive);
    return `Object.is(${this.numbers(node.args).join(",")})`;
  }

  protected override comparison(node: LeafNode, primitive: Extract<Primitive, { kind: "compare" }>): string {
    const kinds = node.args.map((arg) => this.kindOf(arg));
    const numeric = kinds.every((kind) => kind.type === "integer" || isFloat(kind)) && kinds.some(isFloat);
    const { name } = node.leaf;
    if (numeric && kinds.length === 2 && Object.hasOwn(comparisons, name)) {
      const [a, b] = this.numbers(node.args);
      return `(${a}${comparisons[name]}${b})`;
    }
    if (numeric && kinds.length === 1 && Object.hasOwn(signs, name))
      return `(${this.numbers(node.args)[0]}${signs[name]})`;
    const sides = node.args;
    const hinted =
      Object.hasOwn(comparisons, name) &&
      sides.length === 2 &&
      sides.some(seemsDouble) &&
      sides.every(isQuiet);
    return hinted ? this.guardedComparison(node, primitive) : super.comparison(node, primitive);
  }

  /** A comparison of numbers that seem to be double-floats. */
  private guardedComparison(node: LeafNode, primitive: Extract<Primitive, { kind: "compare" }>): string {
    const [left, right] = node.args.map((side) => this.operand(side, "double", false)) as [Operand, Operand];
    const result = this.newTemp();
    if (!this.slow) {
      const [p, q] = [this.local("d0"), this.local("d1")];
      const guards = this.guards(right, null, this.guards(left, null, new Set<string>()));
      const sides = [
        `(${p}=${numberText(left, "double")})-${p}===0`,
        `(${q}=${numberText(right, "double")})-${q}===0`,
      ];
      this.put(
        `if(${[...guards, ...sides].join("&&")})${result}=${p}${comparisons[node.leaf.name]}${q};else{`,
      );
    }
    this.withTemps(() => {
      const [a, b] = [this.objectOf(left), this.objectOf(right)];
      if (!this.slow) this.put(`if(${primitive.guard(a, b)})${result}=${primitive.js(a, b)};else{`);
      this.assign(result, `${this.unit.leaf(node.leaf, 2)}(${a},${b})`);
      this.check(result);
      this.assign(result, `${result}!==N`);
      if (!this.slow) this.put("}");
    });
    if (!this.slow) this.put("}");
    return result;
  }

  /** Expression of the object for an operand, computed by the general operators. */
  private objectOf(operand: Operand): string {
    const args: string[] = [];
    const general = this.general(operand, args);
    const result = this.newTemp();
    if (operand.kind === "atom") this.assign(result, operand.object);
    else {
      this.assign(result, `${this.unit.wrapped(general, args.length)}(${args.join(",")})`);
      this.check(result);
    }
    return result;
  }
}

/** Number of operations that an expression would be made of. */
function operations(node: Node): number {
  return isArithmetic(node) ? 1 + operations(node.args[0]!) + operations(node.args[1]!) : 0;
}

function constantBesides0(operand: Operand): boolean {
  return operand.kind === "atom" && operand.constant !== null && operand.constant !== 0;
}

/** Value of a constant operand; null for others. An integer counts like the float it becomes. */
function numberOf(node: Node): number | null {
  if (node.op !== "const") return null;
  const { value } = node;
  if (typeof value === "number") return value;
  return isFloat(kindOfValue(value)) ? (value as { readonly v: number }).v : null;
}

/** JavaScript expression of an operand's value. */
function numberText(operand: Operand, type: FloatKind["type"]): string {
  if (operand.kind === "atom") return operand.number;
  const { name } = operand.node.leaf;
  return rounded(`${numberText(operand.left, type)}${name}${numberText(operand.right, type)}`, type);
}
