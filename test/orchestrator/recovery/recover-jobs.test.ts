import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { standingOf } from "../../../orchestrator/jobs/job-table.ts";
import type { JobRecord } from "../../../orchestrator/jobs/journal-records.ts";
import { type RecoveryParts, recoverJobs } from "../../../orchestrator/recovery/recover-jobs.ts";
import { executionDirectoryOf, publishOutcome } from "../../../orchestrator/tasks/result-publication.ts";
import { freshDirectory } from "../record/directories.ts";
import {
  admitted,
  admittedAgent,
  cancelRequested,
  claimed,
  conversationId,
  intent,
  settled,
  token,
} from "./job-history.ts";

async function recovering(records: readonly JobRecord[]) {
  const root = await freshDirectory();
  const places = {
    tasksDirectory: `${root}/tasks`,
    conversationsDirectory: `${root}/conversations`,
    now: () => 5_000,
  };
  const appended: JobRecord[] = [];
  const publish: RecoveryParts["publish"] = (job, outcome) =>
    publishOutcome(job, outcome, { ...places, namesOf: () => [], roleOf: () => undefined });
  const directoryOf: RecoveryParts["directoryOf"] = (job) => executionDirectoryOf(places, job);
  return {
    appended,
    publish,
    directoryOf,
    recover: (history: readonly JobRecord[] = records) =>
      recoverJobs({
        conversationId,
        records: history,
        journal: {
          append: (added) => {
            appended.push(...added);
            return Promise.resolve();
          },
        },
        directoryOf,
        publish,
        now: places.now,
      }),
  };
}

