import type { Asking } from "../compiler/analysis.ts";
import type { Tail } from "../compiler/evaluate.ts";
import { FrameCode } from "../compiler/frame-code.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { type Runtime, call } from "./runtime.ts";
import { SUSPEND } from "./suspend.ts";

/**
 * Runs a computation that asks for Lisp calls, as a frame that can be suspended between them. Its errors are signalled in
 * place; an exit through it abandons it.
 */
export class CoroutineDriver {
  private readonly runtime: Runtime;
  private readonly frame: FrameCode;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
    this.frame = new FrameCode(
      NIL,
      () => (_pc, locals, value) => this.drive(locals[0] as Asking<Tail>, value),
    );
  }

  drive(computation: Asking<Tail>, input: LispValue): LispValue {
    const { runtime } = this;
    let value = input;
    for (;;) {
      if (value === SUSPEND) return runtime.unwinding ?? runtime.save(this.frame, 0, [computation]);
      let step: IteratorResult<{ fn: Parameters<typeof call>[0]; args: readonly LispValue[] }, Tail>;
      try {
        step = computation.next(value);
      } catch (error) {
        return runtime.trap(error);
      }
      if (step.done === true) {
        const tail = step.value;
        if (tail.kind === "values") {
          runtime.mv = tail.values.length === 1 ? null : [...tail.values];
          return tail.values[0] ?? NIL;
        }
        runtime.mv = null;
        return call(tail.call.fn, ...tail.call.args);
      }
      value = call(step.value.fn, ...step.value.args);
    }
  }
}
