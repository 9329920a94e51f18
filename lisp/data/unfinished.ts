import type { LispValue } from "./value.ts";

/** Elements that a leaf works on between two safe points: about a millisecond or two. */
export const SHARE = 131_072;

/**
 * Thrown by a leaf that has done a share of its work: the runtime looks at the clock, at cancels and at the heap, lets
 * other threads run, and then goes on with `resume`, whose value is that of the call (or which throws the next one). A leaf
 * that throws it may not be registered as total, and may not be called by other TypeScript for its value.
 */
export class Unfinished {
  readonly resume: () => LispValue;
  /** Steps of work done. */
  readonly steps: number;
  constructor(resume: () => LispValue, steps = SHARE) {
    this.resume = resume;
    this.steps = steps;
  }
}

/** The value of a computation that yields after each share of its work. */
export function inShares(work: Iterator<void, LispValue>): LispValue {
  const step = work.next();
  if (step.done === true) return step.value;
  throw new Unfinished(() => inShares(work));
}

/** Calls `body` for the numbers from `start` up to `end` a share at a time, then gives the value of `then`. */
export function forShares(
  start: number,
  end: number,
  body: (from: number, to: number) => void,
  then: () => LispValue,
): LispValue {
  const to = Math.min(end, start + SHARE);
  if (start < to) body(start, to);
  if (to >= end) return then();
  throw new Unfinished(() => forShares(to, end, body, then));
}
