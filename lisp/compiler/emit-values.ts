import { Char } from "../data/character.ts";
import { NIL, T } from "../data/symbol.ts";
import { TextEmitter } from "./emit-text.ts";
import { kindOf, type KnownKinds } from "./infer-kinds.ts";
import type { Node, Variable } from "./ir.ts";
import type { Kind } from "./kinds.ts";
import { type Primitive, primitives } from "./primitives.ts";
import { typedPrimitive } from "./typed-operators.ts";

/** Deepest nesting of one JavaScript expression; deeper ones go through temporaries. */
const maximumExpressionDepth = 30;

/** Values as JavaScript expressions, arguments in their order, tests as conditions. */
export abstract class ValueEmitter extends TextEmitter {
  private readonly depths = new Map<Node, number>();

  /** True when the node's expression has neither statements nor effects, never fails, and is not nested too deeply. */
  protected pure(node: Node): boolean {
    if (node.op === "const" || node.op === "local" || node.op === "load-time-value") return true;
    if (node.op === "cache" || node.op === "absent") return true;
    return node.op === "leaf" && this.pureDepth(node) > 0;
  }

  /** Nesting of a pure call; 0 when it is not pure. */
  private pureDepth(node: Extract<Node, { op: "leaf" }>): number {
    const known = this.depths.get(node);
    if (known !== undefined) return known;
    const { kind } = this.primitive(node) ?? { kind: "checked" };
    let depth = kind === "total" || kind === "test" ? 1 : 0;
    for (const arg of node.args) {
      if (depth === 0) break;
      if (!this.pure(arg)) depth = 0;
      else if (arg.op === "leaf") depth = Math.max(depth, this.pureDepth(arg) + 1);
    }
    if (depth > maximumExpressionDepth) depth = 0;
    this.depths.set(node, depth);
    return depth;
  }

  /** True when the expression keeps its value whatever runs after it. */
  protected stable(node: Node): boolean {
    return (
      node.op === "const" ||
      node.op === "cache" ||
      node.op === "absent" ||
      node.op === "load-time-value" ||
      (node.op === "local" && !node.variable.assigned)
    );
  }

  private readonly known: KnownKinds = new Map();
  private readonly typed = new Map<Node, Primitive | undefined>();

  protected kindOf(node: Node): Kind {
    return kindOf(node, this.known);
  }

  protected primitive(node: Extract<Node, { op: "leaf" }>): Primitive | undefined {
    if (!this.typed.has(node)) {
      const typed = typedPrimitive(
        node.leaf.name,
        node.args.map((arg) => this.kindOf(arg)),
        this.kindOf(node),
      );
      this.typed.set(node, typed ?? primitives.get(`${node.leaf.name}/${node.args.length}`));
    }
    return this.typed.get(node);
  }

  /** Expression of the object that is a variable's value. */
  protected object(v: Variable): string {
    return v.raw ? this.shared(v) : this.variable(v);
  }

  /** Expression of a node's single value; takes temporaries that the caller gives back. */
  protected value(node: Node): string {
    switch (node.op) {
      case "const":
        return this.unit.constant(node.value);
      case "load-time-value":
        return this.unit.cell(node);
      case "cache":
        return this.unit.cache(node);
      case "absent":
        return "void 0";
      case "local":
        return this.object(node.variable);
      case "leaf":
        if (this.pure(node)) return this.pureLeaf(node);
        break;
      default:
        break;
    }
    return this.toTemp(node);
  }

  /** Like `value`, but the expression may be used several times. */
  protected atom(node: Node): string {
    const repeatable = node.op === "local" ? !node.variable.raw : node.op !== "leaf" || !this.pure(node);
    if (repeatable) return this.value(node);
    const temp = this.newTemp();
    this.assign(temp, this.value(node));
    return temp;
  }

  protected pureLeaf(node: Extract<Node, { op: "leaf" }>): string {
    const primitive = this.primitive(node)!;
    if (primitive.kind === "test") return `(${this.pureTest(node, primitive)}?T:N)`;
    if (primitive.kind !== "total") throw new TypeError(`expected a total primitive, got ${node.leaf.name}`);
    return primitive.js(...this.args(node.args, primitive.atomic));
  }

