import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { OverflowStore, overflowMaxBytes } from "../../../orchestrator/record/overflow-store.ts";
import { overflowPlaces } from "../../../orchestrator/record/overflow-retention.ts";
import { freshDirectory } from "./directories.ts";

describe("the overflow store", () => {
  it("keeps a text under its digest, once, and reads windows of it", async () => {
    const store = new OverflowStore(overflowPlaces(await freshDirectory()));
    const text = `größer ${"0123456789".repeat(1000)}`;
    const uri = await store.put(text);
    expect(uri).toBe(`context:${createHash("sha256").update(text).digest("hex")}`);
    expect(await Promise.all([store.put(text), store.put(text)])).toEqual([uri, uri]);
    const whole = await store.read(uri, 0, 1_000_000);
    expect(Buffer.from(whole?.bytes ?? []).toString()).toBe(text);
    expect(whole?.total).toBe(Buffer.byteLength(text));
    const window = await store.read(uri, Buffer.byteLength("größer "), 10);
    expect(Buffer.from(window?.bytes ?? []).toString()).toBe("0123456789");
    expect((await store.read(uri, 1_000_000, 10))?.bytes).toHaveLength(0);
  });

  it("knows nothing of other texts and refuses what is no URI of it", async () => {
    const store = new OverflowStore(overflowPlaces(await freshDirectory()));
    expect(await store.read(`context:${"0".repeat(64)}`, 0, 1)).toBeUndefined();
    for (const uri of ["context:../../etc/passwd", "context:abc", "file:x"]) {
      await expect(store.read(uri, 0, 1)).rejects.toMatchObject({ code: "malformed" });
    }
  });

  it("refuses a text over the bound with the number", async () => {
    const store = new OverflowStore(overflowPlaces(await freshDirectory()));
    await expect(store.put("x".repeat(overflowMaxBytes + 1))).rejects.toThrow(/over the 67108864 /);
  });
});
