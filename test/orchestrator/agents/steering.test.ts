import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  SteeringMailbox,
  steeringMessageCharacters,
  steeringMessageLimit,
  steeringTotalCharacters,
} from "../../../orchestrator/agents/steering.ts";

const never = new AbortController().signal;
const recorded = (): Promise<void> => Promise.resolve();

/** A record that a test lets succeed or fail. */
function heldRecord() {
  const held: { readonly accept: () => void; readonly refuse: (error: Error) => void }[] = [];
  return {
    held,
    record: (): Promise<void> =>
      new Promise((accept, refuse) => {
        held.push({ accept, refuse });
      }),
  };
}

describe("the mailbox of a child", () => {
  it("a message counts at once, and is read only when it is durable", async () => {
    const { held, record } = heldRecord();
    const mailbox = new SteeringMailbox(record);
    const accepted = mailbox.push("first", "parent");
    expect(mailbox.pendingCount).toBe(1);
    const reading = mailbox.read(never);
    held[0]?.accept();
    expect((await reading).map(({ text }) => text)).toEqual(["first"]);
    expect(await accepted).toBe(1);
    expect(mailbox.pendingCount).toBe(1);
    mailbox.acknowledge(await reading);
    expect(mailbox.pendingCount).toBe(0);
  });

  it("a message that cannot be recorded was never there", async () => {
    const { held, record } = heldRecord();
    const mailbox = new SteeringMailbox(record);
    const accepted = mailbox.push("lost", "parent");
    held[0]?.refuse(new Error("disk full"));
    await expect(accepted).rejects.toThrow("disk full");
    expect([mailbox.pendingCount, await mailbox.read(never)]).toEqual([0, []]);
  });

  it("a message that comes while others are read stays for the next boundary", async () => {
    const mailbox = new SteeringMailbox(recorded);
    await mailbox.push("one", "parent");
    const read = await mailbox.read(never);
    await mailbox.push("two", "person");
    mailbox.acknowledge(read);
    expect((await mailbox.read(never)).map(({ text, from }) => [text, from])).toEqual([["two", "person"]]);
  });

  it("an ended child takes nothing, counts what it did not read, and says so to whoever was sending", async () => {
    const { held, record } = heldRecord();
    const mailbox = new SteeringMailbox(record);
    const late = mailbox.push("late", "parent");
    expect(mailbox.close()).toBe(1);
    held[0]?.accept();
    await expect(late).rejects.toMatchObject({ code: "steering-closed" });
    await expect(mailbox.push("later", "parent")).rejects.toMatchObject({ code: "steering-closed" });
  });

  it("an arrival wakes who waits for one", async () => {
    const mailbox = new SteeringMailbox(recorded);
    const arrival = mailbox.arrival(never);
    await mailbox.push("now", "parent");
    await arrival;
    const cancel = new AbortController();
    mailbox.acknowledge(await mailbox.read(never));
    const none = mailbox.arrival(cancel.signal);
    cancel.abort();
    await none;
    expect(mailbox.pendingCount).toBe(0);
  });

  it("is bounded in messages, in each and in all, and names the bound", async () => {
    const mailbox = new SteeringMailbox(recorded);
    await expect(mailbox.push("x".repeat(steeringMessageCharacters + 1), "parent")).rejects.toThrow(
      String(steeringMessageCharacters),
    );
    await mailbox.push("x".repeat(steeringMessageCharacters), "parent");
    await mailbox.push("x".repeat(steeringMessageCharacters), "parent");
    await expect(mailbox.push("y", "parent")).rejects.toThrow(String(steeringTotalCharacters));
    const small = new SteeringMailbox(recorded);
    for (let count = 0; count < steeringMessageLimit; count += 1) await small.push("m", "parent");
    await expect(small.push("m", "parent")).rejects.toMatchObject({ code: "steering-limit" });
    await expect(small.push("  ", "parent")).rejects.toMatchObject({ code: "steering-empty" });
  });

  it("property: every accepted message is read exactly once, in order, or counted as undelivered", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("push", "read"), { maxLength: 40 }), async (steps) => {
        const mailbox = new SteeringMailbox(recorded);
        const accepted: string[] = [];
        const read: string[] = [];
        for (const [index, step] of steps.entries()) {
          if (step === "push" && mailbox.pendingCount < steeringMessageLimit) {
            accepted.push(`m${index}`);
            await mailbox.push(`m${index}`, "parent");
          }
          if (step === "read") {
            const messages = await mailbox.read(never);
            read.push(...messages.map(({ text }) => text));
            mailbox.acknowledge(messages);
          }
        }
        const undelivered = mailbox.close();
        expect(read).toEqual(accepted.slice(0, accepted.length - undelivered));
      }),
    );
  });
});
