import type { LispAction } from "./arguments.ts";

/** Stack of an image's thread, in megabytes: enough for 100,000 Lisp frames. */
export const stackMb = 64;

/** Heap of an image's thread, in megabytes; beyond it the thread ends. */
export const maximumHeapMb = 2048;

/**
 * Most that new objects take before they are collected, in megabytes. It grows only with what a program makes; programs that
 * build large structures spend half the time on collecting with the default of 48.
 */
export const maximumNurseryMb = 192;

/** What the thread is started with. */
export interface CommandThreadData {
  /** File of the saved image to start from; null for a fresh image. */
  readonly image: string | null;
  readonly actions: readonly LispAction[];
  /** What the command line has for the program. */
  readonly programArguments: readonly string[];
  /** Columns of the terminal on standard output when the command started; undefined when it is none (threads cannot ask). */
  readonly columns: number | undefined;
  /** What the evaluation is told from outside: see `interrupts.ts`. */
  readonly interrupts: Int32Array<SharedArrayBuffer>;
}
