import fc from "fast-check";
import { LArray, makeStorage, type ElementType } from "../../../lisp/data/array.ts";
import { char } from "../../../lisp/data/character.ts";
import { Cons } from "../../../lisp/data/cons.ts";
import { LHashTable } from "../../../lisp/data/hash-table.ts";
import { LStruct, StructLayout } from "../../../lisp/data/instance.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../../../lisp/data/number.ts";
import { LString } from "../../../lisp/data/string.ts";
import { LSymbol, NIL, T } from "../../../lisp/data/symbol.ts";
import type { LispValue } from "../../../lisp/data/value.ts";
import { hashEntries } from "../../../lisp/hash/hash-entries.ts";
import { COMPARISONS } from "../../../lisp/hash/hash-table-leaves.ts";
import { putEntry } from "../../../lisp/hash/hash-table-operations.ts";
import { debugText } from "../../../lisp/image/debug-text.ts";
import type { Image } from "../../../lisp/image/image.ts";

/** One object of a heap to be made: what it is, and which objects it refers to (numbers modulo the number of objects). */
interface Node {
  readonly kind: keyof typeof makers;
  readonly refs: readonly number[];
  readonly text: string;
  readonly number: number;
  readonly big: bigint;
}

type Fill = (at: (i: number) => LispValue) => void;

interface Made {
  readonly object: LispValue;
  readonly fill?: Fill;
}

const specialised: readonly ElementType[] = ["bit", "u8", "s16", "u32", "s64", "fixnum", "single", "double"];

const makers = {
  cons: ({ refs }: Node): Made => {
    const object = new Cons(NIL, NIL);
    return {
      object,
      fill: (at) => {
        object.car = at(refs[0]!);
        object.cdr = at(refs[1]!);
      },
    };
  },
  vector: ({ refs }: Node): Made => {
    const object: LispValue[] = refs.map(() => NIL);
    return { object, fill: (at) => refs.forEach((ref, i) => (object[i] = at(ref))) };
  },
  text: ({ text, number }: Node): Made => {
    const object = LString.from(text);
    object.base = number % 2 === 0;
    return { object };
  },
  oddText: ({ text, number }: Node): Made => {
    const object = LString.from(text);
    object.adjustable = true;
    object.fillPointer = Math.abs(number) % (object.total + 1);
    if (object.total > 0) object.setCode(0, 0x1f600);
    return { object };
  },
  displacedText: ({ text, number }: Node): Made => {
    const target = LString.from(`${text}....`);
    return { object: LString.displaced(target, Math.abs(number) % 4, target.total - 4) };
  },
  fixnum: ({ number }: Node): Made => ({ object: number }),
  bignum: ({ big }: Node): Made => ({ object: big }),
  double: ({ number }: Node): Made => ({ object: new DoubleFloat(number / 7) }),
  single: ({ number }: Node): Made => ({ object: new SingleFloat(-number / 3) }),
  ratio: ({ big }: Node): Made => ({ object: new Ratio(big, 7) }),
  complex: ({ number }: Node): Made => ({
    object: new Complex(new DoubleFloat(number), new DoubleFloat(-0)),
  }),
  character: ({ number }: Node): Made => ({ object: char(Math.abs(number) % 0x110000) }),
  array: ({ refs }: Node): Made => {
    const storage: LispValue[] = refs.map(() => NIL);
    const object = new LArray([1, refs.length], "t", storage);
    return { object, fill: (at) => refs.forEach((ref, i) => (storage[i] = at(ref))) };
  },
  specialised: ({ refs, number }: Node): Made => {
    const type = specialised[Math.abs(number) % specialised.length]!;
    const storage = makeStorage(type, refs.length);
    for (let i = 0; i < refs.length; i++)
      storage[i] = (type === "s64" ? BigInt(-i) : type === "bit" ? i % 2 : i) as never;
    const object = new LArray([refs.length], type, storage);
    if (number % 3 === 0) object.fillPointer = 0;
    return { object };
  },
  displaced: ({ refs, number }: Node): Made => {
    const target = new LArray([3], "t", [number, NIL, T]);
    const object = new LArray([2], "t", []);
    object.displacement = { target, offset: 1 };
    return { object, fill: (at) => target.set(2, at(refs[0]!)) };
  },
  table: ({ refs, number, text }: Node): Made => {
    const test = (["eq", "eql", "equal", "equalp"] as const)[Math.abs(number) % 4]!;
    const object = new LHashTable(test, COMPARISONS[test], 7, 2, new SingleFloat(1));
    return {
      object,
      fill: (at) => {
        putEntry(object, LString.from(text), at(refs[0]!));
        putEntry(object, number, at(refs[1]!));
        putEntry(object, new DoubleFloat(number / 3), T);
      },
    };
  },
  uninterned: ({ refs, text }: Node): Made => {
    const object = new LSymbol(text, null);
    return { object, fill: (at) => (object.value = at(refs[0]!)) };
  },
  structure: ({ refs }: Node): Made => {
    const object = new LStruct(layout, [NIL, NIL]);
    return {
      object,
      fill: (at) => {
        object.slots[0] = at(refs[0]!);
        object.slots[1] = at(refs[1]!);
      },
    };
  },
};

