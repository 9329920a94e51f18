import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DecodedLine, JournalAnomaly } from "../../../orchestrator/record/journal-reading.ts";
import {
  type Journal,
  type JournalCodec,
  openJournal,
  readJournal,
} from "../../../orchestrator/record/journal.ts";
import { freshDirectory } from "./directories.ts";

/** A codec of JSON lines, so that these tests are about the journal and not about its notation. */
const codec: JournalCodec<string> = {
  encode: (record, seq) => JSON.stringify({ seq, record }),
  decode: (line) => {
    const { seq, record } = JSON.parse(Buffer.from(line).toString()) as { seq: number; record: string };
    if (typeof seq !== "number" || typeof record !== "string") throw new TypeError("not a test record");
    return { seq, record };
  },
};

interface Opened {
  readonly journal: Journal<string>;
  readonly lines: DecodedLine<string>[];
  readonly anomalies: JournalAnomaly[];
}

async function opened(path: string, bounds: { maxRecordBytes?: number } = {}): Promise<Opened> {
  const lines: DecodedLine<string>[] = [];
  const anomalies: JournalAnomaly[] = [];
  const journal = await openJournal({
    path,
    codec,
    ...bounds,
    onLine: (line) => lines.push(line),
    onAnomaly: (anomaly) => anomalies.push(anomaly),
  });
  onTestFinished(() => journal.close());
  return { journal, lines, anomalies };
}

