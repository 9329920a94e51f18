/**
 * Any Lisp value as JavaScript sees it. JavaScript strings, booleans, `undefined` and `null` are never Lisp values.
 *
 * - `number`: a fixnum, always a safe integer and never `-0`; `bigint`: an integer outside the safe range, normalised.
 * - `LispValue[]` (a plain JavaScript array): a simple-vector.
 * - everything else is an instance of one of the classes of `lisp/data` or of a class built on them.
 *
 * Narrow with `typeof`, `Array.isArray` and `instanceof`.
 */
export type LispValue = number | bigint | object;
