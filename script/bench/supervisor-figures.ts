/** No-op jobs through the supervisor with all its records, beside raw BullMQ on the same Redis in the same run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Queue, Worker } from "bullmq";
import { newExecutionId } from "../../orchestrator/contract/identifiers.ts";
import { JobTable, liveJobLimit } from "../../orchestrator/jobs/job-table.ts";
import { Supervisor } from "../../orchestrator/jobs/supervisor.ts";
import { createConversation } from "../../orchestrator/record/conversation.ts";
import { jobJournalPath, openJobJournal } from "../../orchestrator/record/job-journal.ts";
import { prepareJob, publishOutcome } from "../../orchestrator/tasks/result-publication.ts";
import { openConnection } from "../../redis/connection.ts";
import { privateServerLocation } from "../../redis/private-server/location.ts";
import { PrivateServer } from "../../redis/private-server/private-server.ts";
import { RedisRuntime } from "../../redis/runtime.ts";

export type ThroughputFigures = {
  readonly rawJobsPerSecond: number;
  readonly supervisedJobsPerSecond: number;
  /** 99th percentile of the event-loop delay while the supervised jobs ran, in milliseconds. */
  readonly loopDelayP99Ms: number;
};

const concurrency = 32;

/** Runs `count` no-op jobs each way. */
export async function throughputFigures(count: number): Promise<ThroughputFigures> {
  const home = mkdtempSync(join(tmpdir(), "alb-"));
  const stateRoot = join(home, "state");
  const server = await PrivateServer.join({
    location: privateServerLocation(stateRoot, process.getuid?.() ?? 0),
    searchPath: process.env["PATH"],
    report: () => undefined,
  });
  try {
    const rawJobsPerSecond = await rawJobs(server, count);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const supervisedJobsPerSecond = await supervisedJobs(home, stateRoot, count, delay);
    return { rawJobsPerSecond, supervisedJobsPerSecond, loopDelayP99Ms: delay.percentile(99) / 1e6 };
  } finally {
    await server.leave();
    rmSync(home, { recursive: true, force: true });
  }
}

async function rawJobs(server: PrivateServer, count: number): Promise<number> {
  const settings = { onError: () => undefined };
  const [producer, consumer] = await Promise.all([
    openConnection(server.endpoint, "producer", settings),
    openConnection(server.endpoint, "consumer", settings),
  ]);
  const options = { prefix: "bench", removeOnComplete: { count: 100 } };
  const queue = new Queue("raw", {
    connection: producer,
    prefix: options.prefix,
    defaultJobOptions: options,
  });
  const done = Promise.withResolvers<void>();
  let left = count;
  const startedAt = performance.now();
  for (let index = 0; index < count; index += 1_000)
    await queue.addBulk(
      Array.from({ length: Math.min(1_000, count - index) }, () => ({
        name: "job",
        data: { id: newExecutionId() },
      })),
    );
  const worker = new Worker(
    "raw",
    async () => {
      left -= 1;
      if (left === 0) done.resolve();
    },
    { connection: consumer, prefix: options.prefix, concurrency },
  );
  worker.on("error", () => undefined);
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all([worker.close(), queue.close()]);
  producer.disconnect();
  consumer.disconnect();
  return count / seconds;
}

async function supervisedJobs(
  home: string,
  stateRoot: string,
  count: number,
  delay: ReturnType<typeof monitorEventLoopDelay>,
): Promise<number> {
  const conversations = join(home, "conversations");
  const now = Date.now;
  const conversation = await createConversation(
    { directory: conversations, now },
    { directory: "/", model: "none", reasoningEffort: "low" },
  );
  const { journal } = await openJobJournal(jobJournalPath(conversations, conversation.id));
  const redis = await RedisRuntime.open({
    environment: { PATH: process.env["PATH"] },
    stateRoot,
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const publication = {
    tasksDirectory: join(home, "tasks"),
    conversationsDirectory: conversations,
    namesOf: () => [],
    roleOf: () => undefined,
    now,
  };
  const done = Promise.withResolvers<void>();
  let [admitted, settled] = [0, 0];
  const supervisor = new Supervisor({
    queue: redis.queue,
    limits: { children: 1, executions: concurrency, evaluations: 1, gates: 1, wakeups: 1 },
    now,
    executors: {
      shell: () =>
        Promise.resolve({
          state: "completed",
          result: { ending: "exited", exitCode: 0, content: "", shellLogs: [], durationMs: 0 },
        }),
    },
    prepare: (job) => prepareJob(job, publication),
    publish: (job, outcome) => publishOutcome(job, outcome, publication),
    announce: (announcement) => {
      if (announcement.kind !== "settled") return;
      settled += 1;
      if (settled === count) done.resolve();
      else feed();
    },
    report: (failure) => process.stderr.write(`${failure.code}: ${failure.message}\n`),
  });
  supervisor.adopt({ conversationId: conversation.id, journal, table: new JobTable() });
  await supervisor.start();
  const feed = (): void => {
    const room = Math.min(count - admitted, liveJobLimit - (admitted - settled));
    // Whole batches, as a batch of a model's calls would come; the last ones as they are.
    if (room < 16 && room !== count - admitted) return;
    if (room <= 0) return;
    admitted += room;
    supervisor
      .admit(
        conversation.id,
        Array.from({ length: room }, () => request(conversation.id)),
      )
      .catch(done.reject);
  };
  delay.enable();
  const startedAt = performance.now();
  feed();
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  delay.disable();
  await supervisor.shutdown(2_000);
  await redis.close(2_000);
  await journal.close();
  await conversation.close();
  return count / seconds;
}

function request(
  conversationId: Parameters<Supervisor["admit"]>[0],
): Parameters<Supervisor["admit"]>[1][number] {
  return {
    kind: "shell",
    payload: {
      command: "true",
      directory: "/",
      workspace: "/",
      timeoutMs: 60_000,
      separateOutput: false,
      execution: "full",
    },
    owner: { lineage: [] },
    detached: false,
    completionPolicy: "continue",
    completionOwner: conversationId,
  };
}
