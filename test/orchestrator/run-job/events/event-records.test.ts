import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  RunJobEventError,
  eventCallId,
  eventFields,
  eventKinds,
  eventLimits,
  eventStatuses,
  eventText,
  eventToolName,
  publishedFileUri,
  readRunJobEvents,
  warningCodes,
  type EventPayload,
  type EventRecord,
  type UnknownEventRecord,
} from "../../../../orchestrator/run-job/events/index.ts";
import { eventCategories } from "../../../../orchestrator/run-job/index.ts";

const envelope = { runId: "0e6a1a2c-3b1d-4c55-9f0e-3d3d8f3e6a11", seq: 1, time: "2026-10-08T09:00:00Z" };

type Seen = EventRecord | UnknownEventRecord;

async function readAll(text: string | Uint8Array): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const record of readRunJobEvents([text])) seen.push(record);
  return seen;
}

const ids = fc.uuid();
const words = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" });
const counts = fc.oneof(fc.nat(), fc.constant(2n ** 63n - 1n), fc.constant(0));
const fieldValues: Record<string, fc.Arbitrary<unknown>> = {
  "job-id": ids,
  "execution-id": ids,
  "call-id": fc.stringMatching(/^[0-9a-f]{64}$/),
  "tool-name": fc.constantFrom("resource.read", "unknown"),
  status: fc.constantFrom(...eventStatuses),
  category: fc.constantFrom(...eventCategories),
  code: fc.constantFrom(...warningCodes),
  count: counts,
  "input-tokens": counts,
  "output-tokens": counts,
  "total-tokens": counts,
  "provider-requests": counts,
  output: words,
  "output-path": words,
  "result-uri": words,
  "resource-uris": fc.array(words, { minLength: 1, maxLength: 5 }),
  "published-p": fc.boolean(),
};

/** Any valid payload. */
const payloads: fc.Arbitrary<EventPayload> = fc.constantFrom(...eventKinds).chain((kind) => {
  const fields = Object.fromEntries(eventFields[kind].map((field) => [field, fieldValues[field]])) as Record<
    string,
    fc.Arbitrary<unknown>
  >;
  const data = fc
    .record(fields, { requiredKeys: [] })
    .map((record) =>
      kind === "run-finished"
        ? { ...record, status: "failed", "published-p": record["output-path"] !== undefined }
        : record,
    );
  return data.map((record) => ({ kind, data: record }));
});

describe("records", () => {
  it("are one upper-case line with exactly six keys", () => {
    expect(eventText(envelope, { kind: "run-started", data: {} })).toBe(
      '(:AUTOLITH-EVENT :VERSION 1 :RUN-ID "0e6a1a2c-3b1d-4c55-9f0e-3d3d8f3e6a11" :SEQ 1 ' +
        ':TIME "2026-10-08T09:00:00Z" :KIND :RUN-STARTED :DATA NIL)\n',
    );
    expect(
      eventText(envelope, {
        kind: "job-finished",
        data: { "job-id": "j", status: "cancelled", category: "cancelled", "published-p": true },
      }),
    ).toContain(':DATA (:JOB-ID "j" :STATUS :CANCELLED :CATEGORY :CANCELLED :PUBLISHED-P T))\n');
  });

  it("come back as they were written, within their bounds, one line each", async () => {
    await fc.assert(
      fc.asyncProperty(payloads, async (payload) => {
        const text = eventText(envelope, payload);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(eventLimits.maxRecordBytes);
        const [record] = await readAll(text);
        expect(record).toEqual({ ...envelope, ...payload });
      }),
      { numRuns: 500 },
    );
  });
});

