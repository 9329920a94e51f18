import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { closeConnection, openConnection } from "../../../redis/connection.ts";
import type { RedisEndpoint } from "../../../redis/endpoint.ts";
import { BullQueue, removeQueuesOf } from "../../../redis/queue/bull-queue.ts";
import { queuePrefix } from "../../../redis/keys.ts";
import { HeldClaims, entry, limits } from "../../support/queue-conformance.ts";
import { RedisProxy } from "../../support/redis-proxy.ts";
import { TestRedis } from "../../support/redis-server.ts";

interface Fixture {
  readonly redis: TestRedis;
  readonly queue: BullQueue;
  readonly producer: Redis;
  readonly hostId: string;
  readonly claims: HeldClaims;
  readonly errors: unknown[];
  readonly health: string[];
  /** Resolves when the health is what is named. */
  until(health: "connected" | "degraded"): Promise<void>;
}

async function fixture(...settings: string[]): Promise<Fixture> {
  const redis = await TestRedis.start(...settings);
  return fixtureAt(redis, redis.endpoint);
}

/** As `fixture`, reaching the server by another way. */
async function fixtureAt(redis: TestRedis, endpoint: RedisEndpoint): Promise<Fixture> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
  };
  const producer = await openConnection(endpoint, "producer", { onError });
  const consumer = await openConnection(endpoint, "consumer", { onError });
  const hostId = randomUUID();
  const healthCheck = { everyMs: 100, answerMs: 300 };
  const queue = new BullQueue({
    hostId,
    producer,
    consumer,
    onHandlerError: onError,
    onStoreError: onError,
    healthCheck,
  });
  const claims = new HeldClaims();
  const health: string[] = [];
  queue.onHealth((state) => health.push(state));
  onTestFinished(async () => {
    claims.endAll();
    await queue.close(1000);
    await Promise.all([closeConnection(producer, 200), closeConnection(consumer, 200)]);
  });
  const until = (state: "connected" | "degraded"): Promise<void> =>
    new Promise((resolve) => {
      if (queue.health === state) return resolve();
      const unsubscribe = queue.onHealth((now) => {
        if (now !== state) return;
        unsubscribe();
        resolve();
      });
    });
  return { redis, queue, producer, hostId, claims, errors, health, until };
}

/** Longest time in which work must flow again after the store is back (case C103). */
const recoveryMs = 10_000;

async function flows({ queue, claims }: Fixture): Promise<void> {
  const before = claims.begun.length;
  const start = performance.now();
  await queue.enqueue([entry(), entry("executions")]);
  await claims.untilBegun(before + 2);
  expect(performance.now() - start).toBeLessThan(recoveryMs);
}

