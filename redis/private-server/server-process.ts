import { spawn } from "node:child_process";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import { errnoOf } from "../../orchestrator/record/failure.ts";
import {
  type ProcessIdentity,
  isRunning,
  processIdentity,
} from "../../orchestrator/record/process-identity.ts";
import { publishFile } from "../../orchestrator/record/publication.ts";
import { RedisError } from "../failure.ts";
import { serverConfiguration } from "./configuration.ts";
import { findServerExecutable } from "./executable.ts";
import type { PrivateServerLocation } from "./location.ts";

const recordSchema = z.strictObject({
  /** Changes with every start that is no recovery. */
  startId: z.uuid(),
  password: z.string().min(32),
  process: z.object({ pid: z.int(), bootId: z.string(), startTicks: z.int().nonnegative() }),
});

/** What `server.json` says of the running server. Holds its password. */
export type ServerRecord = z.infer<typeof recordSchema>;

/** Longest wait for a started server to answer, the loading of its data not counted. */
export const startTimeoutMs = 10_000;

/** The record in that file, undefined when there is none or it is damaged. */
export async function readServerRecord(path: string): Promise<ServerRecord | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    // Written in one piece by us, so this is damage from outside: as good as no record.
    return undefined;
  }
}

/**
 * Every process that serves this location although nothing says so any more: its starter or stopper was killed in
 * between. Two servers on one append-only file would ruin it.
 */
export async function forgottenServers(location: PrivateServerLocation): Promise<readonly ProcessIdentity[]> {
  const stopping = await readServerRecord(location.stoppingRecord);
  const processId = Number(await readIfThere(location.pidFile));
  // The server's title names its socket; a process that merely has the same number does not.
  const title = await readIfThere(`/proc/${processId}/cmdline`);
  const serves =
    title?.includes(location.socket) === true || title?.includes(location.configuration) === true;
  return [
    ...(stopping === undefined ? [] : [stopping.process]),
    ...(serves ? [processIdentity(processId)] : []),
  ];
}

/**
 * What is at a socket: `ready`, `loading` its data, or `absent` when nobody answers, or somebody who does not take our
 * password.
 */
export type ServerState = "ready" | "loading" | "absent";

/** Longest wait for a server that accepts a connection to answer on it; one that does not is ended, so a busy machine gets its time. */
const answerTimeoutMs = 5_000;

/** Asks what is at the socket, without a client library: this is on the way of every start. */
export async function serverState(socketPath: string, password: string): Promise<ServerState> {
  const socket = connect(socketPath);
  const answered = answerOf(socket, password);
  const state = await withinDeadline(answered, answerTimeoutMs);
  socket.destroy();
  return state === "deadline" ? "absent" : answered;
}

function answerOf(socket: Socket, password: string): Promise<ServerState> {
  return new Promise((answer) => {
    let reply = "";
    socket.on("error", () => answer("absent"));
    socket.on("close", () => answer("absent"));
    socket.on("data", (part) => {
      reply += part.toString("latin1");
      if (reply.includes("+PONG\r\n")) answer("ready");
      else if (/^-LOADING .*\r\n/m.test(reply)) answer("loading");
      else if (/^-.*\r\n/m.test(reply)) answer("absent");
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}

/** What a start needs. */
export interface ServerStart {
  readonly location: PrivateServerLocation;
  readonly identity: Pick<ServerRecord, "startId" | "password">;
  /** The PATH to look for the server program in. */
  readonly searchPath: string | undefined;
  /** Told that the append-only file was refused and moved aside. */
  readonly report: (error: RedisError) => void;
}

/**
 * Starts a server and records it. The caller holds the lock and knows that none runs. When the server refuses the
 * append-only file, that is moved aside and a start without it is tried: the queues are rebuilt from the journals.
 *
 * @throws RedisError `redis-missing`, `redis-start-failed`.
 */
export async function startServer(start: ServerStart): Promise<void> {
  const { location, identity } = start;
  const executable = await findServerExecutable(start.searchPath);
  await publishFile(location.configuration, serverConfiguration(location, identity.password), {
    durable: false,
  });
  // A second time: the first process may have been killed while it started.
  if ((await launch(executable, start)) || (await launch(executable, start))) return;
  const complaint = (await logTail(location)) || "nothing";
  const data = join(location.directory, "appendonlydir");
  if ((await stat(data).catch(() => undefined)) !== undefined) {
    const aside = `${data}.refused`;
    await rm(aside, { recursive: true, force: true });
    await rename(data, aside);
    if (await launch(executable, start)) {
      start.report(
        new RedisError(
          "redis-data-refused",
          `Redis refused its data, now in ${aside}; it said: ${complaint}`,
        ),
      );
      return;
    }
  }
  throw new RedisError(
    "redis-start-failed",
    `${executable} did not start with ${location.configuration}; it said: ${complaint}`,
  );
}

/**
 * Starts the program in a session of its own, so that it outlives this host, and records it at once. Tells whether it
 * answers, its data loaded; when it does not, it has ended and there is no record.
 */
async function launch(executable: string, { location, identity }: ServerStart): Promise<boolean> {
  const child = spawn(executable, [location.configuration], {
    cwd: location.directory,
    detached: true,
    stdio: "ignore",
    // Nothing of the host's environment: keys of providers must not show in another process.
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
  });
  const ended = new Promise<"ended">((resolve) => {
    child.once("exit", () => resolve("ended")).once("error", () => resolve("ended"));
  });
  child.unref();
  if (child.pid === undefined) return false;
  const { startId, password } = identity;
  const record: ServerRecord = { startId, password, process: processIdentity(child.pid) };
  await publishFile(location.record, JSON.stringify(record), { durable: false });
  let deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const state = await serverState(location.socket, password);
    if (state === "ready") return true;
    // It may yet refuse what it loads, so it counts as started when that is over.
    if (state === "loading") deadline = Date.now() + startTimeoutMs;
    // Looked at before the clock: time in which this process did not run is not the server's.
    else if (Date.now() >= deadline) break;
    if ((await Promise.race([ended, delay(2, "waiting")])) === "ended") break;
  }
  child.kill("SIGKILL");
  await rm(location.record, { force: true });
  return false;
}

/** Ends a server's process whatever it does: TERM, then KILL after `graceMs`; resolves when it no longer runs. */
export async function endServer(identity: ProcessIdentity, graceMs: number): Promise<void> {
  signalIfRunning(identity, "SIGTERM");
  if (await endsWithin(identity, graceMs)) return;
  signalIfRunning(identity, "SIGKILL");
  await endsWithin(identity, graceMs);
}

/** Does the process end within the time? */
async function endsWithin(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(identity)) {
    if (Date.now() >= deadline) return false;
    await delay(2);
  }
  return true;
}

function signalIfRunning(identity: ProcessIdentity, signal: "SIGTERM" | "SIGKILL"): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if (errnoOf(error) !== "ESRCH") throw error;
  }
}

const logTailBytes = 1000;

/** The last lines the server wrote to its log. */
async function logTail(location: PrivateServerLocation): Promise<string> {
  try {
    const handle = await open(location.log, "r");
    try {
      const { size } = await handle.stat();
      const length = Math.min(size, logTailBytes);
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.toString("utf8").trim();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ESRCH") return undefined;
    throw error;
  }
}
