/** Registers EQ, EQL, EQUAL and EQUALP as leaves. */
import { Cons } from "../data/cons.ts";
import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { bool, T } from "../data/symbol.ts";
import { SHARE, Unfinished } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { Comparison, eql, equal, equalLeaf, equalpLeaf } from "./equality.ts";

/** The result of a comparison as a Lisp boolean, found in shares. */
function answer(host: LeafHost, comparison: Comparison): LispValue {
  const result = comparison.run(SHARE);
  if (result === undefined) throw new Unfinished(() => answer(host, comparison));
  host.charge(comparison.steps % SHARE);
  return bool(result);
}

export const installEquality: LeafInstaller = (define, host) => {
  define("EQ", "x y", (x: LispValue, y: LispValue) => bool(x === y), { total: true });
  define("EQL", "x y", (x: LispValue, y: LispValue) => bool(eql(x, y)), { total: true });
  define("EQUAL", "x y", (x: LispValue, y: LispValue) =>
    x instanceof Cons && y instanceof Cons
      ? answer(host, new Comparison(x, y, equalLeaf))
      : bool(equal(x, y)),
  );
  define("EQUALP", "x y", (x: LispValue, y: LispValue) =>
    x === y ? T : answer(host, new Comparison(x, y, equalpLeaf)),
  );
};
