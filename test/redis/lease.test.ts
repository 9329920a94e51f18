import type { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { closeConnection, openConnection } from "../../redis/connection.ts";
import { fenceKey, leaseKey } from "../../redis/keys.ts";
import { FenceGuard, type Lease, Leases } from "../../redis/lease.ts";
import { TestRedis } from "../support/redis-server.ts";

async function connected(): Promise<{ client: Redis; leases: Leases; redis: TestRedis }> {
  const redis = await TestRedis.start();
  const client = await openConnection(redis.endpoint, "producer", { onError: () => undefined });
  onTestFinished(() => closeConnection(client, 200));
  return { client, leases: new Leases(client), redis };
}

async function taken(leases: Leases, name: string, periodMs = 60_000): Promise<Lease> {
  const answer = await leases.acquire(name, periodMs);
  if (!("lease" in answer)) throw new Error(`held for ${answer.heldForMs} ms`);
  return answer.lease;
}

describe("leases", () => {
  it("are held by one at a time, with growing numbers", async () => {
    const { leases } = await connected();
    const first = await taken(leases, "conversation-a");
    const refused = await leases.acquire("conversation-a", 60_000);
    expect(refused).toMatchObject({
      heldForMs: expect.toSatisfy((ms: number) => ms > 50_000 && ms <= 60_000),
    });
    expect((await taken(leases, "conversation-b")).fence).toBeGreaterThan(1_700_000_000_000);
    await first.renew();
    await first.release();
    const second = await taken(leases, "conversation-a");
    expect(second.fence).toBeGreaterThan(first.fence);
    await first.release();
    await second.renew();
    await expect(first.renew()).rejects.toMatchObject({ code: "lease-lost" });
  });

  it("of many that ask at once one is given", async () => {
    const { leases } = await connected();
    const answers = await Promise.all(Array.from({ length: 20 }, () => leases.acquire("one", 60_000)));
    expect(answers.filter((answer) => "lease" in answer)).toHaveLength(1);
  });

  it("lapse when they are not renewed, and a late holder cannot come back", async () => {
    const { leases, client } = await connected();
    const late = await taken(leases, "x", 1);
    await eventually(() => client.exists(leaseKey("x"))).toBe(0);
    const next = await taken(leases, "x");
    expect(next.fence).toBeGreaterThan(late.fence);
    await expect(late.renew()).rejects.toMatchObject({ code: "lease-lost" });
    const guard = new FenceGuard();
    guard.check(late.fence);
    guard.check(next.fence);
    guard.check(next.fence);
    expect(() => guard.check(late.fence)).toThrow(expect.objectContaining({ code: "lease-lost" }));
  });

  it("renewing extends the period", async () => {
    const { leases, client } = await connected();
    const lease = await taken(leases, "y", 5000);
    await client.pexpire(leaseKey("y"), 1000);
    await lease.renew();
    expect(await client.pttl(leaseKey("y"))).toBeGreaterThan(4000);
  });

  it("numbers go on growing when the server forgets the last one, or its clock is set back", async () => {
    const { leases, client } = await connected();
    const first = await taken(leases, "q");
    await client.flushall();
    const second = await taken(leases, "q");
    expect(second.fence).toBeGreaterThanOrEqual(first.fence);
    await second.release();
    await client.set(fenceKey("q"), String(second.fence + 1_000_000));
    expect((await taken(leases, "q")).fence).toBe(second.fence + 1_000_001);
  });

  it("numbers go on growing over a restart of the server, whose scripts are gone", async () => {
    const { leases, client, redis } = await connected();
    const before = await taken(leases, "z", 1);
    await client.script("FLUSH");
    await redis.kill();
    await redis.start();
    await eventually(() => client.status).toBe("ready");
    await eventually(() => client.exists(leaseKey("z"))).toBe(0);
    expect((await taken(leases, "z")).fence).toBeGreaterThan(before.fence);
  });

  it("refuse periods that are none and report a server that is gone", async () => {
    const { leases, redis } = await connected();
    await expect(leases.acquire("p", 0)).rejects.toThrow(RangeError);
    const lease = await taken(leases, "p");
    await redis.kill();
    await expect(lease.renew()).rejects.toMatchObject({ code: "redis-unreachable" });
  });
});
