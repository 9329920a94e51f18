/** The conditions numbers signal. Each function throws and never returns. */
import { LispError } from "../data/errors.ts";

/** TYPE-ERROR; the expected type is given as text of a type specifier. */
export function typeError(datum: unknown, expected: string): never {
  throw new LispError("TYPE-ERROR", { datum, expected });
}
