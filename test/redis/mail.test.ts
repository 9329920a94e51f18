/** Mail over a real Redis: order, waking, loss of connection, data and attendants, bounds. */
import { describe, expect, it, onTestFinished } from "vitest";
import { closeConnection, openConnection } from "../../redis/connection.ts";
import { mailboxKey } from "../../redis/keys.ts";
import { RedisMail, waitingLetterLimit } from "../../redis/mail/redis-mail.ts";
import { ConnectionHealth } from "../../redis/queue/connection-health.ts";
import type { PeerLetter } from "../../orchestrator/peers/peer-transport.ts";
import { eventually } from "../support/eventually.ts";
import { TestRedis } from "../support/redis-server.ts";

async function mailOver(redis: TestRedis): Promise<{
  readonly mail: RedisMail;
  readonly errors: unknown[];
  readonly client: Awaited<ReturnType<typeof openConnection>>;
}> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const client = await openConnection(redis.endpoint, "producer", { onError });
  const health = new ConnectionHealth([client], { everyMs: 50, answerMs: 500 });
  const mail = new RedisMail({
    commands: client,
    openSubscriber: () => openConnection(redis.endpoint, "consumer", { onError }),
    onHealth: (listener) => health.subscribe(listener),
    onError,
  });
  onTestFinished(async () => {
    health.stop();
    await mail.close(200);
    await closeConnection(client, 200);
  });
  return { mail, errors, client };
}

const letter = (id: string): PeerLetter => ({
  kind: "message",
  version: 1,
  id,
  sender: { session: "a" },
  receiver: { session: "b" },
  payload: `text of ${id}`,
  createdAt: 1,
});

describe("mail over Redis", () => {
  it("waits while nobody attends, comes in order, and is gone once it was taken", async () => {
    const redis = await TestRedis.start();
    const [here, there] = [await mailOver(redis), await mailOver(redis)];
    for (const id of ["1", "2", "3"]) await here.mail.post("b", letter(id));
    const taken: string[] = [];
    const attended = await there.mail.attend("b", ({ id }) => {
      taken.push(id);
      return Promise.resolve();
    });
    await eventually(() => taken).toEqual(["1", "2", "3"]);
    await here.mail.post("b", letter("4"));
    await eventually(() => taken).toEqual(["1", "2", "3", "4"]);
    await eventually(() => here.client.exists(mailboxKey("b"))).toBe(0);
    await attended.close();
    await here.mail.post("b", letter("5"));
    expect(await here.client.xlen(mailboxKey("b"))).toBe(1);
    expect(taken).toHaveLength(4);
  });

  it("offers a letter again that could not be taken, before those that follow, and drops what is none", async () => {
    const redis = await TestRedis.start();
    const { mail, client, errors } = await mailOver(redis);
    const taken: string[] = [];
    let refusals = 1;
    await mail.attend("b", ({ id }) => {
      if (id === "1" && refusals-- > 0) return Promise.reject(new Error("the disk is full"));
      taken.push(id);
      return Promise.resolve();
    });
    await client.xadd(mailboxKey("b"), "*", "letter", "{");
    await client.xadd(mailboxKey("b"), "*", "letter", '{"kind":"letter"}');
    await mail.post("b", letter("1"));
    await mail.post("b", letter("2"));
    await eventually(() => taken).toEqual(["1", "2"]);
    expect(errors).toMatchObject([
      { code: "mail-malformed" },
      { code: "mail-malformed" },
      { message: "the disk is full" },
    ]);
  });

  it("says that a letter's arrival is unknown while Redis is gone, and goes on with what is there when it is back", async () => {
    const redis = await TestRedis.start();
    const [here, there] = [await mailOver(redis), await mailOver(redis)];
    const taken: string[] = [];
    let returns = 0;
    here.mail.onReturn(() => (returns += 1));
    await there.mail.attend("b", ({ id }) => {
      taken.push(id);
      return Promise.resolve();
    });
    await here.mail.post("b", letter("1"));
    await eventually(() => taken).toEqual(["1"]);
    await redis.kill();
    await expect(here.mail.post("b", letter("2"))).rejects.toMatchObject({
      code: "mail-unavailable",
      retry: "retryable",
    });
    await redis.start();
    await eventually(() => returns).toBeGreaterThan(0);
    await here.mail.post("b", letter("2"));
    // What was taken may come once more: the server died before it had kept that.
    await eventually(() => [...new Set(taken)]).toEqual(["1", "2"]);
  });

  it("refuses more letters than may wait, with the number", async () => {
    const redis = await TestRedis.start();
    const { mail, client } = await mailOver(redis);
    const filling = client.pipeline();
    for (let count = 0; count < waitingLetterLimit; count += 1)
      filling.xadd(mailboxKey("b"), "*", "letter", "x");
    await filling.exec();
    await expect(mail.post("b", letter("1"))).rejects.toMatchObject({
      code: "mail-full",
      message: expect.stringContaining(String(waitingLetterLimit)) as string,
    });
  });
});
