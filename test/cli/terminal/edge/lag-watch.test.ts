import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LagWatch } from "../../../../cli/terminal/edge/lag-watch.ts";
import { type InkKey, pressesOf } from "../../../../cli/terminal/screen/key-press.ts";

const noKey = { eventType: "press" } as unknown as InkKey;

describe("the watch of delays", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is behind for a moment after the program was busy, and never while it is on time or idle", () => {
    let now = 0;
    const pass = (ms: number): void => {
      now += ms;
      vi.advanceTimersByTime(ms);
    };
    const watch = new LagWatch(() => now);
    now += 10_000;
    expect(watch.isBehind).toBe(false);
    watch.watch(true);
    for (let looks = 0; looks < 8; looks += 1) pass(25);
    expect(watch.isBehind).toBe(false);
    // Nothing runs for 300 ms; then the timer, then the keys.
    now += 300;
    expect(watch.isBehind).toBe(true);
    pass(25);
    expect(watch.isBehind).toBe(true);
    for (let looks = 0; looks < 4; looks += 1) pass(25);
    expect(watch.isBehind).toBe(false);
    watch.watch(false);
    now += 10_000;
    expect(watch.isBehind).toBe(false);
  });

  it("decides whether lines that come at once were typed or pasted", () => {
    expect(pressesOf("one\rtwo", noKey, false)).toEqual({ pasted: "one\rtwo" });
    const typed = pressesOf("one\rtwo", noKey, true);
    expect("presses" in typed && typed.presses.map(({ name, text }) => name + text)).toEqual([
      "textone",
      "enter",
      "texttwo",
    ]);
  });
});
