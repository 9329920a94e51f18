/** Runs many jobs of a whole supervisor (journal, records, BullMQ) and looks at what stays in Redis. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { JobTable, liveJobLimit } from "../../../orchestrator/jobs/job-table.ts";
import { Supervisor } from "../../../orchestrator/jobs/supervisor.ts";
import { createConversation } from "../../../orchestrator/record/conversation.ts";
import { jobJournalPath, openJobJournal } from "../../../orchestrator/record/job-journal.ts";
import {
  executionDirectoryOf,
  prepareJob,
  publishOutcome,
} from "../../../orchestrator/tasks/result-publication.ts";
import { closeConnection, openConnection } from "../../../redis/connection.ts";
import { RedisRuntime } from "../../../redis/runtime.ts";
import type { TestRedis } from "../redis-server.ts";
import { shellRequest } from "./supervised.ts";

export type RedisUse = { readonly bytes: number; readonly keys: number };

export type Growth = {
  /** After each mark, in order. */
  readonly uses: readonly RedisUse[];
  /** Most memory seen at the end of any job, in bytes. */
  readonly peakBytes: number;
  /** Bytes of the records of the last job. */
  readonly lastRecordBytes: number;
  readonly failures: readonly string[];
};

/** Runs jobs whose results hold `resultCharacters`; looks at Redis when each of `marks` (ascending) have ended. */
export async function redisGrowth(
  redis: TestRedis,
  marks: readonly number[],
  resultCharacters: number,
): Promise<Growth> {
  const home = mkdtempSync(join(tmpdir(), "alg-"));
  const now = Date.now;
  const failures: string[] = [];
  const observer = await openConnection(redis.endpoint, "producer", { onError: () => undefined });
  const runtime = await RedisRuntime.open({
    environment: { AUTOLITH_REDIS_URL: `unix://${join(redis.directory, "s")}` },
    stateRoot: join(home, "state"),
    onError: (error) => failures.push(String(error)),
  });
  const conversations = join(home, "conversations");
  const conversation = await createConversation(
    { directory: conversations, now },
    { directory: "/", model: "none", reasoningEffort: "low" },
  );
  const { journal } = await openJobJournal(jobJournalPath(conversations, conversation.id));
  const publication = {
    tasksDirectory: join(home, "tasks"),
    conversationsDirectory: conversations,
    namesOf: () => [],
    roleOf: () => undefined,
    now,
  };
  let [settled, peakBytes, lastRecordBytes] = [0, 0, 0];
  let waiting: (() => void) | undefined;
  const content = "x".repeat(resultCharacters);
  const supervisor = new Supervisor({
    queue: runtime.queue,
    limits: { children: 1, executions: 8, evaluations: 1, gates: 1, wakeups: 1 },
    now,
    executors: {
      shell: () =>
        Promise.resolve({
          state: "completed",
          result: { ending: "exited", exitCode: 0, content, shellLogs: [], durationMs: 0 },
        }),
    },
    prepare: (job) => prepareJob(job, publication),
    publish: async (job, outcome) => {
      await publishOutcome(job, outcome, publication);
      lastRecordBytes = statSync(executionDirectoryOf(publication, job).pathOf("terminal.sexp")).size;
      peakBytes = Math.max(peakBytes, (await useOf(observer)).bytes);
    },
    announce: (announcement) => {
      if (announcement.kind !== "settled") return;
      const { outcome } = announcement;
      if (outcome.state === "failed") failures.push(`${outcome.failure.code}: ${outcome.failure.message}`);
      settled += 1;
      waiting?.();
    },
    report: (failure) => failures.push(`${failure.code}: ${failure.message}`),
  });
  try {
    supervisor.adopt({ conversationId: conversation.id, journal, table: new JobTable() });
    await supervisor.start();
    const uses: RedisUse[] = [];
    for (let admitted = 0; admitted < (marks.at(-1) ?? 0);) {
      const next = marks.find((mark) => mark > admitted) ?? 0;
      const batch = Math.min(next - admitted, liveJobLimit / 2);
      admitted += batch;
      const ended = new Promise<void>((settle) => {
        waiting = () => {
          if (settled >= admitted) settle();
        };
      });
      await supervisor.admit(
        conversation.id,
        Array.from({ length: batch }, () => shellRequest("true", { completionOwner: conversation.id })),
      );
      await ended;
      if (admitted === next) uses.push(await useOf(observer));
    }
    return { uses, peakBytes, lastRecordBytes, failures };
  } finally {
    await supervisor.shutdown(2_000);
    await runtime.close(2_000);
    await closeConnection(observer, 500);
    await journal.close();
    await conversation.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function useOf(client: Redis): Promise<RedisUse> {
  const [information, keys] = await Promise.all([client.info("memory"), client.dbsize()]);
  return { bytes: Number(/^used_memory:(\d+)/m.exec(information)?.[1]), keys };
}
