import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  RunJobEventWriter,
  queueCapacity,
  readRunJobEvents,
  streamEventSink,
  type EventPayload,
  type EventRecord,
  type EventSink,
  type EventWriterOptions,
  type UnknownEventRecord,
  type WarningCode,
} from "../../../../orchestrator/run-job/events/index.ts";

const runId = "0e6a1a2c-3b1d-4c55-9f0e-3d3d8f3e6a11";
const terminal: EventPayload = { kind: "run-finished", data: { status: "failed", "published-p": false } };
const lifecycle: EventPayload = { kind: "job-started", data: { "job-id": "j", status: "running" } };
const progress = (count: number): EventPayload => ({
  kind: "progress",
  data: { count, status: "provider-progress" },
});

/** A sink whose writes complete when the test says so. */
class HeldSink implements EventSink {
  readonly texts: string[] = [];
  #release: (() => void) | undefined;
  #open = false;

  write(text: string): Promise<void> {
    this.texts.push(text);
    if (this.#open) return Promise.resolve();
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Completes the write in flight, and all later ones at once. */
  open(): void {
    this.#open = true;
    this.#release?.();
  }

  async records(): Promise<(EventRecord | UnknownEventRecord)[]> {
    const seen: (EventRecord | UnknownEventRecord)[] = [];
    for await (const record of readRunJobEvents(this.texts)) seen.push(record);
    return seen;
  }
}

function writerOn(sink: EventSink, options: Partial<EventWriterOptions> = {}): RunJobEventWriter {
  // Generous limits: only the tests of the limits themselves may run into them.
  return new RunJobEventWriter({
    sink,
    runId,
    writeTimeoutMs: 30_000,
    shutdownTimeoutMs: 30_000,
    ...options,
  });
}

async function summary(sink: HeldSink): Promise<unknown[]> {
  const records = await sink.records();
  expect(records.map((record) => record.seq)).toEqual(records.map((_, index) => index + 1));
  return records.map((record) => {
    if (record.kind === "progress-omitted" || record.kind === "progress")
      return [record.kind, record.data.count];
    return record.kind === "warning" ? [record.kind, record.data.code] : record.kind;
  });
}

describe("a consumer that keeps up", () => {
  it("gets every record in order, numbered from 1, and the terminal record last", async () => {
    const sink = new HeldSink();
    sink.open();
    const writer = writerOn(sink, { now: () => Date.UTC(2026, 9, 8, 9) });
    writer.emit({ kind: "run-started", data: {} });
    for (let count = 1; count <= 200; count++) {
      writer.emit(progress(count));
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
    await writer.finish(terminal);
    const records = await sink.records();
    expect(records[0]).toEqual({
      runId,
      seq: 1,
      time: "2026-10-08T09:00:00Z",
      kind: "run-started",
      data: {},
    });
    expect(records.at(-1)).toMatchObject({ kind: "run-finished" });
    expect(records).toHaveLength(writer.deliveredCount);
    expect(writer.disabledBy).toBeUndefined();
  });

  it("gets nothing after the terminal record, which is written once", async () => {
    const sink = new HeldSink();
    sink.open();
    const writer = writerOn(sink);
    await writer.finish(terminal);
    writer.emit(lifecycle);
    await writer.finish(terminal);
    expect(await summary(sink)).toEqual(["run-finished"]);
  });
});

describe("a full queue", () => {
  it("drops progress and says how much", async () => {
    const sink = new HeldSink();
    const writer = writerOn(sink, { capacity: 2 });
    for (let count = 1; count <= 10; count++) writer.emit(progress(count));
    sink.open();
    await writer.finish(terminal);
    expect(await summary(sink)).toEqual([
      ["progress", 1],
      ["progress-omitted", 7],
      ["progress", 2],
      ["progress", 3],
      "run-finished",
    ]);
  });

  it("lets the lifecycle evict progress", async () => {
    const sink = new HeldSink();
    const writer = writerOn(sink, { capacity: 2 });
    for (let count = 1; count <= 3; count++) writer.emit(progress(count));
    writer.emit(lifecycle);
    sink.open();
    await writer.finish(terminal);
    expect(await summary(sink)).toEqual([
      ["progress", 1],
      ["progress-omitted", 1],
      ["progress", 3],
      "job-started",
      "run-finished",
    ]);
  });

  it("loses lifecycle records only when nothing gives way, and warns", async () => {
    const sink = new HeldSink();
    const writer = writerOn(sink, { capacity: 1 });
    for (let count = 0; count < 5; count++) writer.emit(lifecycle);
    sink.open();
    await writer.finish(terminal);
    expect(await summary(sink)).toEqual([
      "job-started",
      ["warning", "queue-full"],
      "job-started",
      "run-finished",
    ]);
  });

  it("keeps a place for the terminal record, whatever came before it", async () => {
    const payloads = fc.array(fc.oneof(fc.nat(9).map(progress), fc.constant(lifecycle)), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(payloads, fc.integer({ min: 1, max: 8 }), async (events, capacity) => {
        const sink = new HeldSink();
        const writer = writerOn(sink, { capacity });
        for (const event of events) writer.emit(event);
        const finished = writer.finish(terminal);
        sink.open();
        await finished;
        const records = await sink.records();
        expect(records.at(-1)?.kind).toBe("run-finished");
        const omitted = records.reduce(
          (sum, record) => sum + (record.kind === "progress-omitted" ? Number(record.data.count) : 0),
          0,
        );
        const delivered = records.filter((record) => record.kind === "progress").length;
        expect(omitted + delivered).toBe(events.filter((event) => event.kind === "progress").length);
        const lost = records.some((record) => record.kind === "warning");
        const started = records.filter((record) => record.kind === "job-started").length;
        const expected = events.filter((event) => event.kind === "job-started").length;
        if (lost) expect(started).toBeLessThan(expected);
        else expect(started).toBe(expected);
      }),
      { numRuns: 200 },
    );
  });

  it.each([0, 1.5, queueCapacity.maximum + 1, Number.NaN])("cannot have the capacity %s", (capacity) => {
    expect(() => writerOn(new HeldSink(), { capacity })).toThrow("from 1 to 1024");
  });
});

describe("events that break a rule", () => {
  it("become a warning, and the rest goes on", async () => {
    const sink = new HeldSink();
    sink.open();
    const writer = writerOn(sink);
    writer.emit({ kind: "job-started", data: { "job-id": "" } });
    writer.emit(lifecycle);
    await writer.finish(terminal);
    expect(await summary(sink)).toEqual([["warning", "invalid-event"], "job-started", "run-finished"]);
  });
});

describe("delivery that fails", () => {
  it("is given up when a write takes too long", async () => {
    const codes: WarningCode[] = [];
    const given = Promise.withResolvers<void>();
    const sink = new HeldSink();
    const writer = writerOn(sink, {
      writeTimeoutMs: 5,
      onDisabled: (code) => {
        codes.push(code);
        given.resolve();
      },
    });
    writer.emit(lifecycle);
    writer.emit(lifecycle);
    await given.promise;
    sink.open();
    await writer.finish(terminal);
    expect(codes).toEqual(["slow-consumer"]);
    expect(writer.disabledBy).toBe("slow-consumer");
    expect(sink.texts).toHaveLength(1);
  });

  it("is given up when the sink fails, by rejection or by throwing", async () => {
    for (const write of [
      () => Promise.reject(new Error("gone")),
      () => {
        throw new Error("gone at once");
      },
    ]) {
      const writer = writerOn({ write });
      writer.emit(lifecycle);
      await writer.finish(terminal);
      expect(writer.disabledBy).toBe("stream-failed");
      expect(writer.deliveredCount).toBe(0);
    }
  });

  it("is waited for at the end no longer than its limit", async () => {
    const writer = writerOn(new HeldSink(), { shutdownTimeoutMs: 5 });
    writer.emit(lifecycle);
    await writer.finish(terminal);
    expect(writer.disabledBy).toBeUndefined();
    expect(writer.deliveredCount).toBe(0);
  });
});

describe("a real pipe", () => {
  const children: ReturnType<typeof spawn>[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  function start(command: string, argumentList: readonly string[]): ReturnType<typeof spawn> {
    const child = spawn(command, [...argumentList], { stdio: ["pipe", "pipe", "ignore"] });
    children.push(child);
    return child;
  }

  const large: EventPayload = { kind: "run-started", data: { output: "x".repeat(4000) } };

  it("delivers to a reader", async () => {
    const cat = start("cat", []);
    const writer = writerOn(streamEventSink(cat.stdin!));
    writer.emit(large);
    await writer.finish(terminal);
    cat.stdin!.end();
    const kinds: string[] = [];
    for await (const record of readRunJobEvents(cat.stdout!)) kinds.push(record.kind);
    expect(kinds).toEqual(["run-started", "run-finished"]);
  });

  it("whose reader never reads is given up as slow", async () => {
    const idle = start("sleep", ["600"]);
    const given = Promise.withResolvers<WarningCode>();
    const writer = writerOn(streamEventSink(idle.stdin!), {
      capacity: queueCapacity.maximum,
      writeTimeoutMs: 50,
      onDisabled: given.resolve,
    });
    for (let count = 0; count < 200; count++) writer.emit(large);
    expect(await given.promise).toBe("slow-consumer");
    await writer.finish(terminal);
    expect(writer.deliveredCount).toBeGreaterThan(0);
    expect(writer.deliveredCount).toBeLessThan(200);
  });

  it("whose reader left ends delivery and nothing else", async () => {
    const gone = start("true", []);
    await once(gone, "exit");
    const writer = writerOn(streamEventSink(gone.stdin!));
    for (let count = 0; count < 50; count++) writer.emit(large);
    await writer.finish(terminal);
    expect(writer.disabledBy).toBe("stream-failed");
  });
});
