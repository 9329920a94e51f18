/** Registers the operations on whole bit arrays (chapter 15) as leaves. */
import { LArray, makeStorage } from "../data/array.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { NIL, T } from "../data/symbol.ts";
import { SHARE, forShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  "BIT-AND": (a, b) => a & b,
  "BIT-IOR": (a, b) => a | b,
  "BIT-XOR": (a, b) => a ^ b,
  "BIT-EQV": (a, b) => 1 - (a ^ b),
  "BIT-NAND": (a, b) => 1 - (a & b),
  "BIT-NOR": (a, b) => 1 - (a | b),
  "BIT-ANDC1": (a, b) => (1 - a) & b,
  "BIT-ANDC2": (a, b) => a & (1 - b),
  "BIT-ORC1": (a, b) => (1 - a) | b,
  "BIT-ORC2": (a, b) => a | (1 - b),
};

function requireBits(x: LispValue): LArray {
  if (x instanceof LArray && x.type === "bit") return x;
  throw typeError(x, "(ARRAY BIT)");
}

function sameShape(a: LArray, b: LArray): boolean {
  return a.dims.length === b.dims.length && a.dims.every((dim, axis) => dim === b.dims[axis]);
}

/** An array of the shape of `model`, or a type error naming that shape. */
function requireShape(x: LispValue, model: LArray): LArray {
  const array = requireBits(x);
  if (!sameShape(array, model)) throw typeError(x, `(ARRAY BIT (${model.dims.join(" ")}))`);
  return array;
}

/** Where the result goes: a new array, the first operand (T), or a given array. */
function resultArray(first: LArray, designator: LispValue): LArray {
  if (designator === T) return first;
  if (designator !== NIL) return requireShape(designator, first);
  return new LArray([...first.dims], "bit", makeStorage("bit", first.total));
}

export const installBitArrays: LeafInstaller = (define, host) => {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    define(
      name,
      "bit-array1 bit-array2 &optional opt-arg",
      (a: LispValue, b: LispValue, target: LispValue = NIL) => {
        const first = requireBits(a);
        const second = requireShape(b, first);
        const result = resultArray(first, target);
        host.charge(first.total % SHARE);
        const combine = (from: number, to: number): void => {
          for (let i = from; i < to; i++)
            result.set(i, operation(first.ref(i) as number, second.ref(i) as number));
        };
        return forShares(0, first.total, combine, () => result);
      },
    );
  }
  define("BIT-NOT", "bit-array &optional opt-arg", (a: LispValue, target: LispValue = NIL) => {
    const first = requireBits(a);
    const result = resultArray(first, target);
    host.charge(first.total % SHARE);
    const flip = (from: number, to: number): void => {
      for (let i = from; i < to; i++) result.set(i, 1 - (first.ref(i) as number));
    };
    return forShares(0, first.total, flip, () => result);
  });
};
