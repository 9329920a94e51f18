import { LSymbol } from "../data/symbol.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import type { LetBinding, Node, Variable } from "./ir.ts";

const ABSENT: Node = { op: "absent" };

/** The name of a constant keyword, or null. */
function keywordName(node: Node): string | null {
  if (node.op !== "const" || !(node.value instanceof LSymbol)) return null;
  const { value } = node;
  return value.pkg?.name === "KEYWORD" ? value.name : null;
}

/** Places, in the order of the leaf's parameters, of the arguments of a call with constant keywords; null when it is no plain one. */
function places(leaf: LeafEntry, args: readonly Node[]): number[] | null {
  const { required, optional, keys } = leaf.shape;
  const fixed = required + optional;
  if (keys === null || args.length <= fixed || (args.length - fixed) % 2 !== 0) return null;
  const found: number[] = [];
  for (let i = fixed; i < args.length; i += 2) {
    const index = keys.indexOf(keywordName(args[i]!) ?? "");
    if (index < 0 || found.includes(fixed + index)) return null;
    found.push(fixed + index);
  }
  return found;
}

/**
 * The call of a leaf with constant keywords as one with all arguments in their places, evaluated in the order in which they
 * are written; null when the keywords are not constant, not known, or given twice.
 */
export function keywordLeafCall(
  leaf: LeafEntry,
  args: readonly Node[],
  variable: () => Variable,
): Node | null {
  const found = places(leaf, args);
  if (found === null) return null;
  const { required, optional } = leaf.shape;
  const fixed = required + optional;
  const values = [...args.slice(0, fixed), ...found.map((_, i) => args[fixed + 2 * i + 1]!)];
  const sorted = found.every((place, i) => i === 0 || place > found[i - 1]!);
  const bindings: LetBinding[] = [];
  const hold = (node: Node): Node => {
    if (sorted || node.op === "const") return node;
    const own = variable();
    bindings.push({ variable: own, init: node });
    return { op: "local", variable: own };
  };
  const held = values.map(hold);
  const placed: Node[] = held.slice(0, fixed);
  for (const [i, place] of found.entries()) {
    while (placed.length < place) placed.push(ABSENT);
    placed[place] = held[fixed + i]!;
  }
  const call: Node = { op: "leaf", leaf, args: placed };
  return bindings.length === 0 ? call : { op: "let", bindings, body: call };
}
