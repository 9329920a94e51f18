/** The conditions numbers signal. Each function throws and never returns. */
import { arrayToList } from "../data/cons.ts";
import { LispError, storageError, typeError as makeTypeError } from "../data/error.ts";
import type { LispValue } from "../data/value.ts";
import { MAX_INTEGER_BITS } from "./integer-size.ts";

/** TYPE-ERROR; the expected type is the text of a type specifier. */
export function typeError(datum: unknown, expected: string): never {
  throw makeTypeError(datum as LispValue, expected);
}

/** The operation travels as the name of a symbol in COMMON-LISP; the image turns it into the symbol. */
function arithmetic(type: string, name: string, operands: readonly unknown[]): never {
  throw new LispError(type, [
    ["OPERATION", name],
    ["OPERANDS", arrayToList(operands as readonly LispValue[])],
  ]);
}

/** DIVISION-BY-ZERO. */
export function divisionByZero(name: string, operands: readonly unknown[]): never {
  return arithmetic("DIVISION-BY-ZERO", name, operands);
}

/** FLOATING-POINT-OVERFLOW: the result exceeds the format. */
export function floatOverflow(name: string, operands: readonly unknown[]): never {
  return arithmetic("FLOATING-POINT-OVERFLOW", name, operands);
}

/** FLOATING-POINT-UNDERFLOW: a result that is not zero is too small for the format. */
export function floatUnderflow(name: string, operands: readonly unknown[]): never {
  return arithmetic("FLOATING-POINT-UNDERFLOW", name, operands);
}

/** FLOATING-POINT-INVALID-OPERATION: no meaningful result. */
export function floatInvalid(name: string, operands: readonly unknown[]): never {
  return arithmetic("FLOATING-POINT-INVALID-OPERATION", name, operands);
}

/** STORAGE-CONDITION: an integer of more than `MAX_INTEGER_BITS`. */
export function integerTooLarge(bits: number): never {
  const shown = Number.isFinite(bits) ? Math.round(bits) : 0;
  if (shown === 0)
    throw storageError(
      "An integer result would have more than ~D bits, the bound of this Lisp.",
      MAX_INTEGER_BITS,
    );
  throw storageError(
    "An integer result would have about ~D bits; the bound of this Lisp is ~D.",
    shown,
    MAX_INTEGER_BITS,
  );
}
