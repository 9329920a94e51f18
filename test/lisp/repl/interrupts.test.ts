import { describe, expect, it } from "vitest";
import { insists, interruptKind, interruptWord, tellInterrupt } from "../../../lisp/repl/interrupts.ts";

describe("insisting on an interrupt", () => {
  it("takes a second signal within a second, while nothing has taken the first", () => {
    const word = interruptWord();
    expect(insists(word, Number.NEGATIVE_INFINITY, 0)).toBe(false);
    tellInterrupt(word, interruptKind.signal);
    expect(insists(word, 0, 999)).toBe(true);
    expect(insists(word, 0, 1_000)).toBe(false);
    Atomics.store(word, 0, interruptKind.none);
    expect(insists(word, 0, 10)).toBe(false);
  });
});
