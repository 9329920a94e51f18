import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SourcedContribution, contributionSchema } from "../../../orchestrator/advice/contribution.ts";
import { adviceText, selectContributions, sizeOf } from "../../../orchestrator/advice/selection.ts";

function note(identifier: string, changes: Partial<SourcedContribution> = {}): SourcedContribution {
  return {
    ...contributionSchema.parse({ identifier, instruction: `Do ${identifier}.` }),
    source: "test",
    ...changes,
  };
}

const names = (notes: readonly SourcedContribution[]): string[] => notes.map(({ identifier }) => identifier);

const arbitraryNote: fc.Arbitrary<SourcedContribution> = fc.record({
  identifier: fc.constantFrom("a", "b", "c", "d", "e"),
  instruction: fc.string({ minLength: 1, maxLength: 300 }).filter((text) => text.trim() !== ""),
  evidence: fc.constantFrom("", "because"),
  lifetime: fc.constantFrom("turn", "next-request", "while-relevant"),
  priority: fc.integer({ min: -3, max: 3 }),
  deduplicate: fc.constantFrom(undefined, "k1", "k2"),
  supersedes: fc.subarray(["a", "b", "c"]),
  conflicts: fc.subarray(["c", "d", "e"]),
  mandatory: fc.boolean(),
  source: fc.constantFrom("one", "two"),
});

describe("the notes of a request", () => {
  it("come by priority, mandatory ones first, in their order otherwise", () => {
    const { given } = selectContributions([
      note("low", { priority: 1 }),
      note("first"),
      note("second"),
      note("must", { mandatory: true, priority: -5 }),
      note("high", { priority: 9 }),
    ]);
    expect(names(given)).toEqual(["must", "high", "low", "first", "second"]);
  });

  it("leave out what is superseded, conflicts, repeats or does not fit, and say why", () => {
    const { given, leftOut } = selectContributions(
      [
        note("new", { supersedes: ["old"] }),
        note("old", { priority: 5 }),
        note("left", { priority: 3, conflicts: ["right"] }),
        note("right"),
        note("twin", { deduplicate: "k", priority: 2 }),
        note("copy", { deduplicate: "k" }),
        note("huge", { instruction: "x".repeat(400), priority: -9 }),
      ],
      300,
    );
    expect(names(given)).toEqual(["left", "twin", "new"]);
    expect(
      Object.fromEntries(leftOut.map(({ contribution, reason }) => [contribution.identifier, reason.kind])),
    ).toEqual({
      old: "superseded",
      right: "conflict",
      copy: "duplicate",
      huge: "budget",
    });
  });

  it("keep their rules whatever is given", () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryNote, { maxLength: 12 }),
        fc.integer({ min: 0, max: 2_000 }),
        (notes, budget) => {
          const { given, leftOut, characters } = selectContributions(notes, budget);
          expect(given.length + leftOut.length).toBe(notes.length);
          expect(characters).toBe(given.reduce((sum, each) => sum + sizeOf(each), 0));
          expect(characters).toBeLessThanOrEqual(budget);
          expect(new Set(names(given)).size).toBe(given.length);
          const keys = given.flatMap(({ deduplicate }) => deduplicate ?? []);
          expect(new Set(keys).size).toBe(keys.length);
          for (const each of given)
            for (const other of given)
              if (each !== other) expect(each.conflicts).not.toContain(other.identifier);
          // What is not given has a rival among all, or did not fit.
          for (const { contribution, reason } of leftOut)
            if (reason.kind !== "budget") expect(reason.by).not.toBe("");
            else expect(reason.characters).toBe(sizeOf(contribution));
          expect(adviceText({ given }) === undefined).toBe(given.length === 0);
        },
      ),
    );
  });
});
