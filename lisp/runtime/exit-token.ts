import type { LispValue } from "../data/value.ts";

/** Identity of a non-local exit: an activation of a block or tagbody, a catch, or the top of a thread. */
export class ExitToken {
  live = true;
  /** Number of binding-stack entries when it was made. */
  readonly depth: number;
  constructor(depth: number) {
    this.depth = depth;
  }
}

/** A CATCH in force. */
export class CatchToken extends ExitToken {
  readonly tag: LispValue;
  constructor(depth: number, tag: LispValue) {
    super(depth);
    this.tag = tag;
  }
}
