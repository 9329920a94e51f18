import type { CompilerHost } from "./analysis.ts";
import type { Node } from "./ir.ts";

type LeafNode = Extract<Node, { op: "leaf" }>;

/** Largest modulus that the operator for products takes; see `numbers/modular-leaves.ts`. */
const MOST_MODULUS = 2 ** 32;

const ZERO: Node = { op: "const", value: 0 };

/** The node as a call of the operator with two arguments, or null. */
function callOf(name: string, node: Node): LeafNode | null {
  return node.op === "leaf" && node.leaf.name === name && node.args.length === 2 ? node : null;
}

/** True when evaluating the node neither fails nor does anything. */
function isPlain(node: Node): boolean {
  return node.op === "const" || node.op === "local";
}

/** Factors and summand of `(* a b)`, `(+ (* a b) c)` or `(+ c (* a b))`. */
function productOf(node: Node): { readonly product: LeafNode; readonly summand: Node } | null {
  const alone = callOf("*", node);
  if (alone !== null) return { product: alone, summand: ZERO };
  const sum = callOf("+", node);
  if (sum === null) return null;
  const [left, right] = sum.args as [Node, Node];
  const first = callOf("*", left);
  if (first !== null && isPlain(right)) return { product: first, summand: right };
  const second = callOf("*", right);
  return second !== null && isPlain(left) && second.args.every(isPlain)
    ? { product: second, summand: left }
    : null;
}

/** The modulus that a mask of low bits stands for, or null. */
function modulusOfMask(node: Node): number | null {
  if (node.op !== "const" || typeof node.value !== "number") return null;
  const modulus = node.value + 1;
  return modulus > 1 && modulus <= MOST_MODULUS && Number.isInteger(Math.log2(modulus)) ? modulus : null;
}

/**
 * `(mod (+ (* a b) c) m)` and `(logand (+ (* a b) c) mask)` with a modulus of at most 32 bits as one operation, which needs no long
 * integers when the product is one: random number generators and hash functions are made of these.
 */
export function modularProduct(host: CompilerHost, name: string, args: readonly Node[]): Node | null {
  if (args.length !== 2 || (name !== "MOD" && name !== "LOGAND")) return null;
  for (const [value, other] of [args, args.toReversed()] as [Node, Node][]) {
    const found = productOf(value);
    const modulus = name === "MOD" ? constantModulus(other) : modulusOfMask(other);
    if (found !== null && modulus !== null) {
      const leaf = host.leafOf(host.symbol(name === "MOD" ? "SYS:%MUL-ADD-MOD" : "SYS:%MUL-ADD-MASK"));
      const m: Node = { op: "const", value: modulus };
      return leaf === null ? null : { op: "leaf", leaf, args: [...found.product.args, found.summand, m] };
    }
    if (name === "MOD") return null;
  }
  return null;
}

function constantModulus(node: Node): number | null {
  if (node.op !== "const" || typeof node.value !== "number") return null;
  return node.value > 0 && node.value <= MOST_MODULUS ? node.value : null;
}