describe("refused payloads", () => {
  it.each([
    [{ kind: "run-started", data: { "job-id": "x" } }, ":run-started has no key :job-id"],
    [{ kind: "job-started", data: { "job-id": "" } }, ":job-id must be a non-empty string"],
    [{ kind: "job-started", data: { "job-id": 1 } }, ":job-id must be a non-empty string"],
    [{ kind: "job-started", data: { "job-id": "x".repeat(4097) } }, "at most 4096 characters, got 4097"],
    [{ kind: "job-started", data: { status: "started" } }, ":status must be one of :queued"],
    [{ kind: "usage", data: { "input-tokens": -1 } }, "0 to 2^63-1"],
    [{ kind: "usage", data: { "input-tokens": 1.5 } }, "0 to 2^63-1"],
    [{ kind: "usage", data: { "input-tokens": 2n ** 63n } }, "0 to 2^63-1"],
    [{ kind: "usage", data: { "input-tokens": "7" } }, "0 to 2^63-1"],
    [{ kind: "job-finished", data: { category: "unsupported-version" } }, ":category must be one of"],
    [{ kind: "job-finished", data: { "published-p": 1 } }, ":published-p must be T or NIL"],
    [{ kind: "warning", data: { code: "oops" } }, ":code must be one of :invalid-event"],
    [{ kind: "tool-finished", data: { "resource-uris": "x" } }, ":resource-uris must be a list of strings"],
    [{ kind: "tool-finished", data: { "resource-uris": [""] } }, ":resource-uris must be a non-empty string"],
    [{ kind: "tool-finished", data: { "resource-uris": Array(300).fill("u") } }, "the limit is 256"],
    [
      { kind: "tool-finished", data: { "resource-uris": Array(9).fill("ü".repeat(2000)) } },
      "the limit is 16384",
    ],
    [{ kind: "run-finished", data: { status: "failed" } }, "needs :published-p"],
    [{ kind: "run-finished", data: { "published-p": false } }, "needs a :status among"],
    [{ kind: "run-finished", data: { status: "running", "published-p": false } }, "needs a :status among"],
    [
      { kind: "run-finished", data: { status: "failed", "published-p": true } },
      "needs :output, :output-path",
    ],
    [{ kind: "run-finished", data: { status: "succeeded", "published-p": false } }, "needs :published-p T"],
  ])("case %#", (payload, message) => {
    const write = (): string => eventText(envelope, payload as unknown as EventPayload);
    expect(write).toThrow(RunJobEventError);
    expect(write).toThrow(message);
  });
});

