/** Operators of any number of arguments, which are many or long now and then: then the work is made in shares. */
import { SHARE, inShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { isMeasured, stepsOf } from "./integer-size.ts";
import { inSteps } from "../data/long-work.ts";

/** Arguments that are taken at once. */
const QUICK_ARGUMENTS = 4_096;

/** Steps that an argument counts for beyond one, when it is a long integer: products take longer than sums. */
const WEIGHT = 8;

/**
 * `combine` of what came of the earlier arguments and the next one, from `args[from]` on; at the end the value of `finish`. A state
 * or an argument that is a long integer is reason enough to look at the clock.
 */
export function foldArguments<S>(
  args: readonly LispValue[],
  from: number,
  first: S,
  combine: (state: S, x: LispValue, index: number) => S,
  finish: (state: S) => LispValue,
): LispValue {
  let state = first;
  for (let i = from; i < args.length; i++) {
    if (isLong(state) || isLong(args[i]) || i - from === QUICK_ARGUMENTS)
      return inShares(foldSteps(args, i, state, combine, finish));
    state = combine(state, args[i]!, i);
  }
  return finish(state);
}

function isLong(x: unknown): boolean {
  return typeof x === "bigint" && isMeasured(x);
}

function* foldSteps<S>(
  args: readonly LispValue[],
  from: number,
  first: S,
  combine: (state: S, x: LispValue, index: number) => S,
  finish: (state: S) => LispValue,
): Generator<void, LispValue> {
  let state = first;
  let done = 0;
  for (let i = from; i < args.length; i++) {
    const x = args[i]!;
    const before = state;
    if (isLong(before) || isLong(x)) state = yield* inSteps(() => combine(before, x, i));
    else state = combine(before, x, i);
    done += 1 + WEIGHT * (stepsOf(state) + stepsOf(x));
    if (done > SHARE) {
      done = 0;
      yield;
    }
  }
  return finish(state);
}
