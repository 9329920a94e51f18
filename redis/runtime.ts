import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { ConcurrencyClass } from "../orchestrator/contract/job-catalog.ts";
import type { QueueHealth, QueuePort } from "../orchestrator/contract/queue.ts";
import { withinDeadline } from "../orchestrator/queue/deadline.ts";
import type { Environment } from "../orchestrator/record/roots.ts";
import { type ConnectionPurpose, closeConnection, openConnection } from "./connection.ts";
import { type RedisEndpoint, describeEndpoint, parseRedisUrl } from "./endpoint.ts";
import { RedisError, redisErrorCode } from "./failure.ts";
import { registerHost, sweepDeadHosts, unregisterHost } from "./host-registry.ts";
import type { HostId } from "./keys.ts";
import { Leases } from "./lease.ts";
import { RedisMail } from "./mail/redis-mail.ts";
import { privateServerLocation } from "./private-server/location.ts";
import { PrivateServer } from "./private-server/private-server.ts";
import { BullQueue } from "./queue/bull-queue.ts";
import type { HealthCheckTimes } from "./queue/connection-health.ts";
import { checkServer } from "./server-check.ts";

/** The environment variable that names a shared Redis. */
export const redisUrlVariable = "AUTOLITH_REDIS_URL";

/** What a host needs to use Redis. */
export interface RedisRuntimeOptions {
  readonly environment: Environment;
  /** The state root; the private server lives below it. */
  readonly stateRoot: string;
  /** Told what goes wrong while the host runs: lost connections, handlers that reject, refused data. */
  readonly onError: (error: unknown) => void;
  readonly healthCheck?: HealthCheckTimes;
  /** Classes of jobs that will surely come: what claims them is started at once. */
  readonly expected?: readonly ConcurrencyClass[];
  /** The private server where it was joined already; it is left with this runtime. */
  readonly server?: PrivateServer | undefined;
}

/** Longest pause between two attempts to start a private server that died. */
const recoveryPauseMs = 1000;

/** Part of a closing deadline that is kept for connections and the private server. */
const connectionCloseMs = 500;

/**
 * This host's Redis: the shared one that `AUTOLITH_REDIS_URL` names, or the user's private server, which is started when
 * no host runs it and started again when it dies.
 */
export class RedisRuntime {
  readonly hostId: HostId;
  readonly queue: QueuePort;
  readonly leases: Leases;
  readonly mail: RedisMail;
  readonly #producer: Redis;
  readonly #consumer: Redis;
  readonly #server: PrivateServer | undefined;
  readonly #onError: (error: unknown) => void;
  #recovering = false;
  #closing = false;

  private constructor(
    options: RedisRuntimeOptions,
    server: PrivateServer | undefined,
    connections: {
      readonly producer: Redis;
      readonly consumer: Redis;
      readonly hostId: HostId;
      readonly endpoint: RedisEndpoint;
    },
    outage: OutageReport,
  ) {
    this.hostId = connections.hostId;
    this.#server = server;
    this.#producer = connections.producer;
    this.#consumer = connections.consumer;
    this.#onError = options.onError;
    this.leases = new Leases(connections.producer);
    this.queue = new BullQueue({
      ...connections,
      onHandlerError: options.onError,
      onStoreError: outage.report,
      ...(options.healthCheck === undefined ? {} : { healthCheck: options.healthCheck }),
      ...(options.expected === undefined ? {} : { expected: options.expected }),
    });
    this.queue.onHealth(outage.healthChanged);
    this.mail = new RedisMail({
      commands: connections.producer,
      openSubscriber: () => openConnection(connections.endpoint, "consumer", { onError: outage.report }),
      onHealth: (listener) => this.queue.onHealth(listener),
      onError: options.onError,
    });
    connections.producer.on("close", () => this.#recover());
  }

  /**
   * Opens Redis for this host.
   *
   * @throws RedisError `redis-missing`, `redis-start-failed`, `redis-url-invalid`, `redis-unreachable`,
   * `redis-authentication`, `redis-too-old`, `redis-evicting`.
   */
  static async open(options: RedisRuntimeOptions): Promise<RedisRuntime> {
    const url = options.environment[redisUrlVariable];
    if (url !== undefined && url !== "") {
      const endpoint = parseRedisUrl(url);
      return RedisRuntime.#connect(options, endpoint, undefined);
    }
    // Its version is the one bootstrap installed and its configuration the one we wrote: nothing to check.
    const server =
      options.server ??
      (await PrivateServer.join({
        location: privateServerLocation(options.stateRoot, process.getuid?.() ?? 0),
        searchPath: options.environment["PATH"],
        report: options.onError,
      }));
    try {
      return await RedisRuntime.#connectToOwn(options, server);
    } catch (error) {
      await server.leave();
      throw error;
    }
  }

  /** The private server may die between its answer and our connection, like at any other time: then it is started again, once. */
  static async #connectToOwn(options: RedisRuntimeOptions, server: PrivateServer): Promise<RedisRuntime> {
    try {
      return await RedisRuntime.#connect(options, server.endpoint, server);
    } catch (error) {
      if (!(error instanceof RedisError) || error.code !== "redis-unreachable") throw error;
      await server.recover();
      return RedisRuntime.#connect(options, server.endpoint, server);
    }
  }

