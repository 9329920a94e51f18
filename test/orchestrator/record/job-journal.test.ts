import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  claimTokenSchema,
  conversationIdSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import { type JobRecord, jobRecordSchema } from "../../../orchestrator/jobs/journal-records.ts";
import {
  jobJournalPath,
  openJobJournal,
  type OpenedJobJournal,
} from "../../../orchestrator/record/job-journal.ts";
import { freshDirectory } from "./directories.ts";

const conversationId = conversationIdSchema.parse("pQ3nT7x");

async function opened(path: string): Promise<OpenedJobJournal> {
  const journal = await openJobJournal(path);
  onTestFinished(() => journal.journal.close());
  return journal;
}

const executionId = newExecutionId();
const claimToken = claimTokenSchema.parse("token-of-a-claim:1");
const records: readonly JobRecord[] = [
  {
    kind: "admitted",
    at: 1_800_000_000_123,
    executionId,
    name: "clear-otter-3",
    order: 3,
    jobKind: "shell",
    payload: {
      command: "printf 'a\\nb'\nls",
      timeoutMs: 60_000,
      ratio: 0.5,
      none: null,
      list: [],
      deep: { yes: true },
    },
    owner: { lineage: [newExecutionId()], parentCallId: "call_1" },
    detached: false,
    completionPolicy: "continue",
    completionOwner: conversationId,
  },
  { kind: "claimed", at: 1_800_000_000_124, executionId, claimToken, attempt: 1 },
  {
    kind: "intent",
    at: 1_800_000_000_125,
    conversationId,
    callId: "c",
    tool: "shell.run",
    effects: "external",
  },
  {
    kind: "settled",
    at: 1_800_000_000_126,
    executionId,
    claimToken,
    state: "failed",
    failure: { code: "x", message: "two\nlines", retry: "terminal", details: { count: 1 } },
    result: [1, "two", false],
  },
].map((record) => jobRecordSchema.parse(record));

it("keeps every kind of job record as it was and in order", async () => {
  const path = jobJournalPath(await freshDirectory(), conversationId);
  const { journal } = await opened(path);
  await journal.append(records.slice(0, 1));
  await journal.append(records.slice(1), { sync: true });
  await journal.close();
  const again = await opened(path);
  expect(again.records).toEqual(records);
  expect(again.anomalies).toEqual([]);
  const text = await readFile(path, "utf8");
  expect(text.split("\n")).toHaveLength(records.length + 1);
  expect(text).toContain(`(:CLAIMED :SEQ 2 :AT 1800000000124 :EXECUTION-ID "${executionId}"`);
});

it("reports records of unknown kinds and keeps the others", async () => {
  const path = join(await freshDirectory(), "jobs");
  const { journal } = await opened(path);
  await journal.append(records);
  await journal.close();
  await appendFile(path, "(:MYSTERY :SEQ 5 :AT 1)\n(:CLAIMED");
  const again = await opened(path);
  expect(again.records).toEqual(records);
  expect(again.anomalies.map(({ kind }) => kind)).toEqual(["unreadable", "cut-tail"]);
  await again.journal.append(records.slice(1, 2));
  await again.journal.close();
  expect(await readFile(path, "utf8")).toMatch(/\(:CLAIMED :SEQ 6 /);
});
