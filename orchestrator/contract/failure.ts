/**
 * Errors of autolith. Local errors are thrown as {@link AutolithError}s with a stable code; what crosses a queue, a thread, a
 * socket or a file is a {@link Failure}. Nothing matches on message text: callers compare `code`.
 */
import { z } from "zod";
import { jsonValueSchema } from "./json-value.ts";

/** Wire form of an error. `message` at most 2,000 characters; `details` holds no secrets. */
export const failureSchema = z.strictObject({
  code: z.string().min(1).max(64),
  message: z.string().max(2_000),
  /** `terminal`: trying again cannot help. `retryable`: a later attempt may succeed. */
  retry: z.enum(["terminal", "retryable"]),
  /** Delay asked for by the failing side, in milliseconds. */
  retryAfterMs: z.number().int().nonnegative().optional(),
  details: z.record(z.string(), jsonValueSchema).optional(),
});

export type Failure = z.infer<typeof failureSchema>;

/** Upper bound of a failure's message, in UTF-16 units. */
export const failureMessageLimit = 2_000;

type AutolithErrorOptions = {
  readonly retry?: Failure["retry"];
  readonly retryAfterMs?: number;
  readonly details?: Failure["details"];
  readonly cause?: unknown;
};

/** Base of the typed errors of orchestrator, redis, workers and cli. `code` is stable and documented by the class that throws it. */
export class AutolithError extends Error {
  readonly code: string;
  readonly retry: Failure["retry"];
  readonly retryAfterMs: number | undefined;
  readonly details: Failure["details"];

  constructor(code: string, message: string, options: AutolithErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retry = options.retry ?? "terminal";
    this.retryAfterMs = options.retryAfterMs;
    this.details = options.details;
  }
}

/** Text cut to the failure bound, saying how much was left out. */
export function boundedMessage(text: string, limit = failureMessageLimit): string {
  if (text.length <= limit) return text;
  const note = ` … (${text.length} characters, shortened)`;
  return text.slice(0, Math.max(0, limit - note.length)).replace(/[\uD800-\uDBFF]$/, "") + note;
}

function codeOf(error: object): string {
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" && code.length > 0 && code.length <= 64 ? code : "internal-error";
}

/** The wire form of anything thrown. Errors without a code become `internal-error`; a thrown non-error is printed. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AutolithError) {
    return {
      code: error.code,
      message: boundedMessage(error.message),
      retry: error.retry,
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
      ...(error.details === undefined ? {} : { details: error.details }),
    };
  }
  if (error instanceof Error) {
    return { code: codeOf(error), message: boundedMessage(error.message), retry: "terminal" };
  }
  return { code: "internal-error", message: boundedMessage(String(error)), retry: "terminal" };
}

/** The thrown form of a failure that crossed a boundary; the round trip keeps code, message, retry class and details. */
export function errorOf(failure: Failure): AutolithError {
  return new AutolithError(failure.code, failure.message, {
    retry: failure.retry,
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    ...(failure.details === undefined ? {} : { details: failure.details }),
  });
}
