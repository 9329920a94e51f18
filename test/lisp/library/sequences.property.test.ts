import { array, assert, boolean, integer, nat, property, record, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

const digits = array(integer({ min: 0, max: 5 }), { maxLength: 12 });

/** A way to write a sequence of digits in Lisp, and the way the printer shows one. */
const kinds = [
  {
    make: (items: readonly number[]) => `(list ${items.join(" ")})`,
    show: (items: readonly number[]) => (items.length === 0 ? "NIL" : `(${items.join(" ")})`),
  },
  {
    make: (items: readonly number[]) => `(vector ${items.join(" ")})`,
    show: (items: readonly number[]) => `#(${items.join(" ")})`,
  },
  {
    make: (items: readonly number[]) =>
      `(make-array ${items.length} :element-type '(unsigned-byte 8) :initial-contents '(${items.join(" ")}))`,
    show: (items: readonly number[]) => `#(${items.join(" ")})`,
  },
  {
    make: (items: readonly number[]) => `(copy-seq "${items.join("")}")`,
    show: (items: readonly number[]) => `"${items.join("")}"`,
  },
] as const;

const kindIndex = nat({ max: kinds.length - 1 });
const element = (kind: number, item: number): string => (kind === 3 ? `#\\${item}` : String(item));

const windowed = record({ items: digits, from: nat(), to: nat(), fromEnd: boolean() }).map((r) => {
  const start = r.items.length === 0 ? 0 : r.from % (r.items.length + 1);
  const end = start + (r.to % (r.items.length - start + 1));
  return { ...r, start, end, options: `:start ${start} :end ${end} :from-end ${r.fromEnd ? "t" : "nil"}` };
});

describe("sequence functions against a model", () => {
  const text = lispSession();

  it("finds, counts and locates", () => {
    assert(
      property(windowed, kindIndex, integer({ min: 0, max: 5 }), (w, kind, item) => {
        const sequence = kinds[kind]!.make(w.items);
        const hits = w.items.flatMap((x, i) => (x === item && i >= w.start && i < w.end ? [i] : []));
        const hit = w.fromEnd ? hits.at(-1) : hits[0];
        const wanted = element(kind, item);
        expect(text(`(position ${wanted} ${sequence} ${w.options})`)).toBe(`(${hit ?? "NIL"})`);
        expect(text(`(position-if (lambda (x) (eql x ${wanted})) ${sequence} ${w.options})`)).toBe(
          `(${hit ?? "NIL"})`,
        );
        expect(text(`(count ${wanted} ${sequence} ${w.options})`)).toBe(`(${hits.length})`);
        expect(text(`(find ${wanted} ${sequence} ${w.options})`)).toBe(
          `(${hit === undefined ? "NIL" : wanted})`,
        );
      }),
      { numRuns: 150 },
    );
  });

  it("removes and substitutes the right ones", () => {
    assert(
      property(windowed, kindIndex, integer({ min: 0, max: 5 }), nat({ max: 3 }), (w, kind, item, count) => {
        const { make, show } = kinds[kind]!;
        const hits = w.items.flatMap((x, i) => (x === item && i >= w.start && i < w.end ? [i] : []));
        const chosen = new Set(
          w.fromEnd ? hits.slice(Math.max(0, hits.length - count)) : hits.slice(0, count),
        );
        const wanted = element(kind, item);
        const kept = w.items.filter((_, i) => !chosen.has(i));
        const changed = w.items.map((x, i) => (chosen.has(i) ? 9 : x));
        const options = `${w.options} :count ${count}`;
        expect(text(`(remove ${wanted} ${make(w.items)} ${options})`)).toBe(`(${show(kept)})`);
        expect(text(`(delete ${wanted} ${make(w.items)} ${options})`)).toBe(`(${show(kept)})`);
        expect(text(`(substitute ${element(kind, 9)} ${wanted} ${make(w.items)} ${options})`)).toBe(
          `(${show(changed)})`,
        );
        expect(text(`(nsubstitute ${element(kind, 9)} ${wanted} ${make(w.items)} ${options})`)).toBe(
          `(${show(changed)})`,
        );
      }),
      { numRuns: 150 },
    );
  });

  it("sorts stably, with and without a key", () => {
    const pairs = array(tuple(integer({ min: 0, max: 9 }), nat()), { maxLength: 60 });
    assert(
      property(pairs, boolean(), (items, vector) => {
        const make = `(${vector ? "vector" : "list"} ${items.map(([a, b]) => `(cons ${a} ${b})`).join(" ")})`;
        const sorted = items.toSorted(([a], [b]) => a - b).map(([a, b]) => `(${a} . ${b})`);
        const shown = sorted.length === 0 ? "NIL" : `(${sorted.join(" ")})`;
        const asList = (form: string): string => text(`(coerce ${form} 'list)`);
        expect(asList(`(stable-sort ${make} #'< :key #'car)`)).toBe(`(${shown})`);
        expect(asList(`(stable-sort ${make} (lambda (x y) (< (car x) (car y))))`)).toBe(`(${shown})`);
      }),
      { numRuns: 100 },
    );
  });
});
