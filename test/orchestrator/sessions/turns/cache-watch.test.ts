import { describe, expect, it } from "vitest";
import { CacheWatch } from "../../../../orchestrator/sessions/turns/cache-watch.ts";

const usage = (cachedInputTokens: number | undefined, inputTokens = 100_000) => ({
  inputTokens,
  ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
});

describe("cache notices", () => {
  it("tells of lost reads from 128 tokens on, small losses added up", () => {
    const watch = new CacheWatch();
    expect(watch.answered(usage(10_000), 1_000)).toBeUndefined();
    expect(watch.answered(usage(9_900), 1_000)).toBeUndefined();
    expect(watch.answered(usage(9_850), 1_000)).toContain("150 tokens");
    expect(watch.answered(usage(9_850 - 127), 1_000)).toBeUndefined();
  });

  it("tells of reads that stay flat while the history grows, also slowly", () => {
    const watch = new CacheWatch();
    watch.answered(usage(10_000), 100_000);
    expect(watch.answered(usage(10_000), 110_000)).toBeUndefined();
    expect(watch.answered(usage(10_000), 117_000)).toContain("17000 characters");
  });

  it("begins anew after a reset, and infers nothing without counters", () => {
    const watch = new CacheWatch();
    watch.answered(usage(10_000), 1_000);
    watch.reset();
    expect(watch.answered(usage(0), 1_000)).toBeUndefined();
    expect(watch.answered(usage(undefined), 900_000)).toBeUndefined();
  });
});
