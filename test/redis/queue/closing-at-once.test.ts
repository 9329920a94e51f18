import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { closeConnection, openConnection } from "../../../redis/connection.ts";
import { BullQueue } from "../../../redis/queue/bull-queue.ts";
import { eventually } from "../../support/eventually.ts";
import { HeldClaims, limits } from "../../support/queue-conformance.ts";
import { TestRedis } from "../../support/redis-server.ts";

it("a queue that is closed while what claims is still being connected leaves no connection", async () => {
  const redis = await TestRedis.start();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const open = (purpose: "producer" | "consumer") => openConnection(redis.endpoint, purpose, { onError });
  const watcher = await open("producer");
  const [producer, consumer] = await Promise.all([open("producer"), open("consumer")]);
  onTestFinished(async () => {
    await Promise.all([watcher, producer, consumer].map((client) => closeConnection(client, 200)));
  });
  const connections = async (): Promise<number> => {
    const list = (await watcher.client("LIST")) as string;
    return list.trim().split("\n").length;
  };
  const before = await connections();
  // From at once to when everything stands.
  for (const pauseMs of [0, 0, 1, 2, 3, 5, 8, 13, 21, 34]) {
    const queue = new BullQueue({
      hostId: randomUUID(),
      producer,
      consumer,
      onHandlerError: onError,
      onStoreError: onError,
      expected: ["children", "executions"],
    });
    // oxlint-disable-next-line no-await-in-loop -- one host after the other
    await queue.consume(limits, new HeldClaims().handler);
    if (pauseMs > 0) await delay(pauseMs);
    // oxlint-disable-next-line no-await-in-loop -- one host after the other
    await queue.close(1_000);
  }
  await eventually(connections).toBe(before);
  expect(errors).toEqual([]);
});
