import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ContinuityFacts, classify } from "../../../orchestrator/continuity/classification.ts";

const nothing: ContinuityFacts = {
  live: false,
  unreadable: false,
  ended: false,
  abandoned: false,
  reviveClaimed: false,
  checkpointUsable: false,
  restartSafe: false,
  restartable: false,
};

/** The questions in their order: what comes earlier decides, whatever follows. */
const order: readonly (readonly [Partial<ContinuityFacts>, string])[] = [
  [{ live: true }, "live-owned-detached"],
  [{ unreadable: true }, "dead-needing-decision"],
  [{ ended: true }, "completed"],
  [{ abandoned: true }, "abandoned"],
  [{ reviveClaimed: true }, "dead-needing-decision"],
  [{ checkpointUsable: true }, "reconstructible-checkpoint"],
  [{ restartSafe: true, restartable: true }, "safe-restartable-specification"],
];

const facts = fc.record<ContinuityFacts>({
  live: fc.boolean(),
  unreadable: fc.boolean(),
  ended: fc.boolean(),
  abandoned: fc.boolean(),
  reviveClaimed: fc.boolean(),
  checkpointUsable: fc.boolean(),
  restartSafe: fc.boolean(),
  restartable: fc.boolean(),
});

describe("the class of a retained job", () => {
  it("property: the first question that is answered decides", () => {
    fc.assert(
      fc.property(facts, fc.integer({ min: 0, max: order.length - 1 }), (rest, place) => {
        const [own, expected] = order[place] ?? [{}, ""];
        const earlier = Object.fromEntries(
          order.slice(0, place).flatMap(([each]) => Object.keys(each).map((key) => [key, false])),
        );
        expect(classify({ ...rest, ...earlier, ...own })).toBe(expected);
      }),
    );
  });

  it("a safety rationale alone, or a whole specification alone, is no permission to start again", () => {
    expect(classify(nothing)).toBe("dead-needing-decision");
    expect(classify({ ...nothing, restartSafe: true })).toBe("dead-needing-decision");
    expect(classify({ ...nothing, restartable: true })).toBe("dead-needing-decision");
  });
});
