/** What we wrote ourselves and read back after anything may have happened to it: job journals and conversation chunks. */
import { DataFormError } from "../../lisp/data-forms/index.ts";
import {
  claimTokenSchema,
  conversationIdSchema,
  executionIdSchema,
  jobNameSchema,
} from "../../orchestrator/contract/identifiers.ts";
import type { JobRecord } from "../../orchestrator/jobs/journal-records.ts";
import { chunkCodec } from "../../orchestrator/record/conversation-chunk.ts";
import type { ConversationRecord } from "../../orchestrator/record/conversation-record.ts";
import { compactionLine, jobRecordCodec } from "../../orchestrator/record/job-journal.ts";
import { defaultMaxRecordBytes } from "../../orchestrator/record/journal.ts";
import { type JournalAnomaly, JournalReading } from "../../orchestrator/record/journal-reading.ts";
import { formPieces } from "./document-subjects.ts";
import { type Damage, damagedDocument, splitBytes } from "./mutation.ts";
import type { Random } from "./random.ts";
import { type FuzzSubject, expectThat } from "./subject.ts";

const executionId = executionIdSchema.parse("6a3e6f52-6a0c-4f0e-9a58-0b8f5f6a8f10");
const conversationId = conversationIdSchema.parse("pQ3nT7x");
const claimToken = claimTokenSchema.parse("token-of-a-claim");

const jobRecords: readonly JobRecord[] = [
  {
    kind: "admitted",
    at: 1_800_000_000_000,
    executionId,
    name: jobNameSchema.parse("clear-otter-3"),
    order: 1,
    jobKind: "shell",
    payload: { command: "printf 'a\nb'", list: [1, 0.5, null, {}], deep: { "ß😀": true } },
    owner: { lineage: [executionId] },
    detached: false,
    completionPolicy: "continue",
    completionOwner: conversationId,
  },
  {
    kind: "claimed",
    at: 1_800_000_000_001,
    executionId,
    claimToken,
    attempt: 1,
    deadlineAt: 1_800_000_060_000,
  },
  {
    kind: "intent",
    at: 1_800_000_000_002,
    executionId,
    conversationId,
    callId: "call_1",
    tool: "shell.run",
    effects: "external",
  },
  {
    kind: "settled",
    at: 1_800_000_000_003,
    executionId,
    claimToken,
    state: "completed",
    result: { exit: 0 },
  },
  { kind: "delivered", at: 1_800_000_000_004, executionId, conversationId },
];

const conversationRecords: readonly ConversationRecord[] = [
  { kind: "message", content: "Fix it.\nPlease, ß😀.", pendingInputIdentifier: "p" },
  { kind: "configuration", model: "m", reasoningEffort: "medium" },
  {
    kind: "provider-item",
    item: {
      type: "tool-call",
      callId: "c1",
      tool: "shell.run",
      arguments: '{"command":"ls\\u0000"}',
      source: { provider: "p", wire: "responses", json: '{"type":"function_call","x":"\\ud83d\\ude00"}' },
    },
  },
  {
    kind: "tool-result",
    callId: "c1",
    tool: "shell.run",
    status: "ok",
    output: "a\nb",
    details: { exit: 0, list: [1] },
  },
  { kind: "provider", metadata: { usage: { input: 3 }, retries: [] } },
  { kind: "summary", throughSeq: 2, content: "So far." },
];

const chunkHeader =
  '(:CONVERSATION :VERSION 2 :ID "pQ3nT7x" :CREATED-AT 3900000000 :DIRECTORY "/w" :MODEL "m" :REASONING-EFFORT "low" :CHUNK-START-SEQUENCE 1)';

const lines = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(""));

type Decoder = {
  readonly decode: (line: Uint8Array) => ReturnType<typeof chunkCodec.decode | typeof jobRecordCodec.decode>;
};

const journals: Damage = {
  documents: [
    lines(jobRecords.map((record, index) => jobRecordCodec.encode(record, index + 1))),
    lines([
      compactionLine(40),
      ...jobRecords.map((record, index) => jobRecordCodec.encode(record, 30 + index * 3)),
    ]),
  ],
  pieces: [
    ...formPieces,
    ...[
      ":SEQ 2",
      ":AT",
      "(:COMPACTED :THROUGH-SEQ 9007199254740991)\n",
      ":EXECUTION-ID",
      "(:LINES",
      "(:LITERAL",
    ],
  ],
};

