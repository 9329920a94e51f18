/** The bounds of a session's mail, and what a crash between handing over and acknowledging leaves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { grantLimit, mailboxLimit, messageLimit } from "../../../orchestrator/peers/peer-decisions.ts";
import { openPeerJournal } from "../../../orchestrator/peers/peer-journal.ts";
import { peerTextLimit } from "../../../orchestrator/peers/peer-records.ts";
import type { PeerServiceParts } from "../../../orchestrator/peers/peer-service.ts";
import { type MailScene, childEndpoint, mailScene } from "../../support/peers/mail-scene.ts";
import { MemoryTransport } from "../../support/peers/memory-transport.ts";

const session = "abcdefg";
const primary = { session };
const child = childEndpoint(session, 1);

async function scene(options: Partial<PeerServiceParts> = {}): Promise<MailScene> {
  const directory = mkdtempSync(join(tmpdir(), "peers-"));
  const opened = await mailScene(directory, session, new MemoryTransport(), {
    isOpen: () => true,
    ...options,
  });
  onTestFinished(async () => {
    await opened.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return opened;
}

const grant = { id: "g", sender: child, receiver: primary, context: false, scope: "local" } as const;

describe("bounds", () => {
  test("a child that has ended takes part in nothing new, and the refusal says where to look", async () => {
    const { service } = await scene({ isOpen: ({ child: each }) => each === undefined });
    await expect(service.grant(grant)).rejects.toMatchObject({
      reason: "endpoint-lifecycle",
      message: expect.stringContaining("job.list shows which are") as string,
    });
  });

  test("unsettled messages of a receiver: settling one makes room", async () => {
    const { service } = await scene();
    await service.grant(grant);
    for (let index = 0; index < mailboxLimit; index += 1)
      await service.send(child, primary, `m${index}`, "x");
    await expect(service.send(child, primary, "more", "x")).rejects.toMatchObject({
      reason: "capacity",
      message: expect.stringContaining(String(mailboxLimit)) as string,
    });
    const claimed = await service.receive(primary, undefined);
    await expect(service.send(child, primary, "more", "x")).rejects.toMatchObject({ reason: "capacity" });
    await service.acknowledge(primary, claimed?.id ?? "", claimed?.token ?? 0);
    expect(await service.send(child, primary, "more", "x")).toMatchObject({ state: "queued" });
  });

  test("messages of a session: none is forgotten to make room", async () => {
    const { service } = await scene();
    await service.grant(grant);
    for (let index = 0; index < messageLimit; index += 1) {
      await service.send(child, primary, `m${index}`, "x");
      const claimed = await service.receive(primary, undefined);
      await service.acknowledge(primary, claimed?.id ?? "", claimed?.token ?? 0);
    }
    await expect(service.send(child, primary, "more", "x")).rejects.toMatchObject({
      reason: "capacity",
      message: expect.stringContaining(String(messageLimit)) as string,
    });
    expect(await service.send(child, primary, "m0", "x")).toMatchObject({ state: "acknowledged" });
  });

  test("grants: a revoked one makes room and never comes back", async () => {
    const { service } = await scene();
    for (let index = 0; index < grantLimit; index += 1) await service.grant({ ...grant, id: `g${index}` });
    await expect(service.grant({ ...grant, id: "more" })).rejects.toMatchObject({ reason: "grant-capacity" });
    await service.revoke("g7");
    await expect(service.grant({ ...grant, id: "g7" })).rejects.toMatchObject({
      reason: "grant-conflict",
      message: expect.stringContaining("was revoked for good; use another id") as string,
    });
    expect(await service.grant({ ...grant, id: "more" })).toMatchObject({ active: true });
  });

  test("texts: the longest is whole after a restart, one character more and none are refused; NUL and lone surrogates are not kept", async () => {
    const opened = await scene();
    await opened.service.grant(grant);
    const longest = "é\n".repeat(peerTextLimit / 2);
    await opened.service.send(child, primary, "m", longest);
    await opened.service.send(child, primary, "odd", "a\0b\uD800c");
    for (const text of ["", "\0", `${longest}x`])
      await expect(opened.service.send(child, primary, "n", text)).rejects.toMatchObject({
        reason: "payload-limit",
      });
    await opened.crash();
    expect(opened.service.inspect(undefined, "m").payload).toBe(longest);
    expect(opened.service.inspect(undefined, "odd").payload).toBe("ab\uFFFDc");
    expect(await opened.service.send(child, primary, "odd", "a\0b\uD800c")).toMatchObject({
      state: "queued",
    });
  });

  test("the journal", async () => {
    const directory = mkdtempSync(join(tmpdir(), "peers-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const journal = await openPeerJournal(join(directory, "x"), () => undefined, { limitBytes: 1 });
    await journal.append([{ kind: "revoked", at: 1, id: "g" }]);
    await expect(journal.append([{ kind: "revoked", at: 1, id: "g" }])).rejects.toMatchObject({
      reason: "storage-limit",
    });
    await journal.close();
  });
});

describe("handing over", () => {
  test("what is in the receiver's record counts as handled after a crash, what is not is uncertain", async () => {
    const handedOver = new Set<string>();
    const opened = await scene({ handedOver });
    await opened.service.grant({ ...grant, context: true });
    await opened.service.send(child, primary, "kept", "x");
    await opened.service.send(child, primary, "lost", "x");
    // The record of `kept` is written, that of `lost` is not, and neither is acknowledged.
    await expect(
      opened.service.handOver(primary, ({ id }) => {
        if (id === "kept") handedOver.add(id);
        return Promise.reject(new Error("killed"));
      }),
    ).rejects.toThrow("killed");
    await opened.service.receive(primary, "lost");
    await opened.crash();
    expect(opened.service.visible(undefined).map(({ id, state }) => [id, state])).toEqual([
      ["kept", "acknowledged"],
      ["lost", "unknown"],
    ]);
    expect(opened.service.contextWaiting(primary)).toEqual([]);
  });

  test("only what a current grant with context covers comes by itself, in order, at most a boundary's worth", async () => {
    const { service } = await scene();
    const other = childEndpoint(session, 2);
    await service.grant({ ...grant, context: true });
    await service.grant({ ...grant, id: "plain", sender: other });
    for (let index = 0; index < 20; index += 1) await service.send(child, primary, `m${index}`, "x");
    await service.send(other, primary, "other", "x");
    const recorded: string[] = [];
    const record = ({ id }: { readonly id: string }): Promise<void> => {
      recorded.push(id);
      return Promise.resolve();
    };
    expect(await service.handOver(primary, record)).toHaveLength(16);
    expect(await service.handOver(primary, record)).toHaveLength(4);
    expect(await service.handOver(primary, record)).toHaveLength(0);
    expect(recorded).toEqual(Array.from({ length: 20 }, (_, index) => `m${index}`));
    await service.send(child, primary, "late", "x");
    await service.revoke("g");
    expect(await service.handOver(primary, record)).toEqual([]);
    expect((await service.receive(primary, undefined))?.id).toBe("other");
  });

  test("a wait ends when the mailbox is closed, its receiver ends, or its caller is cancelled", async () => {
    const open = new Set(["first"]);
    const { service } = await scene({ isOpen: ({ child: who }) => who === undefined || open.has("first") });
    await service.grant({ ...grant, sender: primary, receiver: child });
    await service.send(primary, child, "m", "x");
    const abort = new AbortController();
    const waiting = service.wait(primary, "m", 5_000, abort.signal);
    open.clear();
    await service.endpointEnded(child);
    expect(await waiting).toMatchObject({ state: "closed", message: { id: "m" } });
    const cancelled = service.wait(primary, undefined, 5_000, abort.signal);
    abort.abort("user");
    await expect(cancelled).rejects.toBe("user");
    const last = service.wait(primary, undefined, 5_000, new AbortController().signal);
    await service.close();
    expect(await last).toMatchObject({ state: "closed" });
    await expect(service.send(primary, child, "n", "x")).rejects.toMatchObject({ reason: "closed" });
    expect(await service.wait(primary, "m", 0, new AbortController().signal)).toMatchObject({
      state: "closed",
    });
  });
});