const layout = new StructLayout(new LSymbol("PAIR", null), null, [
  new LSymbol("A", null),
  new LSymbol("B", null),
]);

const node: fc.Arbitrary<Node> = fc.record({
  kind: fc.constantFrom(...(Object.keys(makers) as (keyof typeof makers)[])),
  refs: fc.array(fc.nat(), { minLength: 2, maxLength: 6 }),
  text: fc.string({ unit: "grapheme", maxLength: 12 }),
  number: fc.oneof(fc.integer(), fc.maxSafeInteger()),
  big: fc.bigInt({ min: 2n ** 60n, max: 2n ** 200n }).map((n) => (n % 7n === 0n ? n + 1n : n)),
});

/** Objects that refer to each other at random, in circles too; the value is a list of them all. */
export const arbitraryHeap: fc.Arbitrary<(image: Image) => LispValue> = fc
  .array(node, { minLength: 1, maxLength: 30 })
  .map((nodes) => () => {
    const made = nodes.map((each) => makers[each.kind](each));
    for (const { fill } of made) fill?.((i) => made[i % made.length]!.object);
    return made.reduceRight<LispValue>((rest, { object }) => new Cons(object, rest), NIL);
  });

/**
 * Says where two graphs of Lisp data differ, or null when they are the same up to identity: each object of one stands for exactly
 * one of the other.
 */
export function difference(first: LispValue, second: LispValue): string | null {
  const there = new Map<LispValue, LispValue>();
  const back = new Map<LispValue, LispValue>();
  const work: (readonly [LispValue, LispValue, string])[] = [[first, second, "value"]];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [a, b, path] = next;
    if (typeof a !== "object" || typeof b !== "object") {
      if (a !== b) return `${path}: ${debugText(a)} is ${debugText(b)}`;
      continue;
    }
    if (there.has(a) || back.has(b)) {
      if (there.get(a) !== b || back.get(b) !== a) return `${path}: identity`;
      continue;
    }
    there.set(a, b);
    back.set(b, a);
    if (a.constructor !== b.constructor) return `${path}: ${a.constructor.name} is ${b.constructor.name}`;
    const [mine, theirs] = [describe(a), describe(b)];
    if (mine.text !== theirs.text) return `${path}: ${mine.text} is ${theirs.text}`;
    if (mine.parts.length !== theirs.parts.length) return `${path}: number of parts`;
    mine.parts.forEach((part, i) =>
      work.push([part, theirs.parts[i]!, path.length > 200 ? path : `${path}.${i}`]),
    );
  }
  return null;
}

/** What an object is besides its parts, and its parts. */
function describe(object: object): { readonly text: string; readonly parts: readonly LispValue[] } {
  if (object === NIL || object === T) return { text: object === NIL ? "NIL" : "T", parts: [] };
  if (object instanceof LSymbol) return { text: object.name, parts: [object.value] };
  if (object instanceof Cons) return { text: "cons", parts: [object.car, object.cdr] };
  if (Array.isArray(object)) return { text: "vector", parts: object };
  if (object instanceof LString) {
    const { displacement, adjustable, fillPointer, base, barren, total } = object;
    const codes = Array.from({ length: total }, (_, i) => object.code(i));
    const offset = displacement?.offset ?? -1;
    const text = JSON.stringify([codes, adjustable, fillPointer, base, barren, offset]);
    return { text, parts: displacement === null ? [] : [displacement.target] };
  }
  if (object instanceof LArray) {
    const { dims, type, fillPointer, adjustable, characters, displacement, storage } = object;
    const text = JSON.stringify([dims, type, fillPointer, adjustable, characters, displacement?.offset]);
    if (displacement !== null) return { text, parts: [displacement.target] };
    return { text, parts: [...storage] };
  }
  if (object instanceof LHashTable)
    return { text: `${object.test} ${object.size}`, parts: hashEntries(object) };
  if (object instanceof LStruct) return { text: "structure", parts: [object.layout, ...object.slots] };
  if (object instanceof StructLayout)
    return { text: object.name.name, parts: [object.name, ...object.slotNames] };
  if (object instanceof DoubleFloat || object instanceof SingleFloat)
    return { text: Object.is(object.v, -0) ? "-0" : String(object.v), parts: [] };
  if (object instanceof Ratio) return { text: "ratio", parts: [object.num, object.den] };
  if (object instanceof Complex) return { text: "complex", parts: [object.re, object.im] };
  return { text: JSON.stringify(object), parts: [] };
}
