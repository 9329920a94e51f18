import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IdleCompaction, idleCompactionAt } from "../../../../orchestrator/sessions/turns/idle-compaction.ts";

const large = { startedAt: 1_000_000, promptTokens: 32_768, summarizableCharacters: 131_072 };

describe("compaction of an idle session", () => {
  beforeEach(() => void vi.useFakeTimers({ now: large.startedAt }));
  afterEach(() => void vi.useRealTimers());

  function idle(busy: () => boolean = () => false, retentionMs: number | undefined = 1_800_000) {
    const compact = vi.fn(() => Promise.resolve());
    const failed = vi.fn();
    const parts = { retentionMs: () => retentionMs, isEnabled: () => true, isBusy: busy, compact, failed };
    return { compact, failed, compaction: new IdleCompaction({ ...parts, now: () => Date.now() }) };
  }

  it("comes two minutes before the estimated expiry of a large prompt, counted from the start of the request", () => {
    expect(idleCompactionAt(large, 1_800_000)).toBe(large.startedAt + 1_680_000);
    expect(idleCompactionAt({ ...large, promptTokens: 32_767 }, 1_800_000)).toBeUndefined();
    expect(idleCompactionAt({ ...large, summarizableCharacters: 131_071 }, 1_800_000)).toBeUndefined();
    expect(idleCompactionAt(large, undefined)).toBeUndefined();
    expect(idleCompactionAt(large, 60_000)).toBeUndefined();
  });

  it("is used once for each request, also when it fails", async () => {
    const { compact, failed, compaction } = idle();
    compact.mockRejectedValueOnce(new Error("no"));
    compaction.turnEnded(large);
    await vi.advanceTimersByTimeAsync(1_679_999);
    expect(compact).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect([compact.mock.calls.length, failed.mock.calls.length]).toEqual([1, 1]);
  });

  it("gives way to work, a draft and the end", async () => {
    const { compact, compaction } = idle(() => true);
    compaction.turnEnded(large);
    await vi.advanceTimersByTimeAsync(10_000_000);
    const other = idle();
    other.compaction.turnEnded({ ...large, startedAt: Date.now() });
    other.compaction.cancel();
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect([compact.mock.calls.length, other.compact.mock.calls.length]).toEqual([0, 0]);
  });
});
