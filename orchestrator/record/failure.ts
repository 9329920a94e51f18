import { AutolithError } from "../contract/failure.ts";

/**
 * Why a record could not be read or written.
 *
 * - `no-space`: the file system or quota is full (ENOSPC, EDQUOT, EFBIG). Earlier records are intact; try again when
 *   there is room.
 * - `read-only`: the place may not be written (EROFS, EACCES, EPERM).
 * - `no-descriptors`: this process, or the machine, has as many files open as it may (EMFILE, ENFILE). Try again.
 * - `input-output`: the device failed (EIO and every other operating-system error).
 * - `not-found`: the named record does not exist.
 * - `already-exists`: a record that is written once is there already.
 * - `too-large`: one record is over the bound; nothing was written.
 * - `backlog-full`: more bytes wait to be written than the bound allows.
 * - `closed`: the file was closed by its owner.
 * - `locked`: another live process is the writer.
 * - `malformed`: what was read is no record of the expected kind.
 */
export type RecordErrorCode =
  | "no-space"
  | "read-only"
  | "no-descriptors"
  | "input-output"
  | "not-found"
  | "already-exists"
  | "too-large"
  | "backlog-full"
  | "closed"
  | "locked"
  | "malformed";

const retryableCodes: ReadonlySet<RecordErrorCode> = new Set([
  "no-space",
  "no-descriptors",
  "backlog-full",
  "locked",
]);

/** A failed read or write of a record. `path` is the file, for messages to the owner of the machine only. */
export class RecordError extends AutolithError {
  declare readonly code: RecordErrorCode;
  readonly path: string;

  constructor(code: RecordErrorCode, path: string, message: string, cause?: unknown) {
    super(code, message, { cause, retry: retryableCodes.has(code) ? "retryable" : "terminal" });
    this.path = path;
  }
}

const codeOfErrno: Readonly<Record<string, RecordErrorCode>> = {
  ENOSPC: "no-space",
  EDQUOT: "no-space",
  EFBIG: "no-space",
  EMFILE: "no-descriptors",
  ENFILE: "no-descriptors",
  EROFS: "read-only",
  EACCES: "read-only",
  EPERM: "read-only",
  ENOENT: "not-found",
  EEXIST: "already-exists",
};

const adviceOf: Readonly<Partial<Record<RecordErrorCode, string>>> = {
  "no-space": "free some space and try again; earlier records are intact",
  "read-only": "make the directory writable for this user; earlier records are intact",
  "no-descriptors":
    "too many files are open: try again, or allow more (ulimit -n) and start anew; earlier records are intact",
  "input-output": "check the device; earlier records are intact",
};

/** The `code` of an operating-system error, or undefined for any other thrown value. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * The typed form of what a file operation threw. `doing` completes the sentence "could not …". A `RecordError` is
 * returned as it is.
 */
export function recordFailure(error: unknown, path: string, doing: string): RecordError {
  if (error instanceof RecordError) return error;
  const errno = errnoOf(error);
  const code = (errno !== undefined && codeOfErrno[errno]) || "input-output";
  const advice = adviceOf[code];
  const reason = errno ?? (error instanceof Error ? error.message : String(error));
  return new RecordError(
    code,
    path,
    `could not ${doing} ${path}: ${reason}${advice === undefined ? "" : `; ${advice}`}`,
    error,
  );
}