describe("the reader", () => {
  const line = (seq: number, payload: EventPayload, runId = envelope.runId): string =>
    eventText({ ...envelope, runId, seq }, payload);
  const started: EventPayload = { kind: "run-started", data: {} };

  it("takes records split anywhere, with line breaks in strings, and ends cleanly", async () => {
    const text =
      line(1, started) + line(3, { kind: "run-finished", data: { status: "failed", "published-p": false } });
    const broken = text.replace(":KIND :RUN-STARTED", "\n :kind\n:Run-Started");
    const bytes = Buffer.from(broken);
    const events = readRunJobEvents(Array.from(bytes, (byte) => Buffer.from([byte])));
    expect((await events.next()).value).toMatchObject({ seq: 1, kind: "run-started" });
    expect((await events.next()).value).toMatchObject({
      seq: 3,
      data: { status: "failed", "published-p": false },
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(await readAll("")).toEqual([]);
    const uri = line(1, { kind: "run-started", data: { output: "two\nlines" } });
    expect((await readAll(uri))[0]).toMatchObject({ data: { output: "two\nlines" } });
  });

  it("gives unknown kinds for the consumer to ignore", async () => {
    const text = line(1, started).replace(":RUN-STARTED :DATA NIL", ":JOB-PAUSED :DATA (:WHY (1 2))");
    expect(await readAll(text)).toMatchObject([{ kind: "unknown", name: "job-paused", seq: 1 }]);
  });

  it.each([
    ["(:autolith-event", "this list is not closed"],
    ["12", "head :autolith-event was expected, got an integer"],
    [line(1, started).replace(":VERSION 1", ":VERSION 2"), ":version must be an integer from 1 to 1, got 2"],
    [line(1, started).replace(":SEQ 1", ":SEQ 0"), ":seq must be an integer"],
    [line(1, started).replace("09:00:00Z", "09:00"), ":time must be YYYY"],
    [line(1, started).replace(":RUN-STARTED", '"RUN-STARTED"'), ":kind must be a keyword"],
    [line(1, started).replace(" :DATA NIL", ""), "needs the key :data"],
    [line(1, started).replace(" :DATA NIL", " :DATA NIL :MORE 1"), "no key :more"],
    [line(1, started).replace(" :DATA NIL", " :DATA 1"), ":data must be a property list"],
    [line(1, started).replace(" :DATA NIL", ' :DATA (:JOB-ID "x")'), ":run-started has no key like"],
    [line(1, started).replace(" :DATA NIL", " :DATA (:OUTPUT)"), "the key :output has no value"],
    [
      line(1, started).replace(" :DATA NIL", ' :DATA (:OUTPUT "a" :OUTPUT "b")'),
      "the key :output occurs twice",
    ],
    [line(1, started).replace(" :DATA NIL", " :DATA (:OUTPUT 1)"), ":output must be a non-empty string"],
    [line(1, started).replace(" :DATA NIL", " :DATA #.(quit)"), "no dispatch macros"],
    [line(1, started).replace(" :DATA NIL", " :DATA NIL ;x\n"), "comments are not allowed"],
    [line(1, started).replace(" :DATA NIL", " :DATA ((((((((1))))))))"), "nest deeper than 8"],
    [line(1, started) + line(1, started), "sequence number 1 follows 1"],
    [line(1, started) + line(2, started, "another"), "a record of run another follows one of run"],
  ])("refuses %j", async (text, message) => {
    const reading = readAll(text);
    await expect(reading).rejects.toThrow(RunJobEventError);
    await expect(reading).rejects.toThrow(message);
  });

  it("delivers what came before a record that it refuses", async () => {
    const events = readRunJobEvents([`${line(1, started)}(foo)`]);
    expect((await events.next()).value).toMatchObject({ seq: 1 });
    await expect(events.next()).rejects.toMatchObject({ code: "invalid-event" });
  });

  it("never crashes on mutated records", async () => {
    const text = line(1, { kind: "usage", data: { "job-id": "j", "input-tokens": 3 } });
    const insertions = fc.constantFrom("(", ")", '"', ":", "1", " ", "#", ";", "nil", "\\");
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), fc.nat(5), insertions, async (at, remove, insert) => {
        try {
          await readAll(text.slice(0, at) + insert + text.slice(at + remove));
        } catch (error) {
          expect(error).toBeInstanceOf(RunJobEventError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("identities", () => {
  it("hide provider call ids but keep them apart", () => {
    expect(eventCallId("run", "call_1")).toMatch(/^[0-9a-f]{64}$/);
    expect(eventCallId("run", "call_1")).toBe(eventCallId("run", "call_1"));
    expect(eventCallId("run", "call_1")).not.toBe(eventCallId("run", "call_2"));
    expect(eventCallId("other", "call_1")).not.toBe(eventCallId("run", "call_1"));
  });

  it("show registered tools only", () => {
    expect(eventToolName("shell.run", (name) => name === "shell.run")).toBe("shell.run");
    expect(eventToolName("rm -rf /", () => false)).toBe("unknown");
  });

  it("leave out a URI that no event can hold", () => {
    expect(publishedFileUri(`/${"a".repeat(4000)}`)).toHaveLength(4011);
    expect(publishedFileUri(`/${"ü".repeat(1000)}`)).toBeUndefined();
  });

  it("encode paths so that nothing but the path can be meant", () => {
    expect(publishedFileUri("/a b/ü#?'(*)%/result.sexp")).toBe(
      "workspace:/a%20b/%C3%BC%23%3F%27%28%2A%29%25/result.sexp",
    );
    expect(decodeURIComponent(publishedFileUri("/a;b,`c")?.slice("workspace:".length) ?? "")).toBe("/a;b,`c");
  });
});
