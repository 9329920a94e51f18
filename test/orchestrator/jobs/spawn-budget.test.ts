import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpawnBudget } from "../../../orchestrator/jobs/spawn-budget.ts";

const code = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("the budget of a conversation's children", () => {
  it("refuses what exceeds the total, with both numbers, and takes nothing of it", () => {
    const budget = new SpawnBudget({ total: 5, perMinute: 100 }, 2);
    budget.take(2, 0, false);
    expect(() => budget.take(2, 0, false)).toThrow(/4 children and 2 more.*at most 5/);
    expect(code(() => budget.take(1, 0, false))).toBeUndefined();
    expect(code(() => budget.take(1, 0, false))).toBe("spawn-total-limit");
  });

  it("refuses what is too fast, says when it may go on, and then takes it", () => {
    const budget = new SpawnBudget({ total: 100, perMinute: 3 });
    budget.take(2, 1_000, false);
    budget.take(1, 5_000, false);
    try {
      budget.take(2, 6_000, false);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "spawn-rate-limit", retry: "retryable", retryAfterMs: 55_000 });
      expect(String(error)).toContain("at most 3 a minute");
    }
    expect(code(() => budget.take(2, 61_000, false))).toBeUndefined();
  });

  it("counts what another host admitted within the last minute, and no clock holds it up", () => {
    const budget = new SpawnBudget({ total: 100, perMinute: 3 }, 5, [10_000, 50_000, 900_000]);
    budget.take(1, 60_000, false);
    expect(code(() => budget.take(1, 60_000, false))).toBe("spawn-rate-limit");
    expect(code(() => budget.take(1, 70_000, false))).toBeUndefined();
  });

  it("admits two in a hurry, in all, until the hurry is over", () => {
    const budget = new SpawnBudget({ total: 100, perMinute: 100 });
    budget.take(50, 0, false);
    budget.take(2, 0, true);
    expect(code(() => budget.take(1, 0, true))).toBe("hurry-up-limit");
    budget.take(1, 0, false);
    budget.take(1, 0, true);
    expect(code(() => budget.take(2, 0, true))).toBe("hurry-up-limit");
  });

  it("what was refused later is given back", () => {
    const budget = new SpawnBudget({ total: 4, perMinute: 4 });
    budget.take(4, 0, false);
    budget.giveBack(3);
    expect(code(() => budget.take(3, 0, false))).toBeUndefined();
    expect(code(() => budget.take(1, 0, false))).toBe("spawn-total-limit");
  });

  it("property: never more than the bound within any minute, and never refused below it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 40_000 })), {
          maxLength: 60,
        }),
        (steps) => {
          const budget = new SpawnBudget({ total: 10_000, perMinute: 7 });
          const taken: number[] = [];
          let now = 0;
          for (const [count, passed] of steps) {
            now += passed;
            const within = taken.filter((at) => at > now - 60_000).length;
            const refused = code(() => budget.take(count, now, false)) !== undefined;
            expect(refused).toBe(within + count > 7);
            if (!refused) taken.push(...Array.from({ length: count }, () => now));
          }
        },
      ),
    );
  });
});
