import { describe, expect, it } from "vitest";
import { arrayToList, Cons } from "../../../lisp/data/cons.ts";
import { LispError } from "../../../lisp/data/error.ts";
import { NIL } from "../../../lisp/data/symbol.ts";
import type { LispValue } from "../../../lisp/data/value.ts";
import { equal } from "../../../lisp/equality/equality.ts";
import { installLists } from "../../../lisp/sequences/list-leaves.ts";
import { installPropertyLists } from "../../../lisp/sequences/property-list-leaves.ts";
import { installSequences } from "../../../lisp/sequences/sequence-leaves.ts";
import { LeafSession } from "../support/leaf-session.ts";

const { host } = new LeafSession(installLists, installPropertyLists, installSequences);

function call(name: string, ...args: LispValue[]): LispValue {
  const leaf = host.leaves.get(name);
  if (leaf === undefined) throw new Error(`no leaf ${name}`);
  return leaf(...args);
}

/** A list of `length` numbers counting up to `period` again and again, whose last cell leads back to the cell at `back`. */
function circular(length: number, back = 0, period = length): Cons {
  const list = arrayToList(Array.from({ length }, (_, i) => i % period)) as Cons;
  let last = list;
  let target = list;
  for (let i = 0; i < back; i++) target = target.cdr as Cons;
  while (last.cdr !== NIL) last = last.cdr as Cons;
  last.cdr = target;
  return list;
}

describe("circular lists end every leaf", () => {
  it.each(["COPY-LIST", "COPY-ALIST", "LENGTH", "REVERSE", "LAST", "BUTLAST", "COPY-SEQ"])("%s", (name) => {
    for (const [length, back] of [
      [1, 0],
      [3, 0],
      [100, 37],
      [5000, 4999],
    ] as const) {
      expect(() => call(name, circular(length, back))).toThrow(LispError);
    }
  });

  it("LIST-LENGTH tells them by NIL", () => {
    expect(call("LIST-LENGTH", circular(10, 3))).toBe(NIL);
  });

  it("NTHCDR goes round as often as asked", () => {
    const list = circular(7, 3);
    // Three cells lead in, then a circle of four: cell n is 3 + (n - 3) mod 4.
    for (const n of [2, 3, 6, 7, 1003, 1_000_000_007, 10n ** 30n]) {
      const expected = Number(n) < 3 ? Number(n) : 3 + Number((BigInt(n) - 3n) % 4n);
      expect((call("NTHCDR", n, list) as Cons).car).toBe(expected);
    }
  });

  it("EQUAL of two circular lists ends with a storage condition", () => {
    expect(() => equal(circular(3), circular(6, 0, 3))).toThrow(LispError);
  });
});

describe("deep structures", () => {
  const depth = 200_000;
  function deep(): LispValue {
    let tree: LispValue = NIL;
    for (let i = 0; i < depth; i++) tree = new Cons(tree, i);
    return tree;
  }

  it("are copied and compared without recursion", () => {
    const tree = deep();
    const copy = call("COPY-TREE", tree);
    expect(copy === tree).toBe(false);
    expect(equal(copy, tree)).toBe(true);
  });
});
