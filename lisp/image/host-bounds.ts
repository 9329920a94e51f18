import { resourceLimits } from "node:worker_threads";
import { type LispError, storageError } from "../data/error.ts";
import { LString } from "../data/string.ts";

/** What V8 gives a main thread when nobody asks for more. */
const defaultStackMb = 1;

/**
 * STORAGE-CONDITION for a RangeError of JavaScript: an exhausted stack, or an object larger than V8 allows. JavaScript gives it no
 * code, so the report has its words and the numbers of the bounds it may be about.
 */
export function hostBoundError(error: RangeError): LispError {
  return storageError(
    "A bound of the host was exceeded (~A): the stack holds ~A megabytes, a string 134217728 characters, an array 33554432 elements.",
    LString.from(error.message),
    LString.from(String(resourceLimits.stackSizeMb ?? defaultStackMb)),
  );
}
