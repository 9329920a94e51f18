import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type CheckpointImages, ContinuityService } from "../../../orchestrator/continuity/index.ts";
import { primaryCaller } from "../../../orchestrator/contract/caller.ts";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { type ExecutionId, newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import type { ToolContext } from "../../../orchestrator/contract/tool.ts";
import { jobOfAdmission } from "../../../orchestrator/jobs/job-table.ts";
import type { JobRecord } from "../../../orchestrator/jobs/journal-records.ts";
import { ExecutionDirectory } from "../../../orchestrator/record/execution-directory.ts";
import { freshDirectory } from "../record/directories.ts";
import { admittedAgent, conversationId } from "../recovery/job-history.ts";

const caller = primaryCaller(conversationId, "primary");
const context = { caller, callId: "call-9" } as unknown as ToolContext;

/** A conversation with one dead child; `restart` says what a revival starts. */
async function deadChild(
  more: {
    readonly images?: CheckpointImages;
    readonly isolated?: true;
    readonly restart?: () => Promise<never>;
  } = {},
) {
  const tasksDirectory = await freshDirectory();
  const admission = admittedAgent();
  const records: JobRecord[] = [];
  const started: string[] = [];
  const service = new ContinuityService({
    rootConversationId: conversationId,
    tasksDirectory,
    journal: {
      append: (appended) => {
        records.push(...appended);
        return Promise.resolve();
      },
    },
    jobs: () => [],
    restart: (specification, _record, _context, key) => {
      started.push(`${specification.assignment} ${key}`);
      return more.restart?.() ?? Promise.resolve(jobOfAdmission(admittedAgent(), conversationId));
    },
    images: more.images,
    now: () => 1_700_000_000_000,
  });
  const { executionId } = admission;
  const directory = new ExecutionDirectory(tasksDirectory, conversationId, executionId);
  const isolation = { source: "/s", path: "/p", baseline: "b".repeat(40), artifactKind: "patch" } as const;
  await directory.writeContinuity({
    version: 1,
    jobId: admission.name,
    executionId,
    rootConversation: conversationId,
    owners: [],
    ownerExecutionIds: [],
    completionOwnerConversation: conversationId,
    completionPolicy: "continue",
    detached: true,
    createdAt: 3_900_000_000,
    kind: "task",
    specification: {
      ...(admission.payload as object),
      ...(more.isolated === undefined ? {} : { isolation }),
    },
  });
  return { service, directory, executionId, records, started };
}

const classOf = async (service: ContinuityService, id: ExecutionId): Promise<string> =>
  (await service.entry(id)).classification;

describe("decisions about a dead child", () => {
  it("a revival is decided and claimed before anything is started, and only once, however many ask at the same time", async () => {
    const { service, executionId, records, started } = await deadChild();
    await service.allowRestart(executionId, "It only reads.");
    const tries = await Promise.allSettled([
      service.revive(executionId, context),
      service.revive(executionId, context),
      service.revive(executionId, context),
    ]);
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(started).toEqual([`Work. revive:${executionId}`]);
    expect(records).toMatchObject([{ kind: "decided", executionId, decision: "revived" }]);
    const entry = await service.entry(executionId);
    expect(entry).toMatchObject({
      classification: "dead-needing-decision",
      reviveResult: { recoveryOutcome: "dispatched" },
    });
  });

  it("a revival that fails uses up its claim and says why", async () => {
    const { service, executionId, started } = await deadChild({
      restart: () => Promise.reject(new AutolithError("unknown-role", "There is no such role.")),
    });
    await service.allowRestart(executionId, "It only reads.");
    await expect(service.revive(executionId, context)).rejects.toMatchObject({ code: "unknown-role" });
    await expect(service.revive(executionId, context)).rejects.toMatchObject({ code: "continuity-state" });
    expect(started).toHaveLength(1);
    expect((await service.entry(executionId)).reviveResult).toMatchObject({
      recoveryOutcome: "failed",
      message: "There is no such role.",
    });
  });

  it("a claim whose host died before it dispatched stays a claim without outcome", async () => {
    const { service, directory, executionId } = await deadChild();
    await service.allowRestart(executionId, "It only reads.");
    await directory.writeRevive({ version: 1, at: 1, action: "restart", callId: "call-1" });
    expect(await classOf(service, executionId)).toBe("dead-needing-decision");
    expect((await service.entry(executionId)).reviveResult).toBeUndefined();
    await expect(service.allowRestart(executionId, "Again.")).rejects.toMatchObject({
      code: "continuity-state",
    });
    await service.abandon(executionId, "call-2");
    expect(await classOf(service, executionId)).toBe("abandoned");
  });

  it("work in a worktree of its own is not started again from its specification", async () => {
    const { service, executionId } = await deadChild({ isolated: true });
    await expect(service.allowRestart(executionId, "Safe.")).rejects.toMatchObject({
      code: "continuity-specification",
    });
    // Nor does the refusal send anybody to allow-restart, which refuses too.
    await expect(service.revive(executionId, context)).rejects.toMatchObject({
      code: "continuity-state",
      message: expect.stringMatching(/^(?!.*allow-restart).*task\.worktree inspect.*task\.run/) as string,
    });
  });

  it("a checkpoint is declared only for an image that can be started, and goes before a restart", async () => {
    const images: CheckpointImages = {
      isUsable: ({ image }) => Promise.resolve(image === "good"),
      start: ({ repl }) => Promise.resolve(`started ${repl}`),
    };
    const { service, executionId, started } = await deadChild({ images });
    await expect(
      service.declareCheckpoint(executionId, { image: "bad", repl: "main" }),
    ).rejects.toMatchObject({
      code: "checkpoint-unavailable",
    });
    await service.allowRestart(executionId, "It only reads.");
    await service.declareCheckpoint(executionId, { image: "good", repl: "main" });
    expect(await classOf(service, executionId)).toBe("reconstructible-checkpoint");
    expect(await service.revive(executionId, context)).toEqual({ kind: "started", text: "started main" });
    expect(started).toEqual([]);
    const without = await deadChild();
    await expect(
      without.service.declareCheckpoint(without.executionId, { image: "good", repl: "main" }),
    ).rejects.toThrow("no saved worker images");
  });

  it("an end that cannot be read needs a decision, and is never taken for work to start again", async () => {
    const { service, directory, executionId } = await deadChild();
    await service.allowRestart(executionId, "It only reads.");
    await writeFile(directory.pathOf("result.sexp"), "(:id ");
    expect(await classOf(service, executionId)).toBe("dead-needing-decision");
    await expect(service.revive(executionId, context)).rejects.toThrow(/is recorded and cannot be read/);
  });

  it("children see only what is theirs", async () => {
    const { service, executionId } = await deadChild();
    expect(await service.executions(caller)).toEqual([executionId]);
    const other = { ...caller, kind: "child" as const, executionId: newExecutionId() };
    expect(await service.executions(other)).toEqual([]);
  });
});
