import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { isRunning } from "../../../orchestrator/record/process-identity.ts";
import { closeConnection, openConnection } from "../../../redis/connection.ts";
import { socketPathLimit } from "../../../redis/endpoint.ts";
import { type PrivateServerLocation, privateServerLocation } from "../../../redis/private-server/location.ts";
import { PrivateServer } from "../../../redis/private-server/private-server.ts";
import {
  type ServerRecord,
  readServerRecord,
  serverState,
} from "../../../redis/private-server/server-process.ts";
import { RedisRuntime } from "../../../redis/runtime.ts";
import { HeldClaims, entry, limits } from "../../support/queue-conformance.ts";

async function stateRoot(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "alp-"));
  onTestFinished(async () => {
    const record = await readServerRecord(privateServerLocation(path, 0).record);
    if (record !== undefined && isRunning(record.process)) process.kill(record.process.pid, "SIGKILL");
    await rm(path, { recursive: true, force: true });
  });
  return path;
}

const reports: unknown[] = [];

async function joined(location: PrivateServerLocation): Promise<PrivateServer> {
  const server = await PrivateServer.join({
    location,
    searchPath: process.env["PATH"],
    report: (error) => reports.push(error),
  });
  onTestFinished(() => server.leave());
  return server;
}

async function recordOf(location: PrivateServerLocation): Promise<ServerRecord> {
  const record = await readServerRecord(location.record);
  if (record === undefined) throw new Error("no server is recorded");
  return record;
}

/** Bytes of answered commands that the server has not handed to its file yet: with a slow disk it may wait two seconds. */
async function unwrittenBytes(client: Redis): Promise<number> {
  return Number(/aof_buffer_length:(\d+)/.exec(await client.info("persistence"))?.[1]);
}

async function killServer(location: PrivateServerLocation): Promise<ServerRecord> {
  const record = await recordOf(location);
  process.kill(record.process.pid, "SIGKILL");
  await eventually(() => isRunning(record.process)).toBe(false);
  return record;
}