describe("recovery of a dead host's jobs", () => {
  it("leaves settled jobs as they are", async () => {
    const job = admitted();
    const { recover, appended } = await recovering([job, claimed(job.executionId), settled(job.executionId)]);
    const { table } = await recover();
    expect(table.get(job.executionId)?.life.state).toBe("completed");
    expect(appended).toEqual([]);
  });

  it("keeps what never began and nobody waits for: roots and detached jobs", async () => {
    const [root, detached] = [admittedAgent(), admitted({ detached: true })];
    const { recover, appended } = await recovering([root, detached]);
    const { table } = await recover();
    expect([root, detached].map(({ executionId }) => table.get(executionId)?.life.state)).toEqual([
      "queued",
      "queued",
    ]);
    expect(appended).toEqual([]);
  });

  it("aborts what never began and a call of the dead host waited for, with its files", async () => {
    const job = admitted();
    const { recover, appended, directoryOf } = await recovering([job]);
    const { table } = await recover();
    expect(appended).toMatchObject([{ kind: "settled", state: "aborted", cancelReason: "shutdown" }]);
    const found = table.get(job.executionId);
    expect(found?.life.state).toBe("aborted");
    expect(await directoryOf(found!).readTerminal()).toMatchObject({ state: "aborted" });
  });

  it("aborts a form of a person that never began: only the person knows whether it is still wanted", async () => {
    const payload = { tool: "form", target: { kind: "active" }, forms: ["(list 1)"], hostTools: [] };
    const job = admitted({ jobKind: "lisp", payload, owner: { lineage: [] }, detached: true });
    const { recover, appended } = await recovering([job]);
    await recover();
    expect(appended).toMatchObject([{ state: "aborted", cancelReason: "shutdown" }]);
  });

  it("aborts a queued job whose cancel was accepted", async () => {
    const job = admitted({ detached: true });
    const { recover, appended } = await recovering([job, cancelRequested(job.executionId)]);
    await recover();
    expect(appended).toMatchObject([{ state: "aborted", cancelReason: "user" }]);
  });

  it("interrupts what had begun: it is neither run again nor written about", async () => {
    const job = admitted({ detached: true });
    const { recover, appended } = await recovering([job, claimed(job.executionId)]);
    const { table } = await recover();
    const found = table.get(job.executionId)!;
    expect([found.life.state, standingOf(found)]).toEqual(["running", "interrupted"]);
    expect(table.liveCount("executions")).toBe(0);
    expect(appended).toEqual([]);
  });

  it("completes a settlement whose files were in place, under the claim's token", async () => {
    const job = admitted();
    const { recover, appended, publish } = await recovering([job, claimed(job.executionId)]);
    const live = (await recover()).table.get(job.executionId)!;
    const result = { ending: "exited", exitCode: 0, content: "did it", shellLogs: [], durationMs: 4 };
    await publish(live, { state: "completed", result });
    const { table } = await recover();
    expect(standingOf(table.get(job.executionId)!)).toBe("completed");
    expect(appended).toMatchObject([{ state: "completed", claimToken: token, result }]);
  });

  it("completes a child whose result was published and whose terminal record was not", async () => {
    const job = admittedAgent();
    const { recover, appended, directoryOf } = await recovering([job, claimed(job.executionId)]);
    const directory = directoryOf((await recover()).table.get(job.executionId)!);
    await directory.writeResult({
      id: "task-1",
      agent: "task",
      agentSource: "bundled",
      assignment: "Work.",
      status: "failed",
      output: "(no output)",
      error: "the disk was full",
      yielded: true,
      structuredOutputPresent: false,
      requestCount: 1,
      usage: {},
      durationMs: 1,
      model: "m",
      conversationFile: "/c",
      detached: false,
      agentDefinition: false,
    });
    const { table } = await recover();
    expect(standingOf(table.get(job.executionId)!)).toBe("failed");
    expect(appended).toMatchObject([{ state: "failed", failure: { message: "the disk was full" } }]);
    expect(await directory.readTerminal()).toMatchObject({ state: "failed" });
  });

  it("takes a result that cannot be read for none: somebody has to decide", async () => {
    const job = admitted();
    const { recover, appended, directoryOf } = await recovering([job, claimed(job.executionId)]);
    const path = directoryOf((await recover()).table.get(job.executionId)!).pathOf("terminal.sexp");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "(:STATE :COMPL");
    expect(standingOf((await recover()).table.get(job.executionId)!)).toBe("interrupted");
    expect(appended).toEqual([]);
  });

  it("restores the files of a settled job that a full disk or loss of power took", async () => {
    const [command, child] = [admitted(), admittedAgent()];
    const result = { ending: "exited", exitCode: 0, content: "did it", shellLogs: [], durationMs: 4 };
    const { recover, appended, directoryOf } = await recovering([
      command,
      child,
      claimed(command.executionId),
      claimed(child.executionId),
      settled(command.executionId, { result }),
      settled(child.executionId, {
        state: "failed",
        failure: { code: "no-space", message: "the disk was full", retry: "retryable" },
      }),
    ]);
    const { table } = await recover();
    const directory = (executionId: typeof command.executionId) => directoryOf(table.get(executionId)!);
    expect(await directory(command.executionId).readTerminal()).toMatchObject({ state: "completed", result });
    expect(await directory(child.executionId).readTerminal()).toMatchObject({ state: "failed" });
    expect(await directory(child.executionId).readResult()).toMatchObject({ error: "the disk was full" });
    expect(appended).toEqual([]);
  });

  it("does nothing the second time", async () => {
    const jobs = [admitted(), admitted({ detached: true }), admittedAgent()];
    const history: JobRecord[] = [intent("call-1"), ...jobs, claimed(jobs[1]!.executionId)];
    const { recover, appended } = await recovering(history);
    const first = await recover();
    const count = appended.length;
    await recover(first.records);
    expect([count, appended.length]).toEqual([1, 1]);
  });

  it("knows idempotency keys of earlier admissions", async () => {
    const job = admitted({ idempotencyKey: "the same intent" });
    const { recover } = await recovering([job]);
    expect((await recover()).keys.get("the same intent")).toBe(job.executionId);
  });
});
