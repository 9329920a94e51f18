import { Redis, type RedisOptions } from "ioredis";
import { withinDeadline } from "../orchestrator/queue/deadline.ts";
import { type RedisEndpoint, describeEndpoint } from "./endpoint.ts";
import { RedisError, redisErrorCode } from "./failure.ts";

/**
 * What a connection is for.
 *
 * - `producer`: short commands of ours. They fail at once while the server is gone.
 * - `consumer`: BullMQ's own commands. They wait for the server, as BullMQ demands.
 */
export type ConnectionPurpose = "producer" | "consumer";

/** How connections are made. */
export interface ConnectionSettings {
  /** Longest time to connect the first time; default 5000. */
  readonly connectTimeoutMs?: number;
  /** Told about errors of the connection, which go on reconnecting. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens a connection and waits until the server answers.
 *
 * @throws RedisError `redis-unreachable`, `redis-authentication`.
 */
export async function openConnection(
  endpoint: RedisEndpoint,
  purpose: ConnectionPurpose,
  settings: ConnectionSettings,
): Promise<Redis> {
  const timeoutMs = settings.connectTimeoutMs ?? 5000;
  const client = new Redis({ ...clientOptions(endpoint, purpose, timeoutMs), replyMapping: "legacy" });
  let lastError: unknown;
  const note = (error: unknown): void => {
    lastError = error;
  };
  client.on("error", note);
  const connecting = client.connect();
  try {
    if ((await withinDeadline(connecting, timeoutMs)) === "deadline") {
      throw new RedisError("redis-unreachable", unreachable(endpoint, `no answer within ${timeoutMs} ms`));
    }
  } catch (error) {
    client.disconnect();
    connecting.catch(() => undefined);
    if (error instanceof RedisError) throw error;
    throw connectionFailure(endpoint, lastError ?? error);
  }
  client.options.connectTimeout = timeoutMs;
  client.off("error", note);
  // Without a listener a lost connection would end the process.
  client.on("error", settings.onError);
  return client;
}

/** Closes a connection: politely while the server answers, at once when it does not within `deadlineMs`. */
export async function closeConnection(client: Redis, deadlineMs: number): Promise<void> {
  if (client.status === "end") return;
  if (client.status === "ready") {
    const quitting = client.quit().catch(() => undefined);
    if ((await withinDeadline(quitting, deadlineMs)) === "ended") return;
  }
  client.disconnect();
}

function clientOptions(endpoint: RedisEndpoint, purpose: ConnectionPurpose, timeoutMs: number): RedisOptions {
  const local = endpoint.kind === "unix";
  return {
    ...(local
      ? { path: endpoint.path }
      : { host: endpoint.host, port: endpoint.port, ...(endpoint.tls ? { tls: {} } : {}) }),
    ...(endpoint.username === undefined ? {} : { username: endpoint.username }),
    ...(endpoint.password === undefined ? {} : { password: endpoint.password }),
    db: endpoint.database,
    lazyConnect: true,
    // The first connection has a deadline of ours; this one counts time in which the process did not run.
    connectTimeout: timeoutMs * 10,
    connectionName: `autolith-${purpose}`,
    disableClientInfo: true,
    retryStrategy: local ? localRetryDelay : remoteRetryDelay,
    ...(purpose === "producer"
      ? { maxRetriesPerRequest: 0, enableOfflineQueue: false }
      : { maxRetriesPerRequest: null }),
  };
}

/** Trying a local socket costs nothing: 20 ms, doubling up to half a second. */
function localRetryDelay(times: number): number {
  return Math.min(20 * 2 ** Math.min(times - 1, 10), 500);
}

/** 100 ms, doubling up to three seconds, with jitter so that hosts do not come back in step. */
function remoteRetryDelay(times: number): number {
  return Math.min(100 * 2 ** Math.min(times - 1, 10), 3000) + Math.floor(Math.random() * 200);
}

function connectionFailure(endpoint: RedisEndpoint, error: unknown): RedisError {
  const reason = error instanceof Error ? error.message : String(error);
  const code = redisErrorCode(error);
  return code === "redis-authentication"
    ? new RedisError(
        code,
        `Redis at ${describeEndpoint(endpoint)} refuses the name or password (${reason.split(" ")[0]}); correct the credentials in the URL`,
        error,
      )
    : new RedisError("redis-unreachable", unreachable(endpoint, reason), error);
}

function unreachable(endpoint: RedisEndpoint, reason: string): string {
  return `Redis at ${describeEndpoint(endpoint)} cannot be reached: ${reason}; start it, or correct the address`;
}
