/** Bounds of one agent run. Durations in ms. No zod here, so that agent threads can load it cheaply. */
export interface AgentLimits {
  /** Model responses of this run; reaching it ends the run with code `turn-limit`. */
  readonly maxTurns: number;
  /** Attempts after the first that may follow failures before generation began. */
  readonly retriesBeforeGeneration: number;
  /** Attempts after the first once output had arrived or tokens ran out. */
  readonly retriesAfterOutput: number;
  /** From sending a request to its response head. */
  readonly responseHeadTimeoutMs: number;
  /** Longest silence (no byte) inside a stream. */
  readonly streamIdleTimeoutMs: number;
  /** Largest response on the wire, in bytes; a server that sends more is not believed to end. */
  readonly maxResponseBytes: number;
  /** Longest wait between attempts; a Retry-After above it is cut to it. */
  readonly maxRetryAfterMs: number;
  /** First backoff; doubles with each failure up to `maxBackoffMs`; the upper half of it is random. */
  readonly baseBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The limits that hold where nothing else is said (retries: manual; facts K). */
export const defaultAgentLimits: AgentLimits = {
  maxTurns: 500,
  retriesBeforeGeneration: 6,
  retriesAfterOutput: 2,
  responseHeadTimeoutMs: 300_000,
  streamIdleTimeoutMs: 180_000,
  maxResponseBytes: 64 * 1024 * 1024,
  maxRetryAfterMs: 60_000,
  baseBackoffMs: 500,
  maxBackoffMs: 16_000,
};

/** Most characters carried by one `output` event; older ones of the same interval are dropped and counted. */
export const outputEventCharacterLimit = 8192;
