import type { Node, Tag } from "./ir.ts";

/** How the segments of a tagbody nest as labelled blocks (forward jumps) and loops (backward jumps). */
export interface TagbodyPlan {
  readonly openBefore: readonly (readonly { readonly kind: "forward" | "loop"; readonly tag: Tag }[])[];
  readonly closeBefore: readonly (readonly ("forward" | "loop")[])[];
  readonly closeAtEnd: readonly ("forward" | "loop")[];
}

interface Interval {
  readonly kind: "forward" | "loop";
  readonly tag: Tag;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The nesting, or null when jumps cross so that a state machine is needed. */
export function planTagbody(node: Extract<Node, { op: "tagbody" }>): TagbodyPlan | null {
  const count = node.segments.length;
  const intervals: Interval[] = [];
  for (const tag of node.tags) {
    const sources = [...tag.sources].toSorted((a, b) => a - b);
    const forward = sources.filter((i) => i < tag.index);
    const backward = sources.filter((i) => i >= tag.index);
    if (forward.length > 0) intervals.push({ kind: "forward", tag, start: forward[0]!, end: tag.index });
    if (backward.length > 0)
      intervals.push({ kind: "loop", tag, start: tag.index, end: backward.at(-1)! + 1 });
  }
  // Outer intervals first; a forward block may be widened to the left, which keeps it right.
  const nested = nest(intervals);
  if (nested === null) return null;
  const openBefore: { kind: "forward" | "loop"; tag: Tag }[][] = Array.from({ length: count }, () => []);
  const closeBefore: ("forward" | "loop")[][] = Array.from({ length: count + 1 }, () => []);
  for (const interval of nested) {
    openBefore[interval.start]!.push({ kind: interval.kind, tag: interval.tag });
    closeBefore[interval.end]!.unshift(interval.kind);
  }
  return { openBefore, closeBefore, closeAtEnd: closeBefore[count]! };
}

function nest(intervals: Interval[]): Interval[] | null {
  const current = [...intervals];
  for (let round = 0; round <= intervals.length; round++) {
    let changed = false;
    for (const [i, a] of current.entries()) {
      for (const b of current) {
        if (a === b || a.kind !== "forward") continue;
        // a starts inside b and ends outside: start it with b.
        if (a.start > b.start && a.start < b.end && a.end > b.end) {
          current[i] = { ...a, start: b.start };
          changed = true;
          break;
        }
      }
    }
    if (!changed) break;
  }
  const crossing = current.some((a) =>
    current.some((b) => a.start < b.start && b.start < a.end && a.end < b.end),
  );
  if (crossing) return null;
  return current.toSorted((a, b) => a.start - b.start || b.end - a.end || rank(a) - rank(b));
}

function rank(interval: Interval): number {
  return interval.kind === "forward" ? 0 : 1;
}
