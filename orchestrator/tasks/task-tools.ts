/** `task.run` and `task.agents`: starting child agents, alone or as an atomic batch, and seeing the roles there are. */
import { z } from "zod";
import type { DataForm } from "../../lisp/data-forms/index.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { AutolithError, errorOf, failureOf } from "../contract/failure.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import type { Job } from "../jobs/job-table.ts";
import type { JobRequest } from "../jobs/admissions.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { type JobView, jobRecordForm } from "./job-record.ts";
import { fitReport, report, reportLimit } from "./report-form.ts";
import { type TaskItem, taskItems, taskRunArguments } from "./task-arguments.ts";

/** Ready to be admitted: the job request, and whether its caller must wait for it whatever it asked. */
export type PreparedTask = {
  readonly request: JobRequest<"agent">;
  readonly alwaysBlocking: boolean;
};

export type TaskToolParts = {
  readonly supervisor: Supervisor;
  readonly view: (job: Job) => Promise<JobView>;
  /** Resolves role, model and policy of one item. Rejects with typed errors: unknown role, spawn not allowed, depth. */
  readonly prepare: (item: TaskItem, context: ToolContext, index: number) => Promise<PreparedTask>;
  /** Bounds on starting children: `take` throws typed errors with the number, `giveBack` returns what was refused later. */
  readonly budget: { take(count: number): void; giveBack(count: number): void };
  /** Entries of `task.agents` that the caller may spawn, diagnostics included. */
  readonly agents: (caller: ToolCaller) => Promise<readonly ((previewLimit: number) => DataForm)[]>;
  /** Directory of execution directories, for the report. */
  readonly artifactRoot: string;
  /** How long a blocking call waits before hand-off, in milliseconds; undefined: until the end. */
  readonly graceMs: number | undefined;
  readonly now: () => number;
};

/** The two tools. */
export function taskTools(parts: TaskToolParts): readonly ToolDeclaration[] {
  return [runTool(parts), agentsTool(parts)];
}

function runTool(parts: TaskToolParts): ToolDeclaration {
  return declareTool({
    name: "task.run",
    description:
      "Starts a child agent on a task, or up to 16 at once with `tasks` and a shared `context`. Children work concurrently and on their own; by default you go on at once and are told when each ends. blocking: true waits.",
    arguments: taskRunArguments,
    effects: "local",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async (args, context) => runTasks(taskItems(args), context, parts),
  });
}

async function runTasks(
  items: readonly TaskItem[],
  context: ToolContext,
  parts: TaskToolParts,
): Promise<ToolOutcome> {
  const startedAt = parts.now();
  const prepared = await Promise.all(
    items.map((item, index) =>
      items.length === 1 ? parts.prepare(item, context, index) : prepareItem(item, context, index, parts),
    ),
  );
  const jobs = await startChildren(prepared, context, parts);
  await Promise.all(
    jobs.map(async (job, index) => {
      const entry = prepared[index];
      if (entry === undefined || job.detached) return;
      await awaitChild(job, entry.alwaysBlocking ? undefined : parts.graceMs, context, parts.supervisor);
    }),
  );
  const views = await Promise.all(
    jobs.map(async (job) => ({ ...(await parts.view(job)), progress: undefined, definition: undefined })),
  );
  const synchronous = views.filter(({ job }) => !job.detached);
  const succeeded = synchronous.every(({ job }) => job.life.state === "completed");
  const content = fitReport((size) =>
    report("task-run", {
      "succeeded-p": succeeded,
      "total-duration-ms": Math.max(0, parts.now() - startedAt),
      "artifact-root": parts.artifactRoot,
      results: views.map((view) => jobRecordForm(view, size)),
    }),
  );
  return succeeded ? { status: "ok", content } : { status: "error", code: "child-not-succeeded", content };
}

/** An item of a batch that cannot be started is named; nothing of the call is started then. */
async function prepareItem(
  item: TaskItem,
  context: ToolContext,
  index: number,
  parts: TaskToolParts,
): Promise<PreparedTask> {
  try {
    return await parts.prepare(item, context, index);
  } catch (error) {
    const failure = failureOf(error);
    throw errorOf({
      ...failure,
      message: `tasks[${index}]: ${failure.message} Nothing of this call was started.`,
    });
  }
}

async function startChildren(
  prepared: readonly PreparedTask[],
  context: ToolContext,
  { budget, supervisor }: TaskToolParts,
): Promise<readonly Job[]> {
  budget.take(prepared.length);
  try {
    return await supervisor.admit(
      context.caller.rootConversationId,
      prepared.map(({ request }) => request),
    );
  } catch (error) {
    budget.giveBack(prepared.length);
    throw error;
  }
}

/** Waits with the caller's slot lent. Cancelling the caller cancels its synchronous children. */
async function awaitChild(
  job: Job,
  graceMs: number | undefined,
  context: ToolContext,
  supervisor: Supervisor,
): Promise<void> {
  const grace = graceMs === undefined ? undefined : AbortSignal.timeout(graceMs);
  const signal = grace === undefined ? context.signal : AbortSignal.any([grace, context.signal]);
  try {
    await supervisor.settled(job.executionId, { signal, lender: context.caller.executionId });
  } catch (error) {
    if (context.signal.aborted) {
      await supervisor.cancel(job, "user");
      await supervisor.settled(job.executionId);
      return;
    }
    if (grace?.aborted !== true) throw error;
    await supervisor.handOff(job);
  }
}

function agentsTool(parts: TaskToolParts): ToolDeclaration {
  return declareTool({
    name: "task.agents",
    description:
      "Lists the roles you may start with task.run, and what is wrong with role files that cannot be used.",
    arguments: z.strictObject({
      offset: z.number().int().min(0).max(1_000_000).default(0),
      limit: z.number().int().min(1).max(32).default(16),
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async ({ offset, limit }, { caller }) => {
      const entries = await parts.agents(caller);
      const page = entries.slice(offset, offset + limit);
      const next = offset + page.length < entries.length ? offset + page.length : false;
      return {
        status: "ok",
        content: fitReport((size) =>
          report("task-agents", {
            offset,
            count: page.length,
            total: entries.length,
            "next-offset": next,
            entries: page.map((entry) => entry(size)),
          }),
        ),
      };
    },
  });
}

/** What a caller at the deepest level is told. */
export function depthRefusal(depth: number, maxDepth: number): string {
  return `Children at depth ${depth} may not start children; the limit is ${maxDepth}. Do the work yourself.`;
}

/** May this caller start the role at all? Throws `spawn-not-allowed` or `depth-limit`. */
export function checkSpawn(
  role: string,
  caller: ToolCaller,
  policy: { readonly spawns: "all" | readonly string[]; readonly maxDepth: number },
): void {
  if (caller.depth >= policy.maxDepth)
    throw new AutolithError("depth-limit", depthRefusal(caller.depth, policy.maxDepth));
  if (policy.spawns !== "all" && !policy.spawns.includes(role))
    throw new AutolithError(
      "spawn-not-allowed",
      `Role ${caller.role} may not start ${role}; it may start: ${policy.spawns.join(", ") || "none"}.`,
    );
}
