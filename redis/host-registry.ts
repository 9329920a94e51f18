import type { Redis } from "ioredis";
import { z } from "zod";
import { isRunning, processIdentity } from "../orchestrator/record/process-identity.ts";
import { type HostId, hostRegistryKey } from "./keys.ts";
import { removeQueuesOf } from "./queue/bull-queue.ts";

const registrationSchema = z.object({
  pid: z.int(),
  bootId: z.string(),
  startTicks: z.int().nonnegative(),
  /** Epoch milliseconds by the server's clock. */
  registeredAt: z.number().int(),
});

/** After this time the queues of a host on another machine, whose process we cannot see, count as left behind. */
const foreignHostLifetimeMs = 30 * 24 * 3600 * 1000;

/** Makes this host known, so that its queues are removed when it dies without doing so. */
export async function registerHost(client: Redis, hostId: HostId): Promise<void> {
  const registration = { ...processIdentity(), registeredAt: await serverNow(client) };
  await client.hset(hostRegistryKey, hostId, JSON.stringify(registration));
}

/** Forgets a host whose queues are gone. */
export async function unregisterHost(client: Redis, hostId: HostId): Promise<void> {
  await client.hdel(hostRegistryKey, hostId);
}

/**
 * Removes the queues of hosts that died: nobody claims from them any more, and the journals hold what was in them.
 * Returns how many hosts were swept.
 */
export async function sweepDeadHosts(client: Redis): Promise<number> {
  const hosts = Object.entries(await client.hgetall(hostRegistryKey));
  if (hosts.length === 0) return 0;
  const now = await serverNow(client);
  let swept = 0;
  for (const [hostId, text] of hosts) {
    if (!isLeftBehind(text, now)) continue;
    await removeQueuesOf(hostId, client);
    await unregisterHost(client, hostId);
    swept += 1;
  }
  return swept;
}

function isLeftBehind(text: string, now: number): boolean {
  const parsed = registrationSchema.safeParse(readJson(text));
  if (!parsed.success) return true;
  const { registeredAt, ...identity } = parsed.data;
  const ofThisMachine = identity.bootId === processIdentity().bootId;
  return ofThisMachine ? !isRunning(identity) : now - registeredAt > foreignHostLifetimeMs;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function serverNow(client: Redis): Promise<number> {
  const [seconds] = await client.time();
  return Number(seconds) * 1000;
}
