import { resourceLimits } from "node:worker_threads";
import { TOTAL_SIZE_LIMIT } from "../arrays/array-making.ts";
import { MAX_INTEGER_BITS } from "../numbers/integer-size.ts";
import { type LispError, storageError } from "../data/error.ts";

/** What V8 gives a main thread when nobody asks for more. */
const defaultStackMb = 1;

/** The message of the RangeError that an operation ends with. */
function provoked(operation: () => unknown): string {
  try {
    operation();
    return "";
  } catch (error) {
    return error instanceof RangeError ? error.message : "";
  }
}

function overflow(): number {
  return 1 + overflow();
}

let stackMessage: string | undefined;
let stringMessage: string | undefined;
let integerMessage: string | undefined;

/**
 * STORAGE-CONDITION for a RangeError of JavaScript: an exhausted stack, or an object larger than V8 allows. JavaScript gives it no
 * code, so its message is compared with those of errors made on purpose; it is never shown.
 */
export function hostBoundError({ message }: RangeError): LispError {
  stackMessage ??= provoked(overflow);
  // Asked first: at the end of the stack the other operations would fail for want of it.
  if (message === stackMessage)
    return storageError(
      "The stack is exhausted: it holds ~A megabytes.",
      resourceLimits.stackSizeMb ?? defaultStackMb,
    );
  stringMessage ??= provoked(() => "  ".padEnd(2 ** 30));
  if (message === stringMessage)
    return storageError(
      "A string would have more than ~D characters, the bound of this Lisp.",
      TOTAL_SIZE_LIMIT - 1,
    );
  integerMessage ??= provoked(() => 1n << (1n << 62n));
  if (message === integerMessage)
    return storageError("An integer would have more than ~D bits, the bound of this Lisp.", MAX_INTEGER_BITS);
  return storageError(
    "An array or a table would have more than ~D elements, the bound of this Lisp.",
    TOTAL_SIZE_LIMIT - 1,
  );
}
