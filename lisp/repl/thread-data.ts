import type { LispAction } from "./arguments.ts";

/** Stack of an image's thread, in megabytes: enough for 100,000 Lisp frames. */
export const stackMb = 64;

/** Heap of an image's thread, in megabytes; beyond it the thread ends. */
export const maximumHeapMb = 2048;

/** What the thread is started with. */
export interface CommandThreadData {
  readonly actions: readonly LispAction[];
}
