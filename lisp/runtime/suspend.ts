/** Class of the suspension marker. */
export class Suspension {
  readonly kind = "suspension";
}

/**
 * Returned by compiled code in place of a value when the green thread is being suspended (its frames are being saved) or is
 * unwinding to an exit. Never a Lisp value.
 */
export const SUSPEND = new Suspension();
