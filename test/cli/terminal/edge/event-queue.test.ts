import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventQueue } from "../../../../cli/terminal/edge/event-queue.ts";

describe("the queue of events", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("hands a burst on as one, at once after a quiet time and once a frame in a stream", () => {
    const batches: (readonly number[])[] = [];
    const queue = new EventQueue<number>((items) => batches.push(items));
    vi.advanceTimersByTime(1_000);
    for (let count = 0; count < 1_000; count += 1) queue.push(count);
    vi.advanceTimersByTime(1);
    expect(batches.map(({ length }) => length)).toEqual([1_000]);
    // A delta each millisecond for a second: at most thirty-one drawings, every delta in order.
    for (let count = 0; count < 1_000; count += 1) {
      queue.push(count);
      vi.advanceTimersByTime(1);
    }
    queue.flush();
    expect(batches.length).toBeLessThanOrEqual(32);
    expect(batches.slice(1).flat()).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("forgets and filters what waits", () => {
    const batches: (readonly number[])[] = [];
    const queue = new EventQueue<number>((items) => batches.push(items));
    for (const item of [1, 2, 3]) queue.push(item);
    queue.keep((item) => item > 1);
    queue.flush();
    queue.push(4);
    queue.clear();
    vi.runAllTimers();
    expect(batches).toEqual([[2, 3]]);
  });
});
