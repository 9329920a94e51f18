import { expect } from "vitest";

/** `expect.poll` with a bound that holds on a busy machine: the assertion is tried until it holds, for ten seconds at most. */
export function eventually<T>(read: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: 45_000, interval: 10 });
}
