import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { marksPastes } from "../../../../cli/terminal/edge/terminal-modes.ts";
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

  it("decides whether lines that come at once were typed or pasted where the terminal does not say it", () => {
    expect(
      ["xterm-256color", "tmux-256color", "screen", "foot", "linux", "vt220", "dumb", ""].map((TERM) =>
        marksPastes({ TERM }),
      ),
    ).toEqual([true, true, true, true, false, false, false, false]);
    const read = (input: string, isBehind: boolean, marks = true): readonly string[] => {
      const { presses, pasted } = pressesOf(input, noKey, { isBehind, marksPastes: marks });
      const keys = presses.map(({ name, text }) => name + text);
      return pasted === undefined ? keys : [...keys, `pasted ${pasted}`];
    };
    expect(read("one\rtwo", false)).toEqual(["pasted one\rtwo"]);
    expect(read("one\rtwo", true)).toEqual(["textone", "enter", "texttwo"]);
    expect(read("\rtwo", false)).toEqual(["enter", "texttwo"]);
    expect(read("\rtwo\rthree", false)).toEqual(["enter", "pasted two\rthree"]);
    expect(read("one\r\u0004", false)).toEqual(["textone", "enter", "controld"]);
    expect(read("one\ra", false)).toEqual(["textone", "enter", "texta"]);
    // Typed ahead: the terminal marks what is pasted, and the last line was sent.
    expect(read("one\rtwo\r", false)).toEqual(["textone", "enter", "texttwo", "enter"]);
    expect(read("one\rtwo\r", false, false)).toEqual(["pasted one\rtwo\r"]);
    const much = "line\r".repeat(300);
    expect(read(much, false)).toEqual([`pasted ${much}`]);
  });
});
