import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { LStruct } from "../data/instance.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** The objects that occur more than once in what is printed with *PRINT-CIRCLE*, and the labels given to them. */
export class SharedObjects {
  private readonly labels = new Map<LispValue, number>();
  private next = 1;

  constructor(shared: Iterable<LispValue>) {
    for (const object of shared) this.labels.set(object, 0);
  }

  get size(): number {
    return this.labels.size;
  }

  /** NIL for an object that occurs once, T for one that has no label yet, else its label. */
  state(object: LispValue): LispValue {
    const label = this.labels.get(object);
    if (label === undefined) return NIL;
    return label === 0 ? T : label;
  }

  /** Gives the object the next label. */
  label(object: LispValue): number {
    this.labels.set(object, this.next);
    return this.next++;
  }
}

function isNumberOrCharacter(object: object): boolean {
  return (
    object instanceof Char ||
    object instanceof Ratio ||
    object instanceof SingleFloat ||
    object instanceof DoubleFloat ||
    object instanceof Complex
  );
}

/** The objects to look at within an object; undefined for those that are never labelled. */
function partsOf(object: LispValue): readonly LispValue[] | undefined {
  if (object instanceof Cons) return [object.car, object.cdr];
  if (Array.isArray(object)) return object;
  if (object instanceof LStruct) return object.slots;
  if (object instanceof LArray && object.type === "t") {
    return Array.from({ length: object.rank === 1 ? object.length : object.total }, (_, i) => object.ref(i));
  }
  if (object instanceof LSymbol)
    return object.pkg === null && object !== NIL && object !== T ? [] : undefined;
  return typeof object === "object" && !isNumberOrCharacter(object) ? [] : undefined;
}

/** True when at most `limit` objects can be reached from `root`: so many that it is quick to look for shared ones. */
export function reachesAtMost(root: LispValue, limit: number): boolean {
  const seen = new Set<LispValue>();
  const work: LispValue[] = [root];
  for (let object = work.pop(); object !== undefined; object = work.pop()) {
    if (seen.has(object)) continue;
    const parts = partsOf(object);
    if (parts === undefined) continue;
    seen.add(object);
    if (seen.size > limit || parts.length > limit) return false;
    for (let i = parts.length - 1; i >= 0; i--) work.push(parts[i]!);
  }
  return true;
}

/** The objects that can be reached twice from `root` through conses, arrays and structures. */
export function findShared(root: LispValue): SharedObjects {
  const seen = new Set<LispValue>();
  const shared = new Set<LispValue>();
  const work: LispValue[] = [root];
  for (let object = work.pop(); object !== undefined; object = work.pop()) {
    const parts = partsOf(object);
    if (parts === undefined) continue;
    if (seen.has(object)) {
      shared.add(object);
      continue;
    }
    seen.add(object);
    for (let i = parts.length - 1; i >= 0; i--) work.push(parts[i]!);
  }
  return new SharedObjects(shared);
}
