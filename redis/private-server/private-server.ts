import { randomBytes, randomUUID } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../../orchestrator/record/failure.ts";
import { removeAbandonedTemporaries } from "../../orchestrator/record/publication.ts";
import { ensurePrivateDirectory } from "../../orchestrator/record/roots.ts";
import { WriterLockedError, acquireWriterLock } from "../../orchestrator/record/writer-lock.ts";
import type { RedisEndpoint } from "../endpoint.ts";
import { RedisError } from "../failure.ts";
import type { PrivateServerLocation } from "./location.ts";
import { type ServerReference, addReference, countLiveReferences, removeReference } from "./references.ts";
import {
  type ServerRecord,
  endServer,
  forgottenServers,
  readServerRecord,
  serverState,
  startServer,
} from "./server-process.ts";

/** How a private server is joined. */
export interface PrivateServerOptions {
  readonly location: PrivateServerLocation;
  /** The PATH to look for the server program in. */
  readonly searchPath: string | undefined;
  /** Told what was wrong without keeping the server from starting. */
  readonly report: (error: RedisError) => void;
}

/** Longest wait for another host that is starting or stopping the server. */
const lockTimeoutMs = 15_000;
const stopGraceMs = 5000;

/**
 * This host's part in the user's private Redis. The first host starts it, others join, the last one stops it, and whoever
 * notices that it died starts it again with its data.
 *
 * Joining needs no lock while the server runs: a host writes its reference first and then looks whether the record is
 * still there; the last one that leaves takes the record away first and then looks for references. So one of them sees
 * the other.
 */
export class PrivateServer {
  readonly endpoint: RedisEndpoint;
  readonly #options: PrivateServerOptions;
  readonly #reference: ServerReference;

  private constructor(options: PrivateServerOptions, reference: ServerReference, record: ServerRecord) {
    this.#options = options;
    this.#reference = reference;
    this.endpoint = {
      kind: "unix",
      path: options.location.socket,
      password: record.password,
      database: 0,
    };
  }

  /**
   * Joins the running server or starts one. Resolves when it accepts connections; it may still be loading its data.
   *
   * @throws RedisError `redis-missing`, `redis-start-failed`, RecordError of the file system.
   */
  static async join(options: PrivateServerOptions): Promise<PrivateServer> {
    const { location } = options;
    await ensurePrivateDirectory(location.references);
    const reference = await addReference(location.references);
    try {
      const running = await joinRunning(location);
      const record = running ?? (await underLock(location, () => startIfNeeded(options)));
      return new PrivateServer(options, reference, record);
    } catch (error) {
      await removeReference(reference);
      throw error;
    }
  }

  /**
   * Starts the server again when it no longer runs, with its data and its password, so that every host's connections come
   * back by themselves. Does nothing when it runs.
   */
  async recover(): Promise<void> {
    const { location } = this.#options;
    if ((await joinRunning(location)) !== undefined) return;
    await underLock(location, () => startIfNeeded(this.#options));
  }

  /** Gives up this host's part; the last host stops the server. */
  async leave(): Promise<void> {
    const { location } = this.#options;
    await removeReference(this.#reference);
    await removeAbandonedTemporaries(location.references);
    if ((await countLiveReferences(location.references)) > 0) return;
    await underLock(location, () => stopIfUnused(location));
  }
}

/** The record of a server that answers, if only that it is loading, and is not being stopped. */
async function joinRunning(location: PrivateServerLocation): Promise<ServerRecord | undefined> {
  const record = await readServerRecord(location.record);
  if (record === undefined) return undefined;
  if ((await serverState(location.socket, record.password)) === "absent") return undefined;
  const again = await readServerRecord(location.record);
  return again?.startId === record.startId ? again : undefined;
}

async function startIfNeeded(options: PrivateServerOptions): Promise<ServerRecord> {
  const { location } = options;
  const running = await joinRunning(location);
  if (running !== undefined) return running;
  const dead = await readServerRecord(location.record);
  // A process that runs without answering, or that nobody knows, would keep the data from the new one.
  const inTheWay = [...(dead === undefined ? [] : [dead.process]), ...(await forgottenServers(location))];
  for (const process of inTheWay) await endServer(process, stopGraceMs);
  await removeIfThere(location.stoppingRecord);
  await removeAbandonedTemporaries(location.directory);
  await startServer({ ...options, identity: dead ?? newIdentity() });
  const started = await readServerRecord(location.record);
  if (started === undefined) {
    throw new RedisError("redis-start-failed", `${location.record} was removed while the server was started`);
  }
  return started;
}

function newIdentity(): Pick<ServerRecord, "startId" | "password"> {
  return { startId: randomUUID(), password: randomBytes(32).toString("base64url") };
}

async function stopIfUnused(location: PrivateServerLocation): Promise<void> {
  const record = await readServerRecord(location.record);
  if (record === undefined) return;
  await rename(location.record, location.stoppingRecord);
  if ((await countLiveReferences(location.references)) > 0) {
    await rename(location.stoppingRecord, location.record);
    return;
  }
  await endServer(record.process, stopGraceMs);
  for (const path of [location.stoppingRecord, location.configuration, location.socket, location.pidFile]) {
    await removeIfThere(path);
  }
}

async function underLock<T>(location: PrivateServerLocation, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + lockTimeoutMs;
  for (;;) {
    try {
      const lock = await acquireWriterLock(location.lock);
      try {
        return await work();
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (!(error instanceof WriterLockedError) || error.path !== location.lock) throw error;
      if (Date.now() >= deadline) {
        throw new RedisError(
          "redis-start-failed",
          `process ${error.holder.pid} has been starting or stopping the private Redis for ${lockTimeoutMs} ms; end it and try again`,
          error,
        );
      }
      await delay(10);
    }
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
