import { expect, it } from "vitest";
import { MemoryQueue } from "../../../orchestrator/queue/memory-queue.ts";
import { HeldClaims, describeQueue, entry, limits } from "../../support/queue-conformance.ts";

describeQueue("the queue in memory", async () => {
  const errors: unknown[] = [];
  return { queue: new MemoryQueue((error) => errors.push(error)), errors };
});

it("plays a store that does not answer", async () => {
  const queue = new MemoryQueue(() => undefined);
  const claims = new HeldClaims();
  claims.free = true;
  await queue.consume(limits, claims.handler);
  const seen: string[] = [];
  const unsubscribe = queue.onHealth((health) => seen.push(health));
  queue.setHealth("degraded");
  await expect(queue.enqueue([entry()])).rejects.toMatchObject({
    code: "queue-unavailable",
    retry: "retryable",
  });
  queue.setHealth("connected");
  await queue.enqueue([entry()]);
  await claims.untilEnded(1);
  unsubscribe();
  queue.setHealth("degraded");
  expect(seen).toEqual(["degraded", "connected"]);
});
