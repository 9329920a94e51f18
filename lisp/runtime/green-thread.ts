import type { FrameCode } from "../compiler/frame-code.ts";
import type { LFunction, SourceLocation } from "../data/function.ts";
import type { LispValue } from "../data/value.ts";
import { ExitToken } from "./exit-token.ts";

/** A captured frame: where to go on and with which locals. */
export interface Frame {
  readonly code: FrameCode;
  readonly pc: number;
  readonly locals: readonly unknown[];
}

/** Why a thread gave up the processor. */
export type SuspendReason =
  | { readonly kind: "slice" }
  /** Waits for the host; resumed with the value, or with an error that is signalled in place. */
  | { readonly kind: "wait"; readonly promise: Promise<LispValue> };

/** How an evaluation ended. */
export type ThreadOutcome =
  | { readonly kind: "values"; readonly values: readonly LispValue[] }
  /** Unwound to the top: cancelled, aborted, or ended by a bound. */
  | { readonly kind: "unwound"; readonly reason: string }
  /** Left by QUIT. */
  | { readonly kind: "quit"; readonly code: number };

/** A condition nobody handled, as the debugger port gets it. The answer is a list: a restart and arguments for it. */
export interface UnhandledReport {
  readonly condition: LispValue;
  /** What the condition reports. */
  readonly text: string;
  /** Printed type of the condition. */
  readonly type: string;
  /** Names and printed values of its slots. */
  readonly slots: readonly { readonly name: string; readonly value: string }[];
  /** Live restarts, innermost first, and what they say of themselves. */
  readonly restarts: readonly {
    readonly restart: LispValue;
    readonly name: string;
    readonly text: string;
    /** Lambda list as text, without parentheses. */
    readonly parameters: string;
  }[];
  /** Why it is asked about again: what was wrong with the answer before. */
  readonly note?: string;
}

/** One evaluation with its own stack, dynamic bindings and values. */
export class GreenThread {
  readonly id: number;
  readonly name: string;
  /** Captured frames, outermost first. */
  frames: Frame[];
  /** Dynamic bindings, as pairs symbol, outer value (while running) or own value (while switched out). */
  bindings: LispValue[] = [];
  mv: LispValue[] | null = null;
  /** Value the innermost frame is resumed with. */
  value: LispValue;
  /** Unwinding to this token ends the thread. */
  readonly top = new ExitToken(0);
  topReason = "aborted";
  /** The condition that no handler took, when that ended the thread. */
  unhandled: LispValue | null = null;
  /** What that condition reports, and its type as text. */
  unhandledText: {
    readonly text: string;
    readonly type: string;
    /** Top-level form being evaluated. */
    readonly location: SourceLocation | null;
  } | null = null;
  /** Asks whoever started the thread what to do about a condition nobody handled; null ends the thread. */
  debugger: ((condition: UnhandledReport) => Promise<LispValue>) | null = null;
  quitCode: number | null = null;
  /** Why cancel was asked for; null when it was not. */
  cancelReason: string | null = null;
  /** Steps taken: calls and loop rounds, counted in slices. */
  steps = 0;
  /** Most steps it may take. */
  stepLimit = Number.POSITIVE_INFINITY;
  outcome: ThreadOutcome | null = null;

  constructor(id: number, name: string, start: Frame, value: LispValue) {
    this.id = id;
    this.name = name;
    this.frames = [start];
    this.value = value;
  }
}

/** Starts a call of a function with arguments when resumed. */
export function callFrame(code: FrameCode, fn: LFunction, args: readonly LispValue[]): Frame {
  return { code, pc: 0, locals: [fn, args] };
}
