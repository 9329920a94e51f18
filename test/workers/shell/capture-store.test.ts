import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countedBytes, defaultCaptureLimits, planRetention } from "../../../workers/shell/capture-record.ts";
import type { CaptureRecord } from "../../../workers/shell/capture-record.ts";
import { CaptureStore } from "../../../workers/shell/capture-store.ts";
import type { ArtifactName, OpenCapture } from "../../../workers/shell/capture-store.ts";
import { mountOf } from "../../../workers/shell/file-system-name.ts";
import { scratchDirectory } from "../spawner/collect.ts";

const request = {
  conversationId: "conv",
  executionId: "exec",
  separate: false,
  protectUntilDelivered: false,
};

function nameOf(capture: OpenCapture): ArtifactName {
  if (capture.artifact === undefined) throw new Error("The capture has no files.");
  return capture.artifact;
}

async function captured(store: CaptureStore, text: string, options = {}): Promise<ArtifactName> {
  const capture = await store.open({ ...request, ...options });
  await capture.output.write(Buffer.from(text));
  await store.close(capture, true);
  return nameOf(capture);
}

describe("CaptureStore", () => {
  test("keeps raw bytes under private files and finds them by reference, also from another store", async () => {
    const root = scratchDirectory();
    const artifact = await captured(new CaptureStore({ root }), "raw\u0000bytes");
    const found = await new CaptureStore({ root }).find({ ...artifact, stream: "output" });
    if (found.kind !== "present") throw new Error(found.kind);
    expect(readFileSync(found.path, "latin1")).toBe("raw\u0000bytes");
    expect(found.stream).toEqual({ status: "complete", observedBytes: 9, retainedBytes: 9 });
    expect(await new CaptureStore({ root }).find({ ...artifact, stream: "error" })).toEqual({
      kind: "missing",
    });
  });

  test("a stream over its limit is retained up to it and says so", async () => {
    const store = new CaptureStore({ root: scratchDirectory(), limits: { streamBytes: 10 } });
    const capture = await store.open(request);
    await capture.output.write(Buffer.from("0123456"));
    await capture.output.write(Buffer.from("789abcdef"));
    const closed = await store.close(capture, true);
    expect(closed.output).toEqual({ status: "limit", observedBytes: 16, retainedBytes: 10 });
    expect(capture.output.window.sample(100).head.toString()).toBe("0123456789abcdef");
  });

  test("a running capture can be read; one of a dead host is interrupted", async () => {
    const root = scratchDirectory();
    const store = new CaptureStore({ root });
    const capture = await store.open(request);
    await capture.output.write(Buffer.from("so far"));
    const reference = { ...nameOf(capture), stream: "output" } as const;
    expect(await store.find(reference)).toMatchObject({ stream: { status: "capturing", retainedBytes: 6 } });
    const file = join(root, "conv", "exec", reference.artifactId, "capture.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"pid":[0-9]+/, '"pid":4194304'));
    expect(await store.find(reference)).toMatchObject({
      record: { state: "interrupted" },
      stream: { status: "interrupted", retainedBytes: 6 },
    });
    await store.close(capture, true);
  });

  test("prunes the oldest delivered capture under pressure, leaves a tombstone and no empty directory", async () => {
    const root = scratchDirectory();
    let now = 1000;
    const store = new CaptureStore({ root, limits: { artifacts: 2, streamBytes: 100 }, now: () => now++ });
    const first = await captured(store, "1", { executionId: "first" });
    const second = await captured(store, "2");
    const third = await captured(store, "3");
    expect(await store.find({ ...first, stream: "output" })).toMatchObject({ kind: "pruned" });
    expect(existsSync(join(root, "conv", "first"))).toBe(false);
    for (const kept of [second, third])
      expect((await store.find({ ...kept, stream: "output" })).kind).toBe("present");
  });

  test("undelivered evidence is protected until it is delivered", async () => {
    const store = new CaptureStore({ root: scratchDirectory(), limits: { artifacts: 1 } });
    const protectedOne = await captured(store, "1", { protectUntilDelivered: true });
    const refused = await store.open(request);
    expect(refused.artifact).toBeUndefined();
    await refused.output.write(Buffer.from("still shown"));
    const closed = await store.close(refused, true);
    expect(closed.output).toMatchObject({ status: "failed", observedBytes: 11 });
    expect(closed.output.failure).toContain("1 artifacts");
    expect(refused.output.window.sample(100).head.toString()).toBe("still shown");
    await store.release(protectedOne.conversationId, protectedOne.executionId);
    await captured(store, "2");
    expect((await store.find({ ...protectedOne, stream: "output" })).kind).toBe("pruned");
  });

  test("a whole conversation is let go at once, and strangers' names are ignored", async () => {
    const store = new CaptureStore({ root: scratchDirectory() });
    await captured(store, "1", { executionId: "one", protectUntilDelivered: true });
    await captured(store, "2", { executionId: "two", protectUntilDelivered: true });
    await captured(store, "3", { conversationId: "other", protectUntilDelivered: true });
    await store.release("conv");
    await store.release("none");
    await store.release("../conv", "one");
    expect((await store.list()).filter(({ delivered }) => !delivered)).toMatchObject([
      { conversationId: "other" },
    ]);
  });

  test("a capture directory that cannot be made is reported with its place and loses no output", async () => {
    const root = join(scratchDirectory(), "file");
    writeFileSync(root, "");
    const store = new CaptureStore({ root: join(root, "below") });
    const capture = await store.open(request);
    await capture.output.write(Buffer.from("text"));
    expect((await store.close(capture, true)).output.failure).toContain(root);
    expect(capture.output.window.observedBytes).toBe(4);
  });

  test("torn records, strangers' files and names that climb are no captures", async () => {
    const root = scratchDirectory();
    const store = new CaptureStore({ root });
    const artifact = await captured(store, "x");
    writeFileSync(join(root, "conv", "exec", artifact.artifactId, "capture.json"), '{"version":1,');
    mkdirSync(join(root, "conv", "exec", "stranger"));
    expect(await store.list()).toEqual([]);
    expect(await store.find({ ...artifact, stream: "output" })).toEqual({ kind: "missing" });
    await expect(store.open({ ...request, executionId: "../up" })).rejects.toThrow(RangeError);
    expect(readdirSync(root)).toEqual(["conv"]);
  });
});

describe("planRetention", () => {
  const streamRecord = fc.record({
    state: fc.constantFrom("active" as const, "closed" as const, "interrupted" as const),
    age: fc.nat({ max: 1000 }),
    delivered: fc.boolean(),
    bytes: fc.nat({ max: 50 }),
  });

  test("never touches active or undelivered captures for room and always tells the truth about fitting", () => {
    fc.assert(
      fc.property(fc.array(streamRecord, { maxLength: 12 }), fc.nat({ max: 60 }), (rows, incoming) => {
        const records = rows.map((row, index): CaptureRecord => ({
          ...{
            version: 1,
            conversationId: "c",
            executionId: "e",
            artifactId: String(index),
            state: row.state,
          },
          owner: { bootId: "", pid: 1, startTicks: 1 },
          openedAt: 10_000 - row.age,
          delivered: row.delivered,
          reservedBytes: 30,
          output: { status: "complete", observedBytes: row.bytes, retainedBytes: row.bytes },
        }));
        const limits = {
          ...defaultCaptureLimits,
          totalBytes: 200,
          artifacts: 6,
          ageMs: 700,
          undeliveredAgeMs: 900,
        };
        const plan = planRetention(records, incoming, limits, 10_000);
        for (const record of plan.prune) {
          expect(record.state).not.toBe("active");
          if (!record.delivered) expect(10_000 - record.openedAt).toBeGreaterThan(limits.undeliveredAgeMs);
        }
        const kept = records.filter((record) => !plan.prune.includes(record));
        const bytes = kept.reduce((sum, record) => sum + countedBytes(record), 0);
        expect(plan.fits).toBe(kept.length < limits.artifacts && bytes + incoming <= limits.totalBytes);
      }),
    );
  });
});

describe("mountOf", () => {
  const table =
    "1 0 8:1 / / rw shared:1 - ext4 /dev/a rw\n2 1 0:5 / /mnt/a\\040b rw - tmpfs t ro,size=1\n3 1 0:6 / /mnt ro,nosuid - tmpfs t rw\n";
  test.each([
    ["/home/x", "/", false],
    ["/mnt/a b/deep", "/mnt/a b", true],
    ["/mnt/ab", "/mnt", true],
    ["/mntx", "/", false],
  ])("%s lies on %s, read-only: %s", (path, point, readOnly) => {
    expect(mountOf(path, table)).toEqual({ point, readOnly });
  });
});