describe("C103: Redis goes and comes back", () => {
  it("killed while idle: degraded meanwhile, enqueue is refused at once, then work flows", async () => {
    const under = await fixture();
    under.claims.free = true;
    await under.queue.consume(limits, under.claims.handler);
    await flows(under);
    await under.redis.kill();
    await under.until("degraded");
    const start = performance.now();
    await expect(under.queue.enqueue([entry()])).rejects.toMatchObject({
      code: "queue-unavailable",
      retry: "retryable",
    });
    expect(performance.now() - start).toBeLessThan(20_000);
    await under.redis.start();
    await under.until("connected");
    await flows(under);
    expect(under.health.slice(0, 2)).toEqual(["degraded", "connected"]);
  });

  it("killed while busy: what runs goes on, nothing is claimed twice, what waits is claimed", async () => {
    const under = await fixture();
    const { queue, claims } = under;
    await queue.consume(limits, claims.handler);
    const entries = Array.from({ length: 6 }, () => entry());
    await queue.enqueue(entries);
    await claims.untilBegun(2);
    await under.redis.kill();
    await under.until("degraded");
    claims.end(entries[0]?.executionId ?? "");
    await claims.untilEnded(1);
    await under.redis.start();
    await under.until("connected");
    // As the supervisor does: on a slow disk a killed server may have lost what it had just taken.
    await queue.enqueue(entries.slice(2));
    claims.endAll();
    await claims.untilEnded(6);
    expect(claims.ids().toSorted()).toEqual(entries.map(({ executionId }) => executionId).toSorted());
  });

  it("forgets its claims, as on a slow disk: nothing is claimed twice", async () => {
    const under = await fixture();
    const { queue, claims, producer } = under;
    await queue.consume(limits, claims.handler);
    const [running, later] = [entry(), entry()];
    await queue.enqueue([running]);
    await claims.untilBegun(1);
    await producer.flushall();
    await queue.enqueue([running, later]);
    await claims.untilBegun(2);
    claims.endAll();
    await claims.untilEnded(2);
    await queue.enqueue([running, entry()]);
    await claims.untilEnded(3);
    expect(claims.ids().filter((id) => id === running.executionId)).toHaveLength(1);
    expect(claims.ids()[1]).toBe(later.executionId);
  });

  it("CLIENT KILL of every connection, idle and busy", async () => {
    const under = await fixture();
    const { queue, claims } = under;
    await queue.consume(limits, claims.handler);
    const admin = await openConnection(under.redis.endpoint, "producer", { onError: () => undefined });
    onTestFinished(() => closeConnection(admin, 200));
    await queue.enqueue([entry()]);
    await claims.untilBegun(1);
    for (let round = 0; round < 3; round += 1) {
      await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      claims.endAll();
      // The kill is noticed in a moment or already over: what counts is that entries are taken and claimed.
      await eventually(() => queue.enqueue([entry()]).then(() => "taken")).toBe("taken");
      await flows(under);
    }
  });

  it("an entry whose claim was lost on the way is claimed when it is requeued", async () => {
    const redis = await TestRedis.start();
    const proxy = await RedisProxy.open(join(redis.directory, "s"));
    const under = await fixtureAt(redis, { kind: "unix", path: proxy.path, database: 0 });
    const { queue, claims } = under;
    claims.free = true;
    await queue.consume(limits, claims.handler);
    await flows(under);
    const lost = entry();
    const reply = Promise.withResolvers<void>();
    proxy.loseReplyTo = (request) => {
      const isClaim =
        /evalsha/i.test(request) &&
        request.includes(":active") &&
        request.includes(":marker") &&
        !request.includes(lost.executionId);
      if (isClaim) reply.resolve();
      return isClaim;
    };
    await queue.enqueue([lost]);
    await reply.promise;
    await expect
      .poll(
        async () => {
          // As the supervisor does with everything that is still queued.
          await queue.requeue([lost]).catch(() => undefined);
          return claims.ids().filter((id) => id === lost.executionId).length;
        },
        { timeout: recoveryMs, interval: 1500 },
      )
      .toBe(1);
  });

  it("a server that hangs with open connections is noticed, and work flows when it goes on", async () => {
    const under = await fixture();
    under.claims.free = true;
    await under.queue.consume(limits, under.claims.handler);
    await flows(under);
    under.redis.signal("SIGSTOP");
    await under.until("degraded");
    const start = performance.now();
    await expect(under.queue.enqueue([entry()])).rejects.toMatchObject({ code: "queue-unavailable" });
    expect(performance.now() - start).toBeLessThan(20_000);
    under.redis.signal("SIGCONT");
    await under.until("connected");
    await flows(under);
  });

  it("its data lost: entries can be enqueued again and flow", async () => {
    const under = await fixture();
    const { queue, claims } = under;
    await queue.consume({ ...limits, children: 1 }, claims.handler);
    const [running, waiting] = [entry(), entry()];
    await queue.enqueue([running, waiting]);
    await claims.untilBegun(1);
    await under.producer.flushall();
    await queue.enqueue([waiting]);
    claims.endAll();
    await claims.untilBegun(2);
    expect(claims.ids()).toEqual([running.executionId, waiting.executionId]);
  });

  it("closes within its deadline while Redis is gone", async () => {
    const under = await fixture();
    await under.queue.consume(limits, under.claims.handler);
    await under.queue.enqueue([entry()]);
    await under.claims.untilBegun(1);
    await under.redis.kill();
    const start = performance.now();
    await under.queue.close(500);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

describe("a full server", () => {
  it("refuses entries with a code of its own", async () => {
    const under = await fixture("--maxmemory", "1500000");
    const filler = "x".repeat(100_000);
    let full = false;
    for (let index = 0; index < 50 && !full; index += 1) {
      full = await under.producer.set(`filler${index}`, filler).then(
        () => false,
        () => true,
      );
    }
    expect(full).toBe(true);
    await expect(under.queue.enqueue([entry()])).rejects.toMatchObject({
      code: "redis-full",
      retry: "retryable",
    });
  });
});

describe("C107: Redis memory", () => {
  const usedMemory = async (client: Redis): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await client.info("memory"))?.[1]);

  it("holds ids only and returns to where it began after thousands of jobs", async () => {
    const under = await fixture();
    const { queue, claims, producer } = under;
    claims.free = true;
    await queue.consume({ ...limits, children: 32 }, claims.handler);
    const batch = async (): Promise<void> => {
      const before = claims.ended.length;
      await queue.enqueue(Array.from({ length: 500 }, () => entry()));
      await claims.untilEnded(before + 500);
    };
    await batch();
    await eventually(() => producer.zcard(`${queuePrefix}:${under.hostId}.children:completed`)).toBe(100);
    const start = await usedMemory(producer);
    for (let round = 0; round < 20; round += 1) await batch();
    await eventually(() => producer.zcard(`${queuePrefix}:${under.hostId}.children:completed`)).toBe(100);
    expect((await usedMemory(producer)) - start).toBeLessThan(1_000_000);
    const [id = ""] = await producer.zrange(`${queuePrefix}:${under.hostId}.children:completed`, "0", "0");
    const data = await producer.hget(`${queuePrefix}:${under.hostId}.children:${id}`, "data");
    expect(Object.keys(JSON.parse(data ?? "{}") as object).toSorted()).toEqual([
      "conversationId",
      "executionId",
      "kind",
    ]);
    expect(await producer.xlen(`${queuePrefix}:${under.hostId}.children:events`)).toBeLessThan(1000);
  }, 180_000);

  it("keeps nothing of a host that has closed its queue, or of one that died", async () => {
    const under = await fixture();
    const { queue, claims, producer } = under;
    await queue.consume(limits, claims.handler);
    await queue.enqueue([entry(), entry(), entry(), entry("gates")]);
    await claims.untilBegun(3);
    await removeQueuesOf(under.hostId, producer);
    expect(await producer.keys("*")).toEqual([]);
    claims.endAll();
    await queue.enqueue([entry()]);
    await queue.close(1000);
    expect(await producer.keys("*")).toEqual([]);
  });
});