const chunks: Damage = {
  documents: [
    lines([
      chunkHeader,
      ...conversationRecords.map((record, index) =>
        chunkCodec.encode({ record, at: 1_800_000_000_000 }, index + 1),
      ),
    ]),
  ],
  pieces: [
    ...formPieces,
    ...[
      ":SEQ 2",
      ":TIME",
      chunkHeader,
      `${chunkHeader}\n`,
      ":WIRE-JSON",
      "(:LINES 1)",
      '(:LITERAL "a")',
      ":CONTENT",
    ],
  ],
};

type Read = {
  readonly lines: readonly string[];
  readonly anomalies: readonly JournalAnomaly[];
  readonly cutAt: number;
  readonly end: number;
};

/** Reads a file the way opening one does. */
function readAll(decoder: Decoder, pieces: readonly Buffer[]): Read {
  const anomalies: JournalAnomaly[] = [];
  const reading = new JournalReading<unknown>(decoder, {
    maxRecordBytes: defaultMaxRecordBytes,
    onAnomaly: (anomaly) => anomalies.push(anomaly),
  });
  const found: string[] = [];
  const take = (line: unknown): number => found.push(inspectable(line));
  for (const piece of pieces) for (const line of reading.push(piece)) take(line);
  const { line, cutAt, end } = reading.tail();
  if (line !== undefined) take(line);
  return { lines: found, anomalies, cutAt, end };
}

function inspectable(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
}

/** Damage costs the damaged lines only, is reported with its place, and is healed by one cut. */
function checkReading(random: Random, decoder: Decoder, damage: Damage): void {
  const { bytes, original, kept } = damagedDocument(random, damage);
  const whole = readAll(decoder, [bytes]);
  const same = (left: Read, right: Read): boolean => inspectable(left) === inspectable(right);
  expectThat(same(whole, readAll(decoder, splitBytes(random, bytes))), "blocks may be cut anywhere", bytes);
  const placed = whole.anomalies.every(({ offset }) => offset >= 0 && offset <= bytes.length);
  expectThat(placed && whole.end === bytes.length, "every anomaly lies inside the file", bytes);
  const untouched = original.subarray(0, original.lastIndexOf(0x0a, kept - 1) + 1);
  const before = kept === 0 ? [] : readAll(decoder, [untouched]).lines;
  expectThat(
    before.every((line, index) => whole.lines[index] === line),
    "lines before the damage are read as they were written",
    bytes,
  );
  const healed = readAll(decoder, [bytes.subarray(0, whole.cutAt), Buffer.from("\n")]);
  expectThat(
    healed.lines.length === whole.lines.length &&
      healed.anomalies.every(({ kind }) => !kind.endsWith("-tail")),
    "after the cut nothing hangs at the end and no line is gone",
    bytes,
  );
}

/** What was encoded is read back as it was; what could not be read back is refused when it is written. */
function checkRoundTrip(random: Random): void {
  const payload = randomJson(random, random.mostlySmall(120));
  const [first] = jobRecords;
  const record = { ...first, payload } as JobRecord;
  let line: string;
  try {
    line = jobRecordCodec.encode(record, 7);
  } catch (error) {
    if (error instanceof DataFormError) return;
    throw error;
  }
  expectThat(!line.includes("\n"), "a record is one line", payload);
  const decoded = inspectable(jobRecordCodec.decode(Buffer.from(line)));
  expectThat(decoded.includes('"seq":7'), "what was written is read back", payload);
}

function randomJson(random: Random, depth: number): unknown {
  let value: unknown = random.pick<unknown>([
    1,
    -0.5,
    1e21,
    "a\nb\0",
    "\ud800",
    null,
    true,
    false,
    [],
    {},
    ":LINES",
  ]);
  for (let level = 0; level < depth; level += 1) {
    const beside = random.pick<unknown>([0, "x\ny", null, [":LITERAL"], { "": 1 }]);
    value = random.oneIn(2)
      ? [value, beside]
      : { [random.pick(["a", "é\n", "__proto__", ""])]: value, b: beside };
  }
  return value;
}

/** Journals of jobs and of conversations. */
export const recordSubjects: readonly FuzzSubject[] = [
  { name: "journals", run: (random) => checkReading(random, jobRecordCodec, journals) },
  { name: "record-round-trips", run: checkRoundTrip },
  { name: "conversation-chunks", run: (random) => checkReading(random, chunkCodec, chunks) },
];
