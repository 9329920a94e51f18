import { describe, expect, it } from "vitest";
import type { ShellResult } from "../../../orchestrator/contract/job-catalog.ts";
import type { Outcome } from "../../../orchestrator/jobs/lifecycle.ts";
import type { JobRecord } from "../../../orchestrator/jobs/journal-records.ts";
import type { Executor } from "../../../orchestrator/jobs/supervisor.ts";
import { Supervisor } from "../../../orchestrator/jobs/supervisor.ts";
import { MemoryQueue } from "../../../orchestrator/queue/memory-queue.ts";
import { replayJobs } from "../../../orchestrator/recovery/job-inventory.ts";
import { conversationId, shellRequest, supervised } from "../../support/jobs/supervised.ts";
import { admitted, claimed } from "../recovery/job-history.ts";

const result: ShellResult = { ending: "exited", exitCode: 0, content: "", shellLogs: [], durationMs: 1 };
const completed: Outcome<ShellResult> = { state: "completed", result };
const work: Executor<"shell"> = () => Promise.resolve(completed);

/** Admission that waits where its files are prepared. */
function heldPreparation() {
  const entered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  return {
    entered: entered.promise,
    release: held.resolve,
    prepare: (): Promise<void> => {
      entered.resolve();
      return held.promise;
    },
  };
}

describe("an admission that is still being recorded", () => {
  it("is not dispatched by a queue that comes back meanwhile: nothing runs before its admission is recorded", async () => {
    const held = heldPreparation();
    const { supervisor, queue, records } = await supervised({ shell: work }, { prepare: held.prepare });
    const admitting = supervisor.admit(conversationId, [shellRequest("a")]);
    await held.entered;
    queue.setHealth("degraded");
    queue.setHealth("connected");
    held.release();
    const [job] = await admitting;
    await supervisor.settled(job!.executionId);
    expect(records.map(({ kind }) => kind)).toEqual(["admitted", "claimed", "settled"]);
  });

  it("is cancelled after it is recorded, so that no journal holds the cancel first", async () => {
    const held = heldPreparation();
    const { supervisor, records } = await supervised({ shell: work }, { prepare: held.prepare });
    const admitting = supervisor.admit(conversationId, [shellRequest("a")]);
    await held.entered;
    const cancelling = supervisor.shutdown(1_000);
    held.release();
    await Promise.all([admitting, cancelling]);
    expect(records.map(({ kind }) => kind)[0]).toBe("admitted");
    const table = replayJobs(records, conversationId);
    expect(table.all().map(({ life }) => life.state)).toEqual(["aborted"]);
  });
});

describe("a queue that refuses", () => {
  it("is asked again until it takes the entries, and the refusal is told once", async () => {
    const { supervisor, queue, failures } = await supervised({ shell: work });
    let refusals = 0;
    const enqueue = queue.enqueue.bind(queue);
    queue.enqueue = (entries) => {
      if (refusals === 2) return enqueue(entries);
      refusals += 1;
      return Promise.reject(Object.assign(new Error("full"), { code: "redis-full" }));
    };
    const [job] = await supervisor.admit(conversationId, [shellRequest("patient")]);
    expect(await supervisor.settled(job!.executionId)).toMatchObject({ outcome: completed });
    expect([refusals, failures]).toEqual([2, ["redis-full"]]);
  });
});

describe("a conversation whose host died", () => {
  it("runs what never began, and neither runs, waits for nor cancels what had begun", async () => {
    const [waiting, begun] = [
      admitted({ detached: true }),
      admitted({ detached: true, idempotencyKey: "key" }),
    ];
    const history: readonly JobRecord[] = [waiting, begun, claimed(begun.executionId)];
    const records: JobRecord[] = [];
    const ran: string[] = [];
    const supervisor = new Supervisor({
      queue: new MemoryQueue(() => undefined),
      executors: {
        shell: (job) => {
          ran.push(job.executionId);
          return Promise.resolve(completed);
        },
      },
      limits: { children: 1, executions: 1, evaluations: 1, gates: 1, wakeups: 1 },
      now: Date.now,
      announce: () => undefined,
      report: () => undefined,
    });
    supervisor.adopt(
      {
        conversationId,
        table: replayJobs(history, conversationId),
        journal: {
          append: (added) => {
            records.push(...added);
            return Promise.resolve();
          },
        },
      },
      new Map([["key", begun.executionId]]),
    );
    await supervisor.start();
    await supervisor.settled(waiting.executionId);
    await expect(supervisor.settled(begun.executionId)).rejects.toMatchObject({ code: "outcome-unknown" });
    const [same] = await supervisor.admit(conversationId, [shellRequest("again", { idempotencyKey: "key" })]);
    expect(same?.executionId).toBe(begun.executionId);
    expect(await supervisor.cancel(same!, "user")).toEqual([]);
    await supervisor.shutdown(1_000);
    expect(ran).toEqual([waiting.executionId]);
    expect(
      records.filter((record) => "executionId" in record && record.executionId === begun.executionId),
    ).toEqual([]);
  });
});
