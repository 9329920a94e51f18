import { AutolithError } from "../orchestrator/contract/failure.ts";

/**
 * What can be wrong with Redis.
 *
 * - `redis-missing`: no redis-server or valkey-server is installed.
 * - `redis-start-failed`: the private server did not start; the message ends with what it said.
 * - `redis-data-refused`: the private server did not accept its append-only file, which was moved aside; queues are rebuilt.
 * - `redis-url-invalid`: AUTOLITH_REDIS_URL names no server.
 * - `redis-unreachable`: nobody answers at the address.
 * - `redis-authentication`: the server refuses the name or password, or asks for one that was not given.
 * - `redis-too-old`: the server is older than 6.2.
 * - `redis-evicting`: the server may throw keys away when memory is short.
 * - `redis-full`: the server refuses writes because its memory or its disk is used up.
 * - `queue-unavailable`: the store did not take the entries in time.
 * - `mail-unavailable`: it is not certain that a letter was taken, or a mailbox cannot be attended now.
 * - `mail-full`: too many letters wait in a mailbox.
 * - `mail-malformed`: what lay in a mailbox is no letter; it was dropped.
 * - `lease-lost`: the lease is held by somebody else, or nobody, now.
 */
export type RedisErrorCode =
  | "redis-missing"
  | "redis-start-failed"
  | "redis-data-refused"
  | "redis-url-invalid"
  | "redis-unreachable"
  | "redis-authentication"
  | "redis-too-old"
  | "redis-evicting"
  | "redis-full"
  | "queue-unavailable"
  | "mail-unavailable"
  | "mail-full"
  | "mail-malformed"
  | "lease-lost";

const retryable: ReadonlySet<RedisErrorCode> = new Set([
  "redis-unreachable",
  "redis-full",
  "queue-unavailable",
  "mail-unavailable",
  "mail-full",
]);

/** An error of the Redis side. Messages never hold credentials. */
export class RedisError extends AutolithError {
  declare readonly code: RedisErrorCode;

  constructor(code: RedisErrorCode, message: string, cause?: unknown) {
    super(code, message, { cause, retry: retryable.has(code) ? "retryable" : "terminal" });
  }
}

const authenticationReplies =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR AUTH|ERR Client sent AUTH)/;

/** The code for what a command or connection failed with. The words are the protocol's error prefixes, not prose. */
export function redisErrorCode(error: unknown): RedisErrorCode {
  const text = error instanceof Error ? error.message : "";
  if (authenticationReplies.test(text)) return "redis-authentication";
  // MISCONF: its disk is full or broken, so it takes nothing either.
  if (text.startsWith("OOM ") || text.startsWith("MISCONF ")) return "redis-full";
  return "redis-unreachable";
}
