/** A supervisor over the in-memory queue with a journal that only remembers, for tests of decisions and order. */
import { type ConversationId, conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import type { ConcurrencyClass } from "../../../orchestrator/contract/job-catalog.ts";
import type { JobRequest } from "../../../orchestrator/jobs/admissions.ts";
import { JobTable } from "../../../orchestrator/jobs/job-table.ts";
import type { JobRecord } from "../../../orchestrator/jobs/journal-records.ts";
import {
  type Executors,
  type JobAnnouncement,
  Supervisor,
  type SupervisorOptions,
} from "../../../orchestrator/jobs/supervisor.ts";
import { MemoryQueue } from "../../../orchestrator/queue/memory-queue.ts";

export const conversationId: ConversationId = conversationIdSchema.parse("b6uouHJ");

export type Supervised = {
  readonly supervisor: Supervisor;
  readonly queue: MemoryQueue;
  readonly records: readonly JobRecord[];
  readonly announcements: readonly JobAnnouncement[];
  readonly failures: readonly string[];
  /** Makes journal appends of these record kinds reject until it is called again. */
  readonly failRecords: (kinds: readonly JobRecord["kind"][]) => void;
};

const usual: Readonly<Record<ConcurrencyClass, number>> = {
  children: 8,
  executions: 4,
  gates: 1,
  evaluations: 1,
  wakeups: 1,
};

/** Starts one; `executors` do the work. */
export async function supervised(
  executors: Executors,
  options: Partial<Pick<SupervisorOptions, "prepare" | "publish" | "limits">> = {},
): Promise<Supervised> {
  const records: JobRecord[] = [];
  const announcements: JobAnnouncement[] = [];
  const failures: string[] = [];
  let failing: readonly JobRecord["kind"][] = [];
  const queue = new MemoryQueue((error) => failures.push(String(error)));
  const supervisor = new Supervisor({
    queue,
    executors,
    limits: usual,
    now: Date.now,
    announce: (announcement) => announcements.push(announcement),
    report: (failure) => failures.push(failure.code),
    ...options,
  });
  supervisor.adopt({
    conversationId,
    table: new JobTable(),
    journal: {
      append: (appended) => {
        if (appended.some(({ kind }) => failing.includes(kind)))
          return Promise.reject(Object.assign(new Error("no space left"), { code: "no-space" }));
        records.push(...appended);
        return Promise.resolve();
      },
    },
  });
  await supervisor.start();
  return {
    supervisor,
    queue,
    records,
    announcements,
    failures,
    failRecords: (kinds) => {
      failing = kinds;
    },
  };
}

/** A shell job request; `command` tells the executor what to do. */
export function shellRequest(command: string, more: Partial<JobRequest<"shell">> = {}): JobRequest<"shell"> {
  return {
    kind: "shell",
    payload: {
      command,
      directory: "/",
      workspace: "/",
      timeoutMs: 1_000,
      separateOutput: false,
      execution: "full",
    },
    owner: { lineage: [] },
    detached: false,
    completionPolicy: "continue",
    completionOwner: conversationId,
    ...more,
  };
}
