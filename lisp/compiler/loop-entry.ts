import type { FunctionNode, Node, Tag, Tagbody } from "./ir.ts";

/** Entry into the fast version of a function at a loop head: the tag, and the nodes from the body of the function to its tagbody. */
export interface LoopEntry {
  readonly tag: Tag;
  readonly path: ReadonlySet<Node>;
}

/** Sub-nodes through which an entry may lead: what runs before them is skipped by a guard. */
function enterable(node: Node): readonly Node[] {
  switch (node.op) {
    case "progn":
      return node.body;
    case "if":
      return [node.whenTrue, node.whenFalse];
    case "or":
      return [node.rest];
    case "let":
    case "bind":
    case "block":
    case "catch":
    case "local-functions":
    case "multiple-value-bind":
    case "unwind-protect":
      return [node.body];
    case "tagbody":
      return node.segments;
    case "set-local":
    case "set-special":
    case "the":
      return [node.value];
    case "return":
      return [node.value];
    case "call":
    case "call-local":
      return node.args;
    default:
      return [];
  }
}

function search(node: Node, tagbody: Tagbody, path: Node[]): boolean {
  path.push(node);
  if (node.op === "tagbody" && node.tagbody === tagbody) return true;
  if (enterable(node).some((child) => search(child, tagbody, path))) return true;
  path.pop();
  return false;
}

/** The entry at a tag, or null when the loop is in a place that cannot be entered (a test, an argument of an inline operator, a cleanup form). */
export function loopEntry(fn: FunctionNode, tag: Tag): LoopEntry | null {
  const path: Node[] = [];
  return search(fn.body, tag.tagbody, path) ? { tag, path: new Set(path) } : null;
}

/** Name of a tag within its unit. */
export function tagKey(tag: Tag): string {
  return `${tag.tagbody.token.js}_${tag.index}`;
}
