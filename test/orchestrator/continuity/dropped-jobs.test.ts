/** Jobs that the table of jobs has dropped: their names and their number still say what there is. */
import { describe, expect, it } from "vitest";
import { type ContinuityToolParts } from "../../../orchestrator/continuity/continuity-tool.ts";
import { ContinuityService, continuityTool } from "../../../orchestrator/continuity/index.ts";
import { primaryCaller } from "../../../orchestrator/contract/caller.ts";
import type { ToolContext, ToolDeclaration } from "../../../orchestrator/contract/tool.ts";
import { JobViews } from "../../../orchestrator/host/job-views.ts";
import { TaskInspector } from "../../../orchestrator/inspection/index.ts";
import type { Supervisor } from "../../../orchestrator/jobs/supervisor.ts";
import { ExecutionDirectory } from "../../../orchestrator/record/execution-directory.ts";
import { jobTools } from "../../../orchestrator/tasks/job-tools.ts";
import { freshDirectory } from "../record/directories.ts";
import { admittedAgent, conversationId } from "../recovery/job-history.ts";

const caller = primaryCaller(conversationId, "primary");
const context = { caller, callId: "call-9" } as unknown as ToolContext;
const emptyTable = { jobs: () => [], find: () => undefined } as unknown as Supervisor;

/** A conversation whose table of jobs is empty, and the files of one child that was dropped from it. */
async function droppedChild() {
  const tasksDirectory = await freshDirectory();
  const { executionId, name, payload } = admittedAgent();
  await new ExecutionDirectory(tasksDirectory, conversationId, executionId).writeContinuity({
    ...{ version: 1, jobId: name, executionId, rootConversation: conversationId, owners: [] },
    ...{ ownerExecutionIds: [], completionOwnerConversation: conversationId, completionPolicy: "continue" },
    ...{ detached: true, createdAt: 3_900_000_000, kind: "task", specification: payload },
  });
  const views = new JobViews({
    ...{ conversationId, tasksDirectory, supervisor: emptyTable },
    ...{ progress: () => undefined, definition: () => undefined, now: () => 1_700_000_000_000 },
  });
  const service = new ContinuityService({
    ...{
      rootConversationId: conversationId,
      tasksDirectory,
      images: undefined,
      now: () => 1_700_000_000_000,
    },
    journal: { append: () => Promise.resolve() },
    jobs: () => [],
    restart: () => Promise.reject(new Error("not asked for")),
  });
  const inspector = new TaskInspector({
    ...{ jobs: () => [], views, continuity: service, caller },
    conversation: () => Promise.resolve({ text: "its words", path: "/c" }),
  });
  const declarations: readonly ToolDeclaration[] = [
    ...jobTools({
      supervisor: emptyTable,
      view: (job) => views.whole(job),
      durable: (id) => views.durable(id),
      retained: (who) => service.retainedJobs(who),
      steer: () => Promise.reject(new Error("not asked for")),
    }),
    continuityTool({
      service,
      visible: () => [],
      admittedAs: () => undefined,
      pathOf: (id) => views.resultPath(id),
    } satisfies Omit<ContinuityToolParts, "describe"> as unknown as ContinuityToolParts),
  ];
  const call = async (tool: string, args: object): Promise<string> => {
    const declaration = declarations.find((each) => each.name === tool);
    const outcome = await declaration?.execute(declaration.arguments.parse(args), context);
    return outcome?.status === "ok" ? outcome.content : "";
  };
  return { executionId, name, inspector, call };
}

describe("a job that the table has dropped", () => {
  it("is found by its name wherever tasks shows it", async () => {
    const { executionId, name, inspector, call } = await droppedChild();
    expect(await inspector.listText()).toContain(name);
    expect(await inspector.resolve(name)).toBe(executionId);
    expect((await inspector.transcript(name)).text).toBe("its words");
    expect(await call("job.get", { id: name })).toContain(executionId);
    expect(await call("job.wait", { id: name })).toContain(":TERMINAL-P T");
    expect(await call("job.continuity", { action: "get", id: name })).toContain(executionId);
    expect(await call("job.continuity", { action: "abandon", id: name, authorize: true })).toContain(
      ":ABANDONED",
    );
    await expect(call("job.get", { id: "no-such-1" })).rejects.toMatchObject({ code: "unknown-job" });
    await expect(inspector.resolve("no-such-1")).rejects.toMatchObject({ code: "unknown-job" });
  });

  it("is counted by job.list, which does not show it", async () => {
    const { call } = await droppedChild();
    const list = await call("job.list", {});
    expect(list).toContain(":TOTAL 0");
    expect(list).toContain(":OLDER-NOT-LISTED 1");
  });
});
