import { FrameCode } from "../compiler/frame-code.ts";
import type { LFunction } from "../data/function.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { GreenThread, ThreadOutcome } from "./green-thread.ts";
import type { Runtime } from "./runtime.ts";

/** A thread that was started: its end, and the means to stop it. */
export interface RunningThread {
  readonly thread: GreenThread;
  readonly outcome: Promise<ThreadOutcome>;
  /** Asks the thread to unwind to its top; cleanup forms run. Safe to call at any time. */
  cancel(reason: string): void;
}

interface Job {
  readonly thread: GreenThread;
  readonly settle: (outcome: ThreadOutcome) => void;
  readonly fail: (error: unknown) => void;
  /** Waiting for the host: what it waits for has number `waits`. */
  waiting: boolean;
  waits: number;
}

/** Runs the green threads of an image in turn, giving way to the host's event loop between slices. */
export class Scheduler {
  private readonly runtime: Runtime;
  private readonly ready: Job[] = [];
  private pumping = false;
  private readonly raise: FrameCode;
  private readonly abort: FrameCode;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
    this.raise = new FrameCode(NIL, () => (_pc, locals) => runtime.trap(locals[0]));
    this.abort = new FrameCode(NIL, () => (_pc, locals) => runtime.unwindToTop(locals[0] as string));
  }

  /** Starts a thread that calls `fn` with `args`. `prepare` may set limits and the debugger before it runs. */
  start(
    name: string,
    fn: LFunction,
    args: readonly LispValue[],
    prepare?: (thread: GreenThread) => void,
  ): RunningThread {
    const thread = this.runtime.thread(name, fn, args);
    prepare?.(thread);
    const { promise, resolve, reject } = Promise.withResolvers<ThreadOutcome>();
    const job: Job = { thread, settle: resolve, fail: reject, waiting: false, waits: 0 };
    this.enqueue(job);
    return { thread, outcome: promise, cancel: (reason) => this.cancel(job, reason) };
  }

  private cancel(job: Job, reason: string): void {
    const { thread } = job;
    if (thread.outcome !== null) return;
    if (!job.waiting) {
      thread.cancelReason = reason;
      return;
    }
    thread.frames.push({ code: this.abort, pc: 0, locals: [reason] });
    this.wake(job, NIL);
  }

  private wake(job: Job, value: LispValue): void {
    job.waiting = false;
    job.waits++;
    job.thread.value = value;
    this.enqueue(job);
  }

  private enqueue(job: Job): void {
    this.ready.push(job);
    this.runtime.contended = this.ready.length > 1;
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => this.pump());
  }

  /** One slice of the first ready thread. */
  private pump(): void {
    const job = this.ready.shift();
    this.runtime.contended = this.ready.length > 0;
    if (job !== undefined) this.slice(job);
    this.pumping = this.ready.length > 0;
    if (this.pumping) setImmediate(() => this.pump());
  }

  private slice(job: Job): void {
    const { thread } = job;
    try {
      const reason = this.runtime.run(thread);
      if (reason === null) job.settle(thread.outcome!);
      else if (reason.kind === "slice") this.ready.push(job);
      else this.wait(job, reason.promise);
    } catch (error) {
      this.runtime.live.delete(thread);
      job.fail(error);
    }
  }

  private wait(job: Job, promise: Promise<LispValue>): void {
    job.waiting = true;
    const number = job.waits;
    const still = (): boolean => job.waiting && job.waits === number;
    promise.then(
      (value) => {
        if (still()) this.wake(job, value);
      },
      (error: unknown) => {
        if (!still()) return;
        job.thread.frames.push({ code: this.raise, pc: 0, locals: [error] });
        this.wake(job, NIL);
      },
    );
  }
}
