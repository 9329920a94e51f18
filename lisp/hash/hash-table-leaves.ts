/** Registers hash tables (chapter 18), except what takes functions, as leaves. */
import { typeError } from "../data/error.ts";
import { LFunction } from "../data/function.ts";
import { type HashTest, LHashTable } from "../data/hash-table.ts";
import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { bool, LSymbol, NIL, symbolFunction, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { eql, equal, equalp } from "../equality/equality.ts";
import { isReal, compareReal } from "../numbers/arithmetic.ts";
import { sxhash } from "./hash-codes.ts";
import { clearTable, getEntry, putEntry, removeEntry } from "./hash-table-operations.ts";

const TESTS: readonly HashTest[] = ["eq", "eql", "equal", "equalp"];

/** How keys are compared by each test. */
export const COMPARISONS: Readonly<Record<HashTest, (a: LispValue, b: LispValue) => boolean>> = {
  eq: eql,
  eql,
  equal,
  equalp,
};

function testOf(host: LeafHost, designator: LispValue | undefined): HashTest {
  if (designator === undefined) return "eql";
  for (const test of TESTS) {
    const symbol = host.symbol(test.toUpperCase());
    if (designator === symbol) return test;
    if (
      designator instanceof LFunction &&
      (symbolFunction(symbol) === designator || designator.info.name === symbol)
    )
      return test;
  }
  throw typeError(designator, "(MEMBER EQ EQL EQUAL EQUALP)");
}

function requireTable(x: LispValue): LHashTable {
  if (x instanceof LHashTable) return x;
  throw typeError(x, "HASH-TABLE");
}

function checkSizes(size: LispValue, rehashSize: LispValue, threshold: LispValue): void {
  if ((typeof size !== "number" && typeof size !== "bigint") || size < 0)
    throw typeError(size, "UNSIGNED-BYTE");
  const isFloat = rehashSize instanceof SingleFloat || rehashSize instanceof DoubleFloat;
  if (isFloat ? rehashSize.v <= 1 : typeof rehashSize !== "number" || rehashSize < 1) {
    throw typeError(rehashSize, "(OR (INTEGER 1 *) (FLOAT (1.0) *))");
  }
  if (!isReal(threshold) || compareReal(threshold, 0) < 0 || compareReal(threshold, 1) > 0) {
    throw typeError(threshold, "(REAL 0 1)");
  }
}

/** Making, reading and changing hash tables. */
export const installHashTables: LeafInstaller = (define, host) => {
  define(
    "MAKE-HASH-TABLE",
    "&key test size rehash-size rehash-threshold weakness synchronized hash-function",
    (
      test?: LispValue,
      size: LispValue = 14,
      rehashSize: LispValue = new SingleFloat(1.5),
      threshold: LispValue = new SingleFloat(1),
    ) => {
      checkSizes(size, rehashSize, threshold);
      const kind = testOf(host, test);
      return new LHashTable(kind, COMPARISONS[kind], Number(size), rehashSize, threshold);
    },
  );
  define(
    "GETHASH",
    "key hash-table &optional default",
    (key: LispValue, table: LispValue, otherwise: LispValue = NIL) => {
      const value = getEntry(requireTable(table), key);
      return value === undefined ? host.values(otherwise, NIL) : host.values(value, T);
    },
    { values: true },
  );
  define(
    "(SETF GETHASH)",
    "value key hash-table &optional default",
    (value: LispValue, key: LispValue, table: LispValue) => {
      putEntry(requireTable(table), key, value);
      return value;
    },
  );
  define("REMHASH", "key hash-table", (key: LispValue, table: LispValue) =>
    bool(removeEntry(requireTable(table), key)),
  );
  define("CLRHASH", "hash-table", (table: LispValue) => {
    clearTable(requireTable(table));
    return table;
  });
  define("HASH-TABLE-P", "object", (x: LispValue) => bool(x instanceof LHashTable), { total: true });
  define("HASH-TABLE-COUNT", "hash-table", (table: LispValue) => requireTable(table).count);
  define("HASH-TABLE-SIZE", "hash-table", (table: LispValue) => {
    const { size, count } = requireTable(table);
    return Math.max(size, count);
  });
  define("HASH-TABLE-REHASH-SIZE", "hash-table", (table: LispValue) => requireTable(table).rehashSize);
  define(
    "HASH-TABLE-REHASH-THRESHOLD",
    "hash-table",
    (table: LispValue) => requireTable(table).rehashThreshold,
  );
  define("HASH-TABLE-TEST", "hash-table", (table: LispValue): LSymbol =>
    host.symbol(requireTable(table).test.toUpperCase()),
  );
  define("SXHASH", "object", (x: LispValue) => sxhash(x));
};