describe("the private server", () => {
  it("is started by the first, joined by others, stopped by the last", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    const [first, second, third] = await Promise.all([joined(location), joined(location), joined(location)]);
    const { process: server } = await recordOf(location);
    expect([first, second, third].map(({ endpoint }) => endpoint.password)).toEqual(
      Array.from({ length: 3 }, () => first.endpoint.password),
    );
    await first.leave();
    await second.leave();
    expect(isRunning(server)).toBe(true);
    await third.leave();
    expect(isRunning(server)).toBe(false);
    expect((await readdir(location.directory)).toSorted()).toEqual(["appendonlydir", "hosts", "server.log"]);
    expect(await readdir(location.references)).toEqual([]);
  });

  it("is reachable by its owner alone: no port, private files, password not on the command line", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    const { endpoint } = await joined(location);
    const { process: server } = await recordOf(location);
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await mode(location.directory)).toBe(0o700);
    for (const path of [location.socket, location.record, location.configuration])
      expect(await mode(path)).toBe(0o600);
    const password = endpoint.password ?? "";
    expect(password.length).toBeGreaterThanOrEqual(40);
    expect(await readFile(`/proc/${server.pid}/cmdline`, "utf8")).not.toContain(password);
    expect(await readFile(`/proc/${server.pid}/environ`, "utf8")).not.toContain(
      process.env["HOME"] ?? "HOME=",
    );
    expect(await readFile(location.log, "utf8")).not.toContain(password);
    const bare = { kind: "unix", path: location.socket, database: 0 } as const;
    const refused = openConnection(bare, "producer", { onError: () => undefined });
    await expect(refused).rejects.toMatchObject({ code: "redis-authentication" });
    const client = await openConnection(endpoint, "producer", { onError: () => undefined });
    onTestFinished(() => closeConnection(client, 200));
    const settings = await client.config("GET", "port");
    expect(settings).toEqual(["port", "0"]);
    expect(await client.config("GET", "maxmemory-policy")).toEqual(["maxmemory-policy", "noeviction"]);
    expect(await client.config("GET", "appendfsync")).toEqual(["appendfsync", "everysec"]);
  });

  it("gets another password with every start", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    const passwords = new Set<string | undefined>();
    for (let start = 0; start < 3; start += 1) {
      const server = await joined(location);
      passwords.add(server.endpoint.password);
      await server.leave();
    }
    expect(passwords.size).toBe(3);
  });

  it("that crashed is started again with its data and password, and connections come back", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    const server = await joined(location);
    const client = await openConnection(server.endpoint, "producer", { onError: () => undefined });
    onTestFinished(() => closeConnection(client, 200));
    await client.set("kept", "yes");
    await eventually(() => unwrittenBytes(client)).toBe(0);
    await killServer(location);
    await eventually(() => client.status).not.toBe("ready");
    await Promise.all([server.recover(), server.recover()]);
    await eventually(() => client.status).toBe("ready");
    expect(await client.get("kept")).toBe("yes");
    const next = await joined(location);
    expect(next.endpoint.password).toBe(server.endpoint.password);
  });

  it("whose append-only file is damaged starts without it and says so", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    const server = await joined(location);
    const client = await openConnection(server.endpoint, "producer", { onError: () => undefined });
    for (let index = 0; index < 100; index += 1) await client.set(`key${index}`, "value");
    await eventually(() => unwrittenBytes(client)).toBe(0);
    await closeConnection(client, 200);
    await killServer(location);
    const directory = join(location.directory, "appendonlydir");
    const file = (await readdir(directory)).find((name) => name.endsWith(".incr.aof")) ?? "";
    const content = await readFile(join(directory, file));
    content.write("garbage in the middle", content.length >> 1);
    await writeFile(join(directory, file), content);
    reports.length = 0;
    await server.recover();
    expect(await serverState(location.socket, server.endpoint.password ?? "")).toBe("ready");
    expect(await serverState(location.socket, "another-password")).toBe("absent");
    expect(reports).toMatchObject([{ code: "redis-data-refused" }]);
    expect(await readdir(location.directory)).toContain("appendonlydir.refused");
  });

  it("that was being stopped by a host that died then does not meet a second server on its data", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    await joined(location);
    const { process: forgotten } = await recordOf(location);
    await rename(location.record, location.stoppingRecord);
    await joined(location);
    expect(isRunning(forgotten)).toBe(false);
    expect((await recordOf(location)).process.pid).not.toBe(forgotten.pid);
  });

  it("that nobody recorded, its starter having died at once, is replaced too", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    await joined(location);
    const { process: forgotten } = await recordOf(location);
    await rm(location.record);
    await joined(location);
    expect(isRunning(forgotten)).toBe(false);
    expect(isRunning((await recordOf(location)).process)).toBe(true);
  });

  it("that cannot start is reported with what it said", async () => {
    const location = privateServerLocation(await stateRoot(), 0);
    const join = PrivateServer.join({
      location: { ...location, socket: `${location.directory}/${"x".repeat(120)}` },
      searchPath: process.env["PATH"],
      report: () => undefined,
    });
    await expect(join).rejects.toMatchObject({ code: "redis-start-failed" });
    expect(await readdir(location.references)).toEqual([]);
  });
});

describe("its place", () => {
  it("is below the state root, or a short one where that is too long for a socket", () => {
    expect(privateServerLocation("/home/ada/.local/state/autolith", 1000).socket).toBe(
      "/home/ada/.local/state/autolith/redis/s",
    );
    const long = `/home/${"x".repeat(100)}/.local/state/autolith`;
    const elsewhere = privateServerLocation(long, 1000);
    expect(elsewhere.socket).toMatch(/^\/var\/tmp\/autolith-1000-[0-9a-f]{12}\/s$/);
    expect(elsewhere.socket.length).toBeLessThanOrEqual(socketPathLimit);
    expect(privateServerLocation(`${long}2`, 1000).socket).not.toBe(elsewhere.socket);
  });
});

