/**
 * Long operations on integers inside computations that know nothing of safe points. Where a division or the like would take long, it
 * is not made in place: `longOperation` throws what would make it step by step, the whole computation is given up, the steps are
 * made one by one, and the computation is made again, with the answer at hand this time. So whatever computes with integers
 * may be interrupted, as long as it has no effects before its last long operation.
 */
import type { LispValue } from "./value.ts";
import { Unfinished, inShares } from "./unfinished.ts";

/** Thrown in place of the answer of a long operation: whoever called the computation makes it by `inSteps`. */
export class LongOperation {
  readonly steps: Iterator<void, unknown>;
  constructor(steps: Iterator<void, unknown>) {
    this.steps = steps;
  }
}

/** What the long operations of a computation gave, in the order in which they were asked for. */
interface Answers {
  readonly known: unknown[];
  used: number;
}

/** Answers for the computation that is running right now; set for the time of one synchronous call. */
let current: Answers | null = null;

/** The value of an operation of many steps. */
export function longOperation<V>(begin: () => Iterator<void, V>): V {
  if (current !== null && current.used < current.known.length) return current.known[current.used++] as V;
  throw new LongOperation(begin());
}

/** Makes the computation with what is known; the operation that it lacks, or its value. */
function attempt<V>(compute: () => V, known: unknown[]): { readonly value: V } | LongOperation {
  const outer = current;
  current = { known, used: 0 };
  try {
    return { value: compute() };
  } catch (error) {
    if (error instanceof LongOperation) return error;
    throw error;
  } finally {
    current = outer;
  }
}

/** Makes a computation, yielding after each step of its long operations. */
export function* inSteps<V>(compute: () => V): Generator<void, V> {
  const known: unknown[] = [];
  for (;;) {
    const outcome = attempt(compute, known);
    if (!(outcome instanceof LongOperation)) return outcome.value;
    for (;;) {
      const step = outcome.steps.next();
      if (step.done === true) {
        known.push(step.value);
        break;
      }
      yield;
    }
    yield;
  }
}

/** Part of a computation that is worth a safe point of its own, and is not made again with the rest. */
export function longPart<V>(compute: () => V): V {
  return longOperation(() => inSteps(compute));
}

/** The call of a leaf that met a long operation, to be made again in shares. */
export function unfinishedCall(compute: () => LispValue): Unfinished {
  return new Unfinished(() => inShares(inSteps(compute)));
}
