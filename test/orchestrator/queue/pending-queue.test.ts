import { expect, test } from "vitest";
import type { QueueHealth } from "../../../orchestrator/contract/queue.ts";
import { MemoryQueue } from "../../../orchestrator/queue/memory-queue.ts";
import { PendingQueue } from "../../../orchestrator/queue/pending-queue.ts";

const limits = { children: 1, executions: 1, evaluations: 1, gates: 1, wakeups: 1 };

test("what is asked of a queue that is being opened waits for it", async () => {
  const opening = Promise.withResolvers<MemoryQueue>();
  const queue = new PendingQueue(opening.promise);
  const heard: QueueHealth[] = [];
  queue.onHealth((health) => heard.push(health));
  let consuming = false;
  const consumer = queue
    .consume(limits, async () => undefined)
    .then((found) => {
      consuming = true;
      return found;
    });
  await Promise.resolve();
  expect(consuming).toBe(false);
  const inner = new MemoryQueue(() => undefined);
  opening.resolve(inner);
  await (await consumer).close(1_000);
  expect(queue.health).toBe(inner.health);
  await queue.close(1_000);
});

test("a queue that cannot be opened is told to whoever uses it, and to nobody else", async () => {
  const queue = new PendingQueue(Promise.reject(new Error("no server")));
  queue.onHealth(() => undefined);
  await expect(queue.consume(limits, async () => undefined)).rejects.toThrow("no server");
  await expect(queue.enqueue([])).rejects.toThrow("no server");
  await queue.close(10);
});
