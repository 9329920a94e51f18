import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import {
  claimTokenSchema,
  conversationIdSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import { settledJobRetention } from "../../../orchestrator/jobs/job-table.ts";
import { type JobRecord, jobRecordSchema } from "../../../orchestrator/jobs/journal-records.ts";
import {
  isStartedChild,
  retainedJobRecords,
  retainedPrimaryIntents,
} from "../../../orchestrator/record/job-journal-compaction.ts";
import { type JobJournalOptions, openJobJournal } from "../../../orchestrator/record/job-journal.ts";
import { admittedAgent, settled } from "../recovery/job-history.ts";
import { freshDirectory } from "./directories.ts";

const conversationId = conversationIdSchema.parse("pQ3nT7x");
const claimToken = claimTokenSchema.parse("token-of-a-claim:1");

/** The records of one execution, up to the kind that is named last. */
function execution(
  order: number,
  through: "admitted" | "claimed" | "settled" | "delivered",
  detached = false,
): JobRecord[] {
  const executionId = newExecutionId();
  const at = 1_800_000_000_000;
  const all = [
    {
      kind: "admitted",
      at,
      executionId,
      name: `exec:${order}`,
      order,
      jobKind: "shell",
      payload: { command: "true", filler: "x".repeat(200) },
      owner: { lineage: [] },
      detached,
      completionPolicy: "continue",
      completionOwner: conversationId,
    },
    { kind: "claimed", at, executionId, claimToken, attempt: 1 },
    { kind: "settled", at, executionId, claimToken, state: "completed" },
    { kind: "delivered", at, executionId, conversationId },
  ].map((record) => jobRecordSchema.parse(record));
  return all.slice(0, 1 + all.findIndex(({ kind }) => kind === through));
}

const intent = (callId: number): JobRecord =>
  jobRecordSchema.parse({
    kind: "intent",
    at: 1,
    conversationId,
    callId: String(callId),
    tool: "shell.run",
    effects: "external",
  });

const numbered = (records: readonly JobRecord[]) =>
  records.map((record, index) => ({ seq: index + 1, record }));

function executionsOf(records: readonly { readonly record: JobRecord }[]): Set<string> {
  return new Set(
    records.flatMap(({ record }) => (record.executionId === undefined ? [] : [record.executionId])),
  );
}

it("keeps what is unfinished or undelivered, the newest finished, the highest number and the newest intents", () => {
  const [waiting, running, undelivered] = [
    execution(500, "admitted"),
    execution(2, "claimed"),
    execution(3, "settled", true),
  ];
  const delivered = execution(4, "delivered", true);
  const finished = Array.from({ length: 200 }, (_, index) => execution(10 + index, "settled"));
  const intents = Array.from({ length: 300 }, (_, index) => intent(index));
  const all = numbered([waiting, running, undelivered, delivered, ...finished, intents].flat());
  const kept = retainedJobRecords(all);
  const ids = executionsOf(kept);
  for (const records of [waiting, running, undelivered]) {
    const mine = all.filter(({ record }) => record.executionId === records[0]?.executionId);
    expect(kept).toEqual(expect.arrayContaining(mine));
  }
  expect(ids.has(delivered[0]?.executionId ?? "")).toBe(false);
  expect(ids.size).toBe(3 + settledJobRetention);
  expect(ids.has(finished.at(-1)?.[0]?.executionId ?? "")).toBe(true);
  expect(kept.filter(({ record }) => record.kind === "intent")).toHaveLength(retainedPrimaryIntents);
  expect(kept.map(({ seq }) => seq)).toEqual(
    kept.map(({ seq }) => seq).toSorted((left, right) => left - right),
  );
});

it("property: what it keeps of an execution is all of it", () => {
  const stage = fc.tuple(fc.constantFrom("admitted", "claimed", "settled", "delivered"), fc.boolean());
  fc.assert(
    fc.property(fc.array(stage, { maxLength: 150 }), (stages) => {
      const all = numbered(
        stages.flatMap(([through, detached], index) => execution(index + 1, through, detached)),
      );
      const kept = retainedJobRecords(all);
      const ids = executionsOf(kept);
      expect(kept).toEqual(all.filter(({ record }) => ids.has(record.executionId ?? "")));
      const numberOf = ({ record }: { record: JobRecord }): number =>
        record.kind === "admitted" ? record.order : 0;
      expect(Math.max(0, ...kept.map(numberOf))).toBe(stages.length);
    }),
    { numRuns: 50 },
  );
});

it("never forgets the highest number, though its job is long finished", () => {
  const high = execution(9999, "settled");
  const later = Array.from({ length: 100 }, (_, index) => execution(index + 1, "settled"));
  const kept = retainedJobRecords(numbered([high, ...later].flat()));
  expect(kept.slice(0, 3).map(({ record }) => record)).toEqual(high);
});

it("opening a large journal replaces it by a small one with the same numbers, once", async () => {
  const path = join(await freshDirectory(), "jobs.sexp");
  const opened = async (options: JobJournalOptions) => {
    const journal = await openJobJournal(path, options);
    onTestFinished(() => journal.journal.close());
    return journal;
  };
  const first = await opened({});
  const records = Array.from({ length: 1000 }, (_, index) => execution(index + 1, "settled")).flat();
  const running = execution(2000, "claimed");
  await first.journal.append(records);
  await first.journal.append(running);
  await first.journal.close();
  const before = (await stat(path)).size;
  const second = await opened({ compactFromBytes: 100_000 });
  expect((await stat(path)).size).toBeLessThan(before / 10);
  expect(second.anomalies).toEqual([]);
  expect(second.records).toEqual([...records.slice(-settledJobRetention * 3), ...running]);
  await second.journal.append(running.slice(1));
  await second.journal.close();
  const lines = (await readFile(path, "utf8")).split("\n");
  expect(lines[0]).toBe("(:COMPACTED :THROUGH-SEQ 3002)");
  expect(lines.at(-2)).toMatch(/^\(:CLAIMED :SEQ 3003 /);
  const third = await opened({ compactFromBytes: 1 });
  expect(third.records).toEqual([...second.records, ...running.slice(1)]);
  expect(third.anomalies).toEqual([]);
  expect(await readdir(dirname(path))).toEqual(["jobs.sexp"]);
});

it("children whose records are left out go on being counted, however often it is compacted", async () => {
  const path = join(await freshDirectory(), "jobs.sexp");
  const child = (order: number): readonly JobRecord[] => {
    const admission = admittedAgent({ order, owner: { lineage: [], parentCallId: `call-${order}` } });
    return [admission, settled(admission.executionId)];
  };
  const first = await openJobJournal(path);
  await first.journal.append(Array.from({ length: 500 }, (_, index) => child(index + 1)).flat());
  await first.journal.close();
  const counts: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { journal, records, forgottenChildren } = await openJobJournal(path, { compactFromBytes: 1 });
    counts.push(forgottenChildren + records.filter(isStartedChild).length);
    const more = Array.from({ length: 500 }, (_, index) => child(1_000 * (round + 1) + index));
    await journal.append(more.flat());
    await journal.close();
  }
  expect(counts).toEqual([500, 1_000]);
});

it("a journal whose records are all needed is left as it is", async () => {
  const path = join(await freshDirectory(), "jobs.sexp");
  const { journal } = await openJobJournal(path);
  const waiting = Array.from({ length: 50 }, (_, index) => execution(index + 1, "admitted")).flat();
  await journal.append(waiting);
  await journal.close();
  const before = await readFile(path, "utf8");
  const again = await openJobJournal(path, { compactFromBytes: 1 });
  await again.journal.close();
  expect(again.records).toEqual(waiting);
  expect(await readFile(path, "utf8")).toBe(before);
});
