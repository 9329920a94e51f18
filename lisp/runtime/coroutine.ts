import { type Asking, FORMS_IN_SHARE, type LispCall, SAFE_POINT } from "../compiler/analysis.ts";
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
  /** Stopped at a safe point after a call, whose value is kept. */
  private readonly paused: FrameCode;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
    this.frame = new FrameCode(
      NIL,
      () => (_pc, locals, value) => this.drive(locals[0] as Asking<Tail>, value),
    );
    this.paused = new FrameCode(
      NIL,
      () => (_pc, locals, value) =>
        value === SUSPEND
          ? (runtime.unwinding ?? runtime.save(this.paused, 0, locals))
          : this.drive(locals[0] as Asking<Tail>, locals[1] as LispValue),
    );
  }

  drive(computation: Asking<Tail>, input: LispValue): LispValue {
    const { runtime } = this;
    let value = input;
    for (;;) {
      if (value === SUSPEND) return runtime.unwinding ?? runtime.save(this.frame, 0, [computation]);
      let step: IteratorResult<LispCall | typeof SAFE_POINT, Tail>;
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
      const asked = step.value;
      if (asked === SAFE_POINT) {
        runtime.budget -= FORMS_IN_SHARE;
        value = NIL;
      } else value = call(asked.fn, ...asked.args);
      // Behind the call: what is resumed gets on by a step at least.
      if (value !== SUSPEND && --runtime.budget < 0 && runtime.tick() === SUSPEND)
        return runtime.unwinding ?? runtime.save(this.paused, 0, [computation, value]);
    }
  }
}