describe("a host", () => {
  const script = fileURLToPath(new URL("./use-redis.ts", import.meta.url));
  // The program itself needs PATH only; its own variables would hide what it inherits.
  const environment = { PATH: process.env["PATH"] ?? "" };

  async function host(root: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [script, root, "stay"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: environment,
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    await once(child.stdout, "data");
    return child;
  }

  it("C113: ends by itself after closing and leaves no server and no connection", async () => {
    const root = await stateRoot();
    const run = () => promisify(execFile)(process.execPath, [script, root, "close"], { env: environment });
    const { stdout, stderr } = await run();
    expect([stdout, stderr]).toEqual(["claimed\n", ""]);
    expect(await readServerRecord(privateServerLocation(root, 0).record)).toBeUndefined();
    const runtime = await RedisRuntime.open({
      environment: process.env,
      stateRoot: root,
      onError: () => undefined,
    });
    onTestFinished(() => runtime.close(1000));
    const { endpoint } = await joined(privateServerLocation(root, 0));
    const observer = await openConnection(endpoint, "producer", { onError: () => undefined });
    onTestFinished(() => closeConnection(observer, 200));
    const connections = async (): Promise<number> =>
      String(await observer.client("LIST"))
        .trim()
        .split("\n").length;
    const before = await connections();
    await Promise.all([run(), run(), run()]);
    await eventually(connections).toBe(before);
  });

  it("that is killed leaves its queues to be swept and its place to the next, who stops the server in the end", async () => {
    const root = await stateRoot();
    const child = await host(root);
    const location = privateServerLocation(root, 0);
    const { process: server } = await recordOf(location);
    child.kill("SIGKILL");
    await once(child, "exit");
    const runtime = await RedisRuntime.open({
      environment: process.env,
      stateRoot: root,
      onError: () => undefined,
    });
    expect((await recordOf(location)).process).toEqual(server);
    expect(await runtime.sweep()).toBe(1);
    expect(await runtime.sweep()).toBe(0);
    await runtime.close(1000);
    expect(isRunning(server)).toBe(false);
    expect(await readdir(location.references)).toEqual([]);
  });

  it("starts a server that died under it again, and work flows", async () => {
    const root = await stateRoot();
    const errors: unknown[] = [];
    const runtime = await RedisRuntime.open({
      environment: process.env,
      stateRoot: root,
      onError: (error) => errors.push(error),
    });
    onTestFinished(() => runtime.close(1000));
    const claims = new HeldClaims();
    claims.free = true;
    await runtime.queue.consume(limits, claims.handler);
    await runtime.queue.enqueue([entry()]);
    await claims.untilBegun(1);
    const connected = new Promise<void>((resolve) => {
      runtime.queue.onHealth((health) => {
        if (health === "connected") resolve();
      });
    });
    const dead = await killServer(privateServerLocation(root, 0));
    await connected;
    await runtime.queue.enqueue([entry()]);
    await claims.untilBegun(2);
    expect((await recordOf(privateServerLocation(root, 0))).process).not.toEqual(dead.process);
    expect(errors.length, "an outage is told in few words").toBeLessThanOrEqual(6);
  });

  it("whose Redis lost its data may enqueue again what its journal holds", async () => {
    const root = await stateRoot();
    const location = privateServerLocation(root, 0);
    const runtime = await RedisRuntime.open({
      environment: process.env,
      stateRoot: root,
      onError: () => undefined,
    });
    onTestFinished(() => runtime.close(1000));
    const claims = new HeldClaims();
    onTestFinished(() => claims.endAll());
    await runtime.queue.consume(limits, claims.handler);
    const entries = [entry("gates"), entry("gates")];
    await runtime.queue.enqueue(entries);
    await claims.untilBegun(1);
    const again = new Promise<void>((resolve, reject) => {
      runtime.queue.onHealth((health) => {
        if (health === "connected") runtime.queue.enqueue(entries.slice(1)).then(resolve, reject);
      });
    });
    const { process: server } = await recordOf(location);
    process.kill(server.pid, "SIGSTOP");
    await rm(join(location.directory, "appendonlydir"), { recursive: true });
    process.kill(server.pid, "SIGKILL");
    await again;
    claims.endAll();
    await claims.untilEnded(2);
    expect(claims.ids()).toEqual(entries.map(({ executionId }) => executionId));
  });

  it("that is stopped, as on a sleeping laptop, counts as alive however long that lasts", async () => {
    const root = await stateRoot();
    const child = await host(root);
    const runtime = await RedisRuntime.open({
      environment: process.env,
      stateRoot: root,
      onError: () => undefined,
    });
    child.kill("SIGSTOP");
    expect(await runtime.sweep()).toBe(0);
    await runtime.close(1000);
    const { process: server } = await recordOf(privateServerLocation(root, 0));
    expect(isRunning(server), "the stopped host still uses the server").toBe(true);
    child.kill("SIGCONT");
  });
});