async function journalOf(records: readonly string[]): Promise<string> {
  const path = join(await freshDirectory(), "journal");
  const { journal } = await opened(path);
  await Promise.all(records.map((record) => journal.append(record)));
  await journal.close();
  return path;
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const texts = (lines: readonly DecodedLine<string>[]): string[] => lines.map(({ record }) => record);

describe("appending", () => {
  it("numbers records from 1 in the order of the calls and reads them back", async () => {
    const path = join(await freshDirectory(), "deep", "journal");
    const { journal } = await opened(path);
    const numbers = await Promise.all(["a", "b", "c"].map((text) => journal.append(text)));
    expect(numbers).toEqual([1, 2, 3]);
    expect(await journal.append("d", { sync: true })).toBe(4);
    expect(texts(await collected(journal.read()))).toEqual(["a", "b", "c", "d"]);
    await journal.close();
    const again = await opened(path);
    expect(again.anomalies).toEqual([]);
    expect(await again.journal.append("e")).toBe(5);
    await again.journal.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("shares writes: a burst of appends costs few of them and keeps its order", async () => {
    const path = join(await freshDirectory(), "journal");
    const { journal } = await opened(path);
    const count = 5000;
    await Promise.all(
      Array.from({ length: count }, (_, index) => journal.append(`r${index}`, { sync: index % 2 === 0 })),
    );
    await journal.close();
    const { lines } = await opened(path);
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(texts(lines)).toEqual(Array.from({ length: count }, (_, index) => `r${index}`));
  });

  it("refuses a record over the bound with the numbers and goes on", async () => {
    const path = join(await freshDirectory(), "journal");
    const { journal } = await opened(path, { maxRecordBytes: 64 });
    const [first, second, third] = await Promise.allSettled([
      journal.append("a"),
      journal.append("x".repeat(100)),
      journal.append("b"),
    ]);
    expect(first).toMatchObject({ value: 1 });
    expect(second).toMatchObject({ reason: { code: "too-large" } });
    expect(third).toMatchObject({ value: 2 });
    await expect(journal.append("y".repeat(65))).rejects.toThrow(/over the 64 /);
    await journal.close();
  });

  it("refuses appends once closed", async () => {
    const { journal } = await opened(join(await freshDirectory(), "journal"));
    const last = journal.append("last");
    await journal.close();
    expect(await last).toBe(1);
    await expect(journal.append("late")).rejects.toMatchObject({ code: "closed" });
    await journal.close();
  });
});

describe("healing", () => {
  it("cuts off an unfinished last line and reports it", async () => {
    const path = await journalOf(["a", "b"]);
    await appendFile(path, '{"seq":3,"rec');
    const { journal, lines, anomalies } = await opened(path);
    expect(texts(lines)).toEqual(["a", "b"]);
    expect(anomalies).toMatchObject([{ kind: "cut-tail", bytes: 13 }]);
    expect(await journal.append("c")).toBe(3);
    await journal.close();
    const again = await opened(path);
    expect(texts(again.lines)).toEqual(["a", "b", "c"]);
    expect(again.anomalies).toEqual([]);
  });

  it("keeps a whole last record whose newline is missing", async () => {
    const path = await journalOf(["a"]);
    await appendFile(path, codec.encode("b", 2));
    const { journal, lines, anomalies } = await opened(path);
    expect(texts(lines)).toEqual(["a", "b"]);
    expect(anomalies).toMatchObject([{ kind: "completed-tail" }]);
    expect(await journal.append("c")).toBe(3);
    await journal.close();
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(4);
  });

  it("removes a tail of NULs, which loss of power may leave", async () => {
    const path = await journalOf(["a"]);
    await appendFile(path, Buffer.alloc(4096));
    const { lines, anomalies, journal } = await opened(path);
    expect(texts(lines)).toEqual(["a"]);
    expect(anomalies).toMatchObject([{ kind: "cut-tail", bytes: 4096 }]);
    await journal.close();
    expect(await readFile(path)).not.toContain(0);
  });

  it("C117: reports garbage, NULs and a duplicate in the middle and loads all the rest", async () => {
    const path = await journalOf(["a", "b", "c", "d", "e", "f"]);
    const lines = (await readFile(path, "utf8")).split("\n");
    lines[1] = "garbage";
    lines[3] = "\0".repeat(500);
    lines.splice(5, 0, lines[4] ?? "");
    await writeFile(path, lines.join("\n"));
    const { journal, lines: read, anomalies } = await opened(path);
    expect(texts(read)).toEqual(["a", "c", "e", "f"]);
    expect(anomalies.map(({ kind }) => kind)).toEqual([
      "unreadable",
      "missing",
      "unreadable",
      "missing",
      "duplicate",
    ]);
    expect(await journal.append("g")).toBe(7);
    await journal.close();
  });

  it("reads a record that lost its newline to NULs", async () => {
    const path = await journalOf(["a", "b", "c"]);
    const bytes = await readFile(path);
    const newline = bytes.indexOf(0x0a);
    await writeFile(
      path,
      Buffer.concat([bytes.subarray(0, newline + 1), Buffer.alloc(64), bytes.subarray(newline + 1)]),
    );
    const { lines, anomalies, journal } = await opened(path);
    expect(texts(lines)).toEqual(["a", "b", "c"]);
    expect(anomalies).toMatchObject([{ kind: "repaired", seq: 2 }]);
    await journal.close();
  });

  it("does not give the number of an unreadable last line again", async () => {
    const path = await journalOf(["a", "b"]);
    await appendFile(path, "rubbish\n");
    const { journal } = await opened(path);
    expect(await journal.append("d")).toBe(4);
    await journal.close();
  });

  it("skips a line over the bound without keeping it", async () => {
    const path = await journalOf(["a"]);
    await appendFile(path, `${"x".repeat(3_000_000)}\n${codec.encode("b", 3)}\n`);
    const { journal, lines, anomalies } = await opened(path, { maxRecordBytes: 1000 });
    expect(texts(lines)).toEqual(["a", "b"]);
    expect(anomalies[0]).toMatchObject({ kind: "too-long", bytes: 3_000_000, limit: 1000 });
    await journal.close();
  });

  it("reports a missing file when only reading", async () => {
    const reading = readJournal({ path: join(await freshDirectory(), "none"), codec });
    await expect(reading.next()).rejects.toMatchObject({ code: "not-found" });
  });

  it("property: any damage to one line costs that line alone", async () => {
    const path = await journalOf(["one", "two", "three", "four", "five"]);
    const intact = (await readFile(path)).toString("latin1").split("\n").slice(0, 5);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(4),
        fc.uint8Array({ minLength: 0, maxLength: 60 }).filter((bytes) => !bytes.includes(0x0a)),
        async (index, damage) => {
          const lines = [...intact];
          lines[index] = Buffer.from(damage).toString("latin1");
          await writeFile(path, `${lines.join("\n")}\n`, "latin1");
          const read = texts(await collected(readJournal({ path, codec })));
          const others = ["one", "two", "three", "four", "five"].filter((_, other) => other !== index);
          expect(read.filter((text) => others.includes(text))).toEqual(others);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("property: cutting the file anywhere keeps every whole record before the cut", async () => {
    const records = ["alpha", "beta", "gamma", "delta"];
    const path = await journalOf(records);
    const whole = await readFile(path);
    const ends = [...whole].flatMap((byte, index) => (byte === 0x0a ? [index] : []));
    for (let cut = 0; cut <= whole.length; cut += 1) {
      await writeFile(path, whole.subarray(0, cut));
      const { journal, lines } = await opened(path);
      expect(texts(lines)).toEqual(records.slice(0, ends.filter((end) => end <= cut).length));
      await journal.close();
    }
  });
});
