import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { closeConnection, openConnection } from "../../../redis/connection.ts";
import { BullQueue } from "../../../redis/queue/bull-queue.ts";
import { describeQueue, type QueueUnderTest } from "../../support/queue-conformance.ts";
import { TestRedis } from "../../support/redis-server.ts";

async function bullQueue(): Promise<QueueUnderTest> {
  const redis = await TestRedis.start();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
  };
  const producer = await openConnection(redis.endpoint, "producer", { onError });
  const consumer = await openConnection(redis.endpoint, "consumer", { onError });
  const queue = new BullQueue({
    hostId: randomUUID(),
    producer,
    consumer,
    onHandlerError: onError,
    onStoreError: onError,
  });
  onTestFinished(async () => {
    await queue.close(2000);
    await Promise.all([closeConnection(producer, 500), closeConnection(consumer, 500)]);
  });
  return { queue, errors };
}

describeQueue("the queue on BullMQ", bullQueue);
