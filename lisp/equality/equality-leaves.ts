/** Registers EQ, EQL, EQUAL and EQUALP as leaves. */
import type { LeafInstaller } from "../data/leaf.ts";
import { bool } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { eql, equal, equalp } from "./equality.ts";

export const installEquality: LeafInstaller = (define) => {
  define("EQ", "x y", (x: LispValue, y: LispValue) => bool(x === y), { total: true });
  define("EQL", "x y", (x: LispValue, y: LispValue) => bool(eql(x, y)), { total: true });
  define("EQUAL", "x y", (x: LispValue, y: LispValue) => bool(equal(x, y)));
  define("EQUALP", "x y", (x: LispValue, y: LispValue) => bool(equalp(x, y)));
};
