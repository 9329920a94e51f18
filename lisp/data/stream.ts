/** Base of all stream classes; the classes themselves are in `lisp/streams`. */
export abstract class LStream {
  /** False once closed. */
  open = true;
  abstract readonly input: boolean;
  abstract readonly output: boolean;
}