  static async #connect(
    options: RedisRuntimeOptions,
    endpoint: RedisEndpoint,
    server: PrivateServer | undefined,
  ): Promise<RedisRuntime> {
    const opened: Redis[] = [];
    const outage = new OutageReport(options.onError);
    const connect = async (purpose: ConnectionPurpose): Promise<Redis> => {
      const client = await openConnection(endpoint, purpose, { onError: outage.report });
      opened.push(client);
      return client;
    };
    try {
      const [producing, consuming] = [connect("producer"), connect("consumer")];
      // Both have ended before one that failed is told of: the other is closed then, not left behind.
      await Promise.allSettled([producing, consuming]);
      const [producer, consumer] = await Promise.all([producing, consuming]);
      if (server === undefined) await checkServer(producer, endpoint);
      const hostId: HostId = randomUUID();
      await registered(producer, hostId, endpoint);
      return new RedisRuntime(options, server, { producer, consumer, hostId, endpoint }, outage);
    } catch (error) {
      await Promise.all(opened.map((client) => closeConnection(client, connectionCloseMs)));
      throw error;
    }
  }

  /** Removes what hosts that died left in Redis. Returns how many they were. @throws the errors of the connection. */
  sweep(): Promise<number> {
    return sweepDeadHosts(this.#producer);
  }

  /** Ends the queue, closes every connection and leaves the private server; resolves about `deadlineMs` later at most. */
  async close(deadlineMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const endsAt = Date.now() + deadlineMs;
    await this.mail.close(connectionCloseMs);
    await this.queue.close(Math.max(0, endsAt - Date.now() - connectionCloseMs));
    const leaving = unregisterHost(this.#producer, this.hostId).catch(this.#onError);
    await withinDeadline(leaving, Math.max(0, endsAt - Date.now()));
    await Promise.all(
      [this.#producer, this.#consumer].map((client) => closeConnection(client, connectionCloseMs)),
    );
    await this.#server?.leave();
  }

  /** Starts the private server again after it died; the connections come back by themselves. */
  #recover(): void {
    const server = this.#server;
    if (server === undefined || this.#recovering || this.#closing) return;
    this.#recovering = true;
    server
      .recover()
      .catch(this.#onError)
      .finally(() => {
        // Not at once again: a server that cannot start would be started in a loop.
        setTimeout(() => {
          this.#recovering = false;
          if (this.#producer.status !== "ready") this.#recover();
        }, recoveryPauseMs).unref();
      });
  }
}

/** Registers this host; whatever goes wrong with it is an error of ours. */
async function registered(producer: Redis, hostId: HostId, endpoint: RedisEndpoint): Promise<void> {
  try {
    await registerHost(producer, hostId);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RedisError(
      redisErrorCode(error),
      `Redis at ${describeEndpoint(endpoint)} did not take this host's registration: ${reason}`,
      error,
    );
  }
}

/** Passes errors on, but of the many that a server which is gone causes only the first. */
class OutageReport {
  readonly #onError: (error: unknown) => void;
  #down = false;
  #told = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly report = (error: unknown): void => {
    if (this.#down && this.#told) return;
    this.#told = this.#down;
    this.#onError(error);
  };

  readonly healthChanged = (health: QueueHealth): void => {
    this.#down = health === "degraded";
    this.#told = false;
  };
}
