/** Mail between two sessions: pairs of grants, what the carrier loses or repeats, crashes of either side. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { childEndpoint, type MailScene, mailScene } from "../../support/peers/mail-scene.ts";
import { MemoryTransport } from "../../support/peers/memory-transport.ts";

const [near, far] = ["nearnea", "farfarf"];
const sender = { session: near };
const receiver = { session: far };
const signal = new AbortController().signal;

type Pair = { readonly transport: MemoryTransport; readonly here: MailScene; readonly there: MailScene };

async function pair(): Promise<Pair> {
  const directory = mkdtempSync(join(tmpdir(), "peers-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const transport = new MemoryTransport();
  const here = await mailScene(directory, near, transport, { receiptMs: 50 });
  const there = await mailScene(directory, far, transport);
  onTestFinished(async () => {
    await here.close();
    await there.close();
  });
  return { transport, here, there };
}

const grant = { id: "g", sender, receiver, context: false } as const;

async function granted(options: { readonly incoming?: boolean } = {}): Promise<Pair> {
  const scene = await pair();
  await scene.here.service.grant({ ...grant, scope: "outgoing" });
  if (options.incoming !== false) await scene.there.service.grant({ ...grant, scope: "incoming" });
  return scene;
}

describe("mail between sessions", () => {
  test("arrives, is claimed and acknowledged, and the sender sees that", async () => {
    const { here, there } = await granted();
    const sent = await here.service.send(sender, receiver, "m", "hello");
    expect(sent).toMatchObject({ state: "queued", accepted: true, scope: "outgoing" });
    const waiting = here.service.wait(sender, "m", 5_000, signal);
    expect(await there.service.wait(receiver, undefined, 5_000, signal)).toMatchObject({
      state: "queued",
      message: { payload: "hello" },
    });
    const claimed = await there.service.receive(receiver, undefined);
    await there.service.acknowledge(receiver, "m", claimed?.token ?? 0);
    expect(await waiting).toMatchObject({ state: "acknowledged", message: { id: "m" } });
    // A sender is not its own receiver.
    expect(await here.service.receive(receiver, undefined)).toBeUndefined();
    await expect(here.service.resolve("m", 1, "cancel")).rejects.toMatchObject({ reason: "message-scope" });
  });

  test("needs the grants of both sides; a refusal names its reason, and the same message goes out again once it is gone", async () => {
    const { here, there } = await granted({ incoming: false });
    // Nobody attends the mailbox before a session has a grant with another one.
    await there.service.grant({
      id: "other",
      sender: { session: "thirdth" },
      receiver,
      context: false,
      scope: "incoming",
    });
    await expect(here.service.send(sender, receiver, "m", "hello")).rejects.toMatchObject({
      reason: "grant",
    });
    expect(here.service.inspect(undefined, "m")).toMatchObject({
      state: "cancelled",
      result: "refused: grant",
    });
    await there.service.grant({ ...grant, scope: "incoming" });
    expect(await here.service.send(sender, receiver, "m", "hello")).toMatchObject({
      state: "queued",
      accepted: true,
    });
    await there.service.revoke("g");
    await expect(here.service.send(sender, receiver, "n", "hello")).rejects.toMatchObject({
      reason: "grant",
    });
    await here.service.revoke("g");
    await expect(here.service.send(sender, receiver, "o", "hello")).rejects.toMatchObject({
      reason: "grant",
    });
    expect(there.service.visible(undefined).map(({ id }) => id)).toEqual(["m"]);
  });

  test("to exact executions: a child that has ended, or another one, is refused", async () => {
    const { here, there } = await pair();
    const child = childEndpoint(far, 7);
    there.open.add(child.child?.execution ?? "");
    for (const [scene, scope] of [
      [here, "outgoing"],
      [there, "incoming"],
    ] as const)
      await scene.service.grant({ ...grant, receiver: child, scope });
    await here.service.send(sender, child, "m", "hello");
    await expect(here.service.send(sender, childEndpoint(far, 8), "n", "hello")).rejects.toMatchObject({
      reason: "grant",
    });
    there.open.clear();
    await expect(here.service.send(sender, child, "o", "hello")).rejects.toMatchObject({
      reason: "endpoint-lifecycle",
    });
  });

  test("for a child that ends before it takes it: who waits hears so, then and after a crash of either side", async () => {
    const { here, there } = await pair();
    const child = childEndpoint(far, 7);
    there.open.add(child.child?.execution ?? "");
    for (const [scene, scope] of [
      [here, "outgoing"],
      [there, "incoming"],
    ] as const)
      await scene.service.grant({ ...grant, receiver: child, scope });
    await here.service.send(sender, child, "m", "hello");
    await here.service.send(sender, child, "n", "hello");
    const claimed = await there.service.receive(child, "n");
    const waiting = here.service.wait(sender, "m", 5_000, signal);
    there.open.clear();
    await there.service.endpointEnded(child);
    expect(await waiting).toMatchObject({ state: "closed", message: { id: "m", state: "queued" } });
    expect(await here.service.wait(sender, "n", 5_000, signal)).toMatchObject({ state: "closed" });
    await here.crash();
    expect(await here.service.wait(sender, "m", 5_000, signal)).toMatchObject({ state: "closed" });
    // The primary there can still settle it, which is then what the sender hears.
    await there.service.resolve("m", undefined, "cancel");
    await there.service.resolve("n", claimed?.token, "acknowledge");
    await eventually(() => here.service.inspect(undefined, "m").state).toBe("cancelled");
    await eventually(() => here.service.inspect(undefined, "n").state).toBe("acknowledged");
  });

  test("for a child whose host died is told by the next one", async () => {
    const { here, there } = await pair();
    const child = childEndpoint(far, 7);
    there.open.add(child.child?.execution ?? "");
    for (const [scene, scope] of [
      [here, "outgoing"],
      [there, "incoming"],
    ] as const)
      await scene.service.grant({ ...grant, receiver: child, scope });
    await here.service.send(sender, child, "m", "hello");
    const waiting = here.service.wait(sender, "m", 5_000, signal);
    there.open.clear();
    await there.crash();
    await there.service.tellOfEnded();
    expect(await waiting).toMatchObject({ state: "closed" });
  });

  test("while the carrier is away stays here, says so, and arrives once it is back", async () => {
    const { transport, here, there } = await granted();
    transport.isAway = true;
    await expect(here.service.send(sender, receiver, "m", "hello")).rejects.toMatchObject({
      reason: "transport-unavailable",
    });
    await expect(here.service.send(sender, receiver, "m", "hello")).rejects.toMatchObject({
      reason: "transport-unavailable",
    });
    await here.crash();
    transport.comeBack();
    await eventually(() => there.service.visible(undefined).map(({ id }) => id)).toEqual(["m"]);
    await eventually(() => here.service.inspect(undefined, "m").accepted).toBe(true);
  });

  test("forged receipts and letters for others change nothing", async () => {
    const { transport, here, there } = await granted();
    await here.service.send(sender, receiver, "m", "hello");
    const receipt = {
      kind: "receipt",
      version: 1,
      id: "m",
      sender,
      receiver: childEndpoint(far, 1),
      state: "acknowledged",
    } as const;
    await transport.post(near, receipt);
    await transport.post(near, {
      kind: "message",
      version: 1,
      id: "x",
      sender: receiver,
      receiver: { session: "thirdth" },
      payload: "p",
      createdAt: 1,
    });
    await transport.quiet();
    expect(here.service.visible(undefined)).toMatchObject([{ id: "m", state: "queued" }]);
    expect(there.service.visible(undefined)).toHaveLength(1);
  });
});

type Step =
  | { readonly step: "send"; readonly id: string; readonly text: string }
  | { readonly step: "handle" }
  | { readonly step: "crash-here" | "crash-there" | "lose" | "away" | "back" | "repeat" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant("send" as const),
      id: fc.constantFrom("a", "b", "c", "d"),
      text: fc.constantFrom("1", "2"),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ step: "handle" } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constantFrom(
        "crash-here" as const,
        "crash-there" as const,
        "lose" as const,
        "away" as const,
        "back" as const,
        "repeat" as const,
      ),
    }),
  },
);

test("whatever is lost, repeated or killed: both sides agree in the end, and nothing is handled twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const directory = mkdtempSync(join(tmpdir(), "peers-"));
      const transport = new MemoryTransport();
      const here = await mailScene(directory, near, transport, { receiptMs: 0 });
      const there = await mailScene(directory, far, transport);
      const handled: string[] = [];
      const sent = new Map<string, string>();
      try {
        await here.service.grant({ ...grant, scope: "outgoing" });
        await there.service.grant({ ...grant, scope: "incoming" });
        for (const each of steps) {
          if (each.step === "send") {
            const outcome = await here.service.send(sender, receiver, each.id, each.text).then(
              () => "sent",
              (error: { reason?: string }) => error.reason,
            );
            const before = sent.get(each.id);
            if (before !== undefined && before !== each.text) expect(outcome).toBe("identity-conflict");
            else {
              expect(["sent", "transport-unavailable"]).toContain(outcome);
              sent.set(each.id, each.text);
            }
          } else if (each.step === "handle") {
            const message = await there.service.receive(receiver, undefined);
            if (message?.token === undefined) continue;
            handled.push(message.id);
            expect(message.payload).toBe(sent.get(message.id));
            await there.service.acknowledge(receiver, message.id, message.token);
          } else if (each.step === "crash-here") await here.crash();
          else if (each.step === "crash-there") await there.crash("(:CLAIMED :SEQ");
          else if (each.step === "lose") transport.lose();
          else if (each.step === "away") transport.isAway = true;
          else if (each.step === "back") transport.comeBack();
          else transport.isRepeating = !transport.isRepeating;
        }
        transport.comeBack();
        await transport.quiet();
        for (;;) {
          const message = await there.service.receive(receiver, undefined);
          if (message?.token === undefined) break;
          handled.push(message.id);
          await there.service.acknowledge(receiver, message.id, message.token);
        }
        await transport.quiet();
        expect([...handled].sort()).toEqual([...sent.keys()].sort());
        for (const scene of [here, there])
          expect(
            Object.fromEntries(scene.service.visible(undefined).map(({ id, state }) => [id, state])),
          ).toEqual(Object.fromEntries([...sent.keys()].map((id) => [id, "acknowledged"])));
      } finally {
        await here.close();
        await there.close();
        rmSync(directory, { recursive: true, force: true });
      }
    }),
    { numRuns: 60 },
  );
});
