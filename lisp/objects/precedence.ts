import type { LClass } from "./class.ts";

/** The class precedence list cannot be computed: the local orders contradict each other. */
export class PrecedenceConflict extends Error {
  readonly code = "precedence-conflict";
  readonly cls: LClass;
  constructor(cls: LClass) {
    super("the local precedence orders of the superclasses contradict each other");
    this.name = "PrecedenceConflict";
    this.cls = cls;
  }
}

function allSuperclasses(cls: LClass): Set<LClass> {
  const found = new Set<LClass>();
  const visit = (each: LClass): void => {
    if (found.has(each)) return;
    found.add(each);
    each.directSupers.forEach(visit);
  };
  visit(cls);
  return found;
}

/** Of several candidates, the one with a direct subclass rightmost in the list so far. */
function choose(candidates: LClass[], ordered: LClass[]): LClass | undefined {
  if (candidates.length < 2) return candidates[0];
  for (let i = ordered.length - 1; i >= 0; i--) {
    const supers = ordered[i]?.directSupers ?? [];
    const found = candidates.find((candidate) => supers.includes(candidate));
    if (found) return found;
  }
  return candidates[0];
}

/** The class precedence list by the standard's topological sort (section 4.3.5). */
export function classPrecedenceList(cls: LClass): LClass[] {
  const only = cls.directSupers.length === 1 ? cls.directSupers[0] : undefined;
  if (only?.finalized && only !== cls) return [cls, ...only.precedence];
  const remaining = allSuperclasses(cls);
  const before = new Map<LClass, Set<LClass>>();
  for (const each of remaining) before.set(each, new Set());
  for (const each of remaining) {
    let earlier = each;
    for (const next of each.directSupers) {
      before.get(next)?.add(earlier);
      earlier = next;
    }
  }
  const ordered: LClass[] = [];
  while (remaining.size > 0) {
    const next = choose(
      [...remaining].filter((each) => before.get(each)?.size === 0),
      ordered,
    );
    if (!next) throw new PrecedenceConflict(cls);
    ordered.push(next);
    remaining.delete(next);
    for (const set of before.values()) set.delete(next);
  }
  return ordered;
}