  protected pureTest(
    node: Extract<Node, { op: "leaf" }>,
    primitive: Extract<Primitive, { kind: "test" }>,
  ): string {
    if (node.leaf.name === "EQL" && node.args.some(comparesByIdentity)) {
      const [a, b] = this.args(node.args, false);
      return `${a}===${b}`;
    }
    return primitive.js(...this.args(node.args, primitive.atomic));
  }

  /** Expressions of arguments, evaluated in order; each is good until the next statement with effects. */
  protected args(nodes: readonly Node[], atomic = true): string[] {
    let last = nodes.length - 1;
    while (last >= 0 && this.pure(nodes[last]!)) last--;
    return nodes.map((node, i) => {
      if (i >= last || this.stable(node)) return atomic ? this.atom(node) : this.value(node);
      let temp = "";
      this.before(nodes.slice(i + 1), () => {
        temp = this.toTemp(node);
      });
      return temp;
    });
  }

  /** JavaScript condition for a node in test position. */
  protected condition(node: Node): string {
    if (node.op === "const") return node.value === NIL ? "false" : "true";
    if (node.op === "leaf") {
      const primitive = this.primitive(node);
      if (node.leaf.name === "NOT" || node.leaf.name === "NULL") {
        if (node.args.length === 1) return `!(${this.condition(node.args[0]!)})`;
      } else if (primitive?.kind === "test") return `(${this.pureTest(node, primitive)})`;
      else if (primitive?.kind === "compare") return this.comparison(node, primitive);
    }
    if (node.op === "if" || node.op === "or") return this.conditional(node);
    return `${this.value(node)}!==N`;
  }

  protected pureCondition(node: Node): boolean {
    if (node.op === "if")
      return [node.test, node.whenTrue, node.whenFalse].every((child) => this.pureCondition(child));
    if (node.op === "or") return this.pureCondition(node.first) && this.pureCondition(node.rest);
    if (
      node.op === "leaf" &&
      node.args.length === 1 &&
      (node.leaf.name === "NOT" || node.leaf.name === "NULL")
    ) {
      return this.pureCondition(node.args[0]!);
    }
    return this.pure(node);
  }

  protected comparison(
    node: Extract<Node, { op: "leaf" }>,
    primitive: Extract<Primitive, { kind: "compare" }>,
  ): string {
    const result = this.newTemp();
    const args = this.args(node.args);
    const text = `${this.unit.leaf(node.leaf, args.length)}(${args.join(",")})`;
    if (!this.slow) this.put(`if(${primitive.guard(...args)})${result}=${primitive.js(...args)};else{`);
    this.assign(result, text);
    this.check(result);
    this.assign(result, `${result}!==N`);
    if (!this.slow) this.put("}");
    return result;
  }

  /** `(if a b c)` and `(or a b)` as a condition, for tests of AND, OR and COND. */
  protected conditional(node: Extract<Node, { op: "if" | "or" }>): string {
    if (this.pureCondition(node)) {
      const parts = node.op === "if" ? [node.test, node.whenTrue, node.whenFalse] : [node.first, node.rest];
      const [a, b, c] = parts.map((part) => this.condition(part));
      if (c === undefined) return `(${a}||${b})`;
      return c === "false" ? `(${a}&&${b})` : `(${a}?${b}:${c})`;
    }
    const result = this.newTemp();
    this.withTemps(() => {
      if (node.op === "or") {
        this.assign(result, this.condition(node.first));
        this.branch(
          `!${result}`,
          () => this.withTemps(() => this.assign(result, this.condition(node.rest))),
          null,
        );
        return;
      }
      this.branch(
        this.condition(node.test),
        () => this.withTemps(() => this.assign(result, this.condition(node.whenTrue))),
        () => this.withTemps(() => this.assign(result, this.condition(node.whenFalse))),
      );
    });
    return result;
  }
}

function comparesByIdentity(node: Node): boolean {
  if (node.op !== "const") return false;
  const { value } = node;
  return (
    typeof value === "number" ||
    value === NIL ||
    value === T ||
    value instanceof Char ||
    (typeof value === "object" && "plist" in value)
  );
}
