import type { FunctionNode, Node } from "./ir.ts";

/** The nodes directly inside a node, in no particular order; bodies of inner functions are not among them. */
export function subnodes(node: Node): readonly Node[] {
  switch (node.op) {
    case "set-local":
    case "set-special":
    case "the":
    case "return":
      return [node.value];
    case "if":
      return [node.test, node.whenTrue, node.whenFalse];
    case "or":
    case "multiple-value-prog1":
      return [node.first, node.rest];
    case "progn":
      return node.body;
    case "let":
    case "bind":
      return [...node.bindings.map(({ init }) => init), node.body];
    case "progv":
      return [node.symbols, node.values, node.body];
    case "call":
    case "call-local":
    case "leaf":
    case "values":
      return node.args;
    case "funcall":
    case "apply":
    case "multiple-value-call":
      return [node.fn, ...node.args];
    case "local-functions":
    case "block":
      return [node.body];
    case "tagbody":
      return node.segments;
    case "catch":
      return [node.tag, node.body];
    case "throw":
      return [node.tag, node.value];
    case "unwind-protect":
      return [node.body, node.cleanup];
    case "multiple-value-bind":
      return [node.form, node.body];
    case "multiple-value-list":
      return [node.form];
    default:
      return [];
  }
}

/** The functions made directly by a node. */
export function innerFunctions(node: Node): readonly FunctionNode[] {
  if (node.op === "lambda") return [node.fn];
  return node.op === "local-functions" ? node.bindings.map(({ fn }) => fn) : [];
}

/** Calls `visit` for every node of a function and of the functions inside it; the stack does not grow with their depth. */
export function visitNodes(fn: FunctionNode, visit: (node: Node) => void): void {
  const pending: Node[] = [];
  const enter = (inner: FunctionNode): void => {
    pending.push(inner.body, ...inner.optional.map(({ init }) => init));
    pending.push(...(inner.keys ?? []).map(({ init }) => init));
  };
  enter(fn);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    visit(node);
    for (const inner of innerFunctions(node)) enter(inner);
    for (const part of subnodes(node)) pending.push(part);
  }
}
