/** Which calls of one turn run together: a pure plan of ordered waves (design.md 4; manual on parallel tool calls). */

/** What the planner knows of a call. A `resource` call runs after earlier calls that named the same resource. */
export type CallConcurrency =
  | { readonly kind: "parallel" }
  | { readonly kind: "exclusive" }
  | { readonly kind: "barrier" }
  | { readonly kind: "resource"; readonly resource: string };

/**
 * Splits calls, in wire order, into waves of indices: the calls of a wave run at once, waves run one after the other. Exclusive and
 * barrier calls have a wave to themselves, so nothing overlaps them; order between waves is wire order.
 */
export function planWaves(calls: readonly CallConcurrency[]): readonly (readonly number[])[] {
  const waves: number[][] = [];
  let open: { indices: number[]; resources: Set<string> } | undefined;
  const openWave = (): { indices: number[]; resources: Set<string> } => {
    if (open === undefined) {
      open = { indices: [], resources: new Set() };
      waves.push(open.indices);
    }
    return open;
  };
  for (const [index, call] of calls.entries()) {
    if (call.kind === "exclusive" || call.kind === "barrier") {
      waves.push([index]);
      open = undefined;
      continue;
    }
    if (call.kind === "resource") {
      if (open?.resources.has(call.resource) === true) open = undefined;
      openWave().resources.add(call.resource);
    }
    openWave().indices.push(index);
  }
  return waves;
}
