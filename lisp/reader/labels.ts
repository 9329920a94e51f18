/** `#n=` and `#n#`: objects that refer to themselves are patched when they are complete. */
import { LArray } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
import { LInstance, LStruct } from "../data/instance.ts";
import type { LispValue } from "../data/value.ts";

/** Stands for a labelled object inside itself until it is complete. */
export class Label {
  value: LispValue | null = null;
  /** A `#n#` was read before the object was complete. */
  forward = false;
}

/** The labels of one outermost READ. */
export type LabelTable = Map<bigint | number, Label>;

function partsOf(x: LispValue): LispValue[] | null {
  if (Array.isArray(x)) return x;
  if (x instanceof LStruct || x instanceof LInstance) return x.slots;
  if (x instanceof LArray && x.displacement === null && Array.isArray(x.storage)) return x.storage;
  return null;
}

/** Replaces a label by its value everywhere inside that value. */
export function patchLabel(label: Label): void {
  const target = label.value as LispValue;
  const seen = new Set<LispValue>();
  const work: LispValue[] = [target];
  const visit = (x: LispValue): LispValue => {
    if (x === label) return target;
    if (typeof x === "object" && !seen.has(x)) {
      seen.add(x);
      work.push(x);
    }
    return x;
  };
  seen.add(target);
  for (let x = work.pop(); x !== undefined; x = work.pop()) {
    if (x instanceof Cons) {
      x.car = visit(x.car);
      x.cdr = visit(x.cdr);
      continue;
    }
    const parts = partsOf(x);
    if (parts !== null) for (let i = 0; i < parts.length; i++) parts[i] = visit(parts[i] as LispValue);
  }
}
