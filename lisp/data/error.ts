import { arrayToList } from "./cons.ts";
import type { LispValue } from "./value.ts";

/**
 * Initialisation argument of a condition: keyword name without colon, and a value. A JavaScript string as the value of
 * "EXPECTED-TYPE" is the text of a type specifier in COMMON-LISP ("(INTEGER 0 *)"); any other JavaScript string becomes a Lisp string.
 */
export type Initarg = readonly [keyword: string, value: LispValue | string];

/**
 * Thrown by a leaf operator to signal a Lisp error. The call wrapper of the leaf turns it into a call of ERROR in the same
 * place, so handlers run on the signalling stack and a value returned by a restart becomes the value of the leaf call.
 */
export class LispError extends Error {
  readonly code = "lisp-error";
  /** Name of the condition type, in COMMON-LISP unless it has a package prefix ("AUTOLITH-SYSTEM::X"). */
  readonly conditionType: string;
  readonly initargs: readonly Initarg[];
  constructor(conditionType: string, initargs: readonly Initarg[], message: string = conditionType) {
    // The JavaScript stack says nothing about the Lisp program, and taking it costs more than everything else here.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
    this.name = "LispError";
    this.conditionType = conditionType;
    this.initargs = initargs;
  }
}

/** TYPE-ERROR; `expected` is the text of a type specifier in COMMON-LISP or such a specifier as a Lisp value. */
export function typeError(datum: LispValue, expected: LispValue | string): LispError {
  return new LispError("TYPE-ERROR", [
    ["DATUM", datum],
    ["EXPECTED-TYPE", expected],
  ]);
}

/** A simple condition of the given type with a FORMAT control and arguments, e.g. `simpleError("SIMPLE-ERROR", "bad ~S", x)`. */
export function simpleError(
  conditionType: string,
  control: string,
  ...args: readonly LispValue[]
): LispError {
  return new LispError(
    conditionType,
    [
      ["FORMAT-CONTROL", control],
      ["FORMAT-ARGUMENTS", arrayToList(args)],
    ],
    control,
  );
}

/** PROGRAM-ERROR with a report. */
export function programError(control: string, ...args: readonly LispValue[]): LispError {
  return simpleError("AUTOLITH-SYSTEM::SIMPLE-PROGRAM-ERROR", control, ...args);
}

/** CONTROL-ERROR with a report. */
export function controlError(control: string, ...args: readonly LispValue[]): LispError {
  return simpleError("AUTOLITH-SYSTEM::SIMPLE-CONTROL-ERROR", control, ...args);
}

/** DIVISION-BY-ZERO, or another arithmetic error named by `conditionType`. `operation` is a function name. */
export function arithmeticError(
  operation: LispValue,
  operands: readonly LispValue[],
  conditionType = "DIVISION-BY-ZERO",
): LispError {
  return new LispError(conditionType, [
    ["OPERATION", operation],
    ["OPERANDS", arrayToList(operands)],
  ]);
}

/** STORAGE-CONDITION: a bound of the image (memory, integer size, depth) was hit; the report names the bound and its number. */
export function storageError(control: string, ...args: readonly LispValue[]): LispError {
  return simpleError("AUTOLITH-SYSTEM::SIMPLE-STORAGE-CONDITION", control, ...args);
}
