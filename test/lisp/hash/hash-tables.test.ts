import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LHashTable, type HashTest } from "../../../lisp/data/hash-table.ts";
import type { LispValue } from "../../../lisp/data/value.ts";
import { eql, equal, equalp } from "../../../lisp/equality/equality.ts";
import { hashEntries } from "../../../lisp/hash/hash-entries.ts";
import { clearTable, getEntry, putEntry, removeEntry } from "../../../lisp/hash/hash-table-operations.ts";
import { LeafSession } from "../support/leaf-session.ts";

const session = new LeafSession();

/** Texts of keys: many that are equal under one test and different under another. Each use reads a fresh object. */
const KEYS = [
  ...[
    "a",
    "nil",
    ":k",
    "1",
    "1.0",
    "1.0d0",
    "-0.0",
    "0.0",
    "1/2",
    "0.5",
    "100000000000000000000",
    "#c(1 2)",
    "#c(1.0 2)",
  ],
  ...[
    '"abc"',
    '"ABC"',
    '""',
    "#\\a",
    "#\\A",
    "(1 2)",
    "(1 2.0)",
    '(1 (a "x"))',
    '(1 (a "X"))',
    "#(1 2)",
    "#(1.0 2)",
    "#*101",
    "#*100",
  ],
];

const TESTS: Readonly<Record<HashTest, (a: LispValue, b: LispValue) => boolean>> = {
  eq: eql,
  eql,
  equal,
  equalp,
};

/** The same by searching a list. */
class Model {
  entries: [key: LispValue, value: LispValue][] = [];
  private readonly same: (a: LispValue, b: LispValue) => boolean;
  constructor(same: (a: LispValue, b: LispValue) => boolean) {
    this.same = same;
  }
  get(key: LispValue): LispValue | undefined {
    return this.entries.find(([k]) => this.same(k, key))?.[1];
  }
  put(key: LispValue, value: LispValue): void {
    const entry = this.entries.find(([k]) => this.same(k, key));
    if (entry === undefined) this.entries.push([key, value]);
    else entry[1] = value;
  }
  remove(key: LispValue): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter(([k]) => !this.same(k, key));
    return this.entries.length < before;
  }
}

function keyOf(text: string): LispValue {
  return session.read(text)[0] as LispValue;
}

const operation = fc.record({
  kind: fc.constantFrom("put", "put", "get", "remove", "clear"),
  key: fc.constantFrom(...KEYS),
  value: fc.integer(),
});

describe.each(Object.keys(TESTS) as HashTest[])("hash table with test %s", (test) => {
  it("behaves like a list that is searched", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const table = new LHashTable(test, TESTS[test], 10, 2, 1);
        const model = new Model(TESTS[test]);
        for (const { kind, key, value } of operations) {
          const k = keyOf(key);
          if (kind === "put") {
            putEntry(table, k, value);
            model.put(k, value);
          } else if (kind === "remove") {
            expect(removeEntry(table, k)).toBe(model.remove(k));
          } else if (kind === "get") {
            expect(getEntry(table, k)).toBe(model.get(k));
          } else if (value % 5 === 0) {
            clearTable(table);
            model.entries = [];
          }
          expect(table.count).toBe(model.entries.length);
        }
        const numeric = (a: LispValue, b: LispValue): number => Number(a) - Number(b);
        const values = hashEntries(table).filter((_, i) => i % 2 === 1);
        expect(values.toSorted(numeric)).toEqual(model.entries.map(([, value]) => value).toSorted(numeric));
      }),
    );
  });
});
