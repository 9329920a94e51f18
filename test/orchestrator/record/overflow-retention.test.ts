import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  defaultOverflowLimits,
  overflowPlaces,
  pruneOverflow,
  textsToPrune,
  type OverflowPlaces,
} from "../../../orchestrator/record/overflow-retention.ts";
import { OverflowStore } from "../../../orchestrator/record/overflow-store.ts";
import { acquireWriterLock } from "../../../orchestrator/record/writer-lock.ts";
import { freshDirectory } from "./directories.ts";

const dayMs = 24 * 3_600_000;

async function stored(places: OverflowPlaces, text: string, ageMs: number): Promise<string> {
  // A store of usual limits would drop at once what an earlier call has made old.
  const uri = await new OverflowStore(places, { ...defaultOverflowLimits, ageMs: 1_000 * dayMs }).put(text);
  const usedAt = new Date(Date.now() - ageMs);
  await utimes(pathOf(places, uri), usedAt, usedAt);
  return uri;
}

function pathOf(places: OverflowPlaces, uri: string): string {
  const digest = uri.slice("context:".length);
  return join(places.directory, digest.slice(0, 2), digest);
}

/** Records that name the URI, of a conversation whose writer is this process, or nobody. */
async function conversation(places: OverflowPlaces, id: string, uri: string, live: boolean): Promise<void> {
  await mkdir(join(places.conversations, id), { recursive: true });
  // Across the border of two blocks of reading.
  await appendFile(
    join(places.conversations, id, "00000000000000000001.sexp"),
    `${"x".repeat((1 << 20) - 30)}${uri}`,
  );
  if (!live) return;
  const lock = await acquireWriterLock(join(places.conversations, `${id}.lock`));
  onTestFinished(() => lock.release());
}

describe("keeping texts for later reading", () => {
  it("texts go by age, but not those that a live conversation refers to", async () => {
    const places = overflowPlaces(await freshDirectory());
    const [old, served, dead, young] = [
      await stored(places, "old", 40 * dayMs),
      await stored(places, "served", 40 * dayMs),
      await stored(places, "dead", 40 * dayMs),
      await stored(places, "young", dayMs),
    ];
    await conversation(places, "pQ3nT7x", served, true);
    await conversation(places, "b6uouHJ", dead, false);
    expect(await pruneOverflow(places)).toEqual({ bytes: 11, texts: 2, pruned: 2 });
    expect([old, served, dead, young].map((uri) => existsSync(pathOf(places, uri)))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it("storing or reading a text again counts as use", async () => {
    const places = overflowPlaces(await freshDirectory());
    const [read, again] = [
      await stored(places, "read", 40 * dayMs),
      await stored(places, "again", 40 * dayMs),
    ];
    await new OverflowStore(places).read(read, 0, 1);
    await new OverflowStore(places, { ...defaultOverflowLimits, ageMs: 100 * dayMs }).put("again");
    expect(await pruneOverflow(places)).toMatchObject({ texts: 2, pruned: 0 });
    expect(existsSync(pathOf(places, again))).toBe(true);
  });

  it("a store never holds more than its bounds, and drops what was unused longest", async () => {
    const places = overflowPlaces(await freshDirectory());
    const limits = { totalBytes: 10_000, texts: 8, ageMs: dayMs };
    const store = new OverflowStore(places, limits);
    const uris: string[] = [];
    for (let number = 0; number < 30; number += 1) {
      uris.push(await store.put(String(number).padEnd(2_000, ".")));
      const usedAt = new Date(Date.now() - 60_000 + number);
      await utimes(pathOf(places, uris.at(-1) ?? ""), usedAt, usedAt);
      const { bytes, texts } = await pruneOverflow(places, {
        totalBytes: Infinity,
        texts: Infinity,
        ageMs: dayMs,
      });
      expect(bytes <= limits.totalBytes && texts <= limits.texts).toBe(true);
    }
    expect(uris.map((uri) => existsSync(pathOf(places, uri))).lastIndexOf(false)).toBe(24);
  });

  it("a text for which there is no room is refused with the bound", async () => {
    const places = overflowPlaces(await freshDirectory());
    const store = new OverflowStore(places, { totalBytes: 1_000, texts: 8, ageMs: dayMs });
    const uri = await store.put("a".repeat(900));
    await conversation(places, "pQ3nT7x", uri, true);
    await expect(store.put("b".repeat(200))).rejects.toMatchObject({ code: "too-large" });
    await expect(store.put("b".repeat(200))).rejects.toThrow("8 texts or 1000 bytes");
    expect(await store.put("a".repeat(900))).toBe(uri);
    expect(await store.put("c".repeat(90))).toMatch(/^context:/);
  });

  it("what is left fits, and nothing goes that need not", () => {
    const texts = fc.array(fc.record({ bytes: fc.nat(100), usedAt: fc.nat(1_000) }), { maxLength: 12 });
    fc.assert(
      fc.property(
        texts,
        fc.nat(600),
        fc.nat(12),
        fc.nat(1_000),
        fc.nat(),
        (sizes, totalBytes, count, ageMs, salt) => {
          const kept = sizes.map((text, index) => ({
            ...text,
            digest: createHash("sha256").update(`${index}`).digest("hex"),
          }));
          const referenced = new Set(
            kept.filter((_, index) => (salt >> index) % 2 === 1).map(({ digest }) => digest),
          );
          const limits = { totalBytes, texts: count, ageMs };
          const gone = new Set(textsToPrune(kept, referenced, limits, 1_000));
          const left = kept.filter(({ digest }) => !gone.has(digest));
          for (const digest of referenced) expect(gone.has(digest)).toBe(false);
          const bytes = left.reduce((sum, text) => sum + text.bytes, 0);
          const isWithin = bytes <= totalBytes && left.length <= count;
          expect(isWithin || left.every(({ digest }) => referenced.has(digest))).toBe(true);
          for (const { digest, usedAt } of left)
            expect(referenced.has(digest) || 1_000 - usedAt <= ageMs).toBe(true);
          expect(textsToPrune(left, referenced, limits, 1_000)).toEqual([]);
        },
      ),
    );
  });
});
