/** `job.*`: looking at, awaiting, steering and cancelling jobs. A child sees its own jobs and their descendants only. */
import { z } from "zod";
import type { DataForm } from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { executionText, executionTool } from "../jobs/execution-title.ts";
import { type Job, classOf, isActive, settledJobRetention, standingOf } from "../jobs/job-table.ts";
import { isTerminal } from "../jobs/lifecycle.ts";
import { findJob } from "../jobs/names.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { type JobView, jobRecordForm, resultStatusOf } from "./job-record.ts";
import { fitReport, preview, properties, report, reportLimit, word } from "./report-form.ts";

export type JobToolParts = {
  readonly supervisor: Supervisor;
  /** Builds the view of a job at this moment, reading its durable result when it left memory. */
  readonly view: (job: Job) => Promise<JobView>;
  /** A job that is not in memory any more, from its files; undefined when there are none. */
  readonly durable: (executionId: ExecutionId) => Promise<JobView | undefined>;
  /** All jobs of which files are retained and that the caller may see, newest first. */
  readonly retained: (
    caller: ToolCaller,
  ) => Promise<readonly { readonly executionId: ExecutionId; readonly name: string }[]>;
  /** Queues a message for a running child and answers how many wait. Throws typed errors. */
  readonly steer: (job: Job, message: string) => Promise<number>;
};

/** Longest wait of `job.wait`, in seconds (facts C.7). */
export const waitLimitSeconds = 3_600;

/** Lisp writes a bare number as such. */
export const jobReferenceSchema = z
  .union([z.string().min(1).max(64), z.int().min(1)])
  .transform(String)
  .describe("Visible job name, execution id, or the bare number of an exec:N job.");

/** Jobs a caller may see: everything for the primary, own descendants for a child. */
export function visibleJobs(supervisor: Pick<Supervisor, "jobs">, caller: ToolCaller): readonly Job[] {
  const jobs = supervisor.jobs(caller.rootConversationId);
  const { executionId } = caller;
  if (executionId === undefined) return jobs;
  return jobs.filter((job) => job.owner.lineage.includes(executionId));
}

/** The visible job that a reference names. Throws `unknown-job` or `ambiguous-job` with the candidates. */
export function resolveJob(supervisor: Pick<Supervisor, "jobs">, caller: ToolCaller, name: string): Job {
  const match = findJob(visibleJobs(supervisor, caller), name);
  if (match.kind === "one") return match.job;
  if (match.kind === "none")
    throw new AutolithError(
      "unknown-job",
      `There is no visible job named ${JSON.stringify(name)}. job.list shows them.`,
    );
  throw new AutolithError(
    "ambiguous-job",
    `${JSON.stringify(name)} names several jobs: ${match.candidates.join(", ")}. Use a full name.`,
  );
}

type Lookup = Pick<JobToolParts, "supervisor" | "view" | "durable" | "retained">;

/**
 * The job that a reference names, with its whole result; from its files when it is not in memory any more, which only the primary may
 * ask for. Throws `unknown-job` or `ambiguous-job`.
 */
async function findView(
  parts: Lookup,
  caller: ToolCaller,
  name: string,
): Promise<{ readonly view: JobView; readonly durable: boolean }> {
  const live = findJob(visibleJobs(parts.supervisor, caller), name);
  if (live.kind === "none" && caller.kind === "primary") {
    const executionId = executionIdSchema.safeParse(name);
    const kept = executionId.success ? undefined : findJob(await parts.retained(caller), name);
    const known = kept?.kind === "one" ? kept.job.executionId : executionId.data;
    const view = known === undefined ? undefined : await parts.durable(known);
    if (view !== undefined) return { view, durable: true };
  }
  return { view: await parts.view(resolveJob(parts.supervisor, caller, name)), durable: false };
}

/** What `job.get` says of a job. Rejects as {@link findView}. */
export async function describeJob(parts: Lookup, caller: ToolCaller, name: string): Promise<string> {
  const { view, durable } = await findView(parts, caller, name);
  return fitReport((size) => report("job-get", { "durable-p": durable, job: jobRecordForm(view, size) }));
}

/** The five job tools that need no durable continuity records. */
export function jobTools(parts: JobToolParts): readonly ToolDeclaration[] {
  return [listTool(parts), getTool(parts), waitTool(parts), cancelTool(parts), sendTool(parts)];
}

function ok(content: string): ToolOutcome {
  return { status: "ok", content };
}

function listTool({ supervisor, retained }: JobToolParts): ToolDeclaration {
  return declareTool({
    name: "job.list",
    description:
      "Lists your jobs (child agents and supervised executions), live ones first, one page at a time.",
    arguments: z.strictObject({
      offset: z.number().int().min(0).max(1_000_000).default(0),
      limit: z.number().int().min(1).max(64).default(32),
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async ({ offset, limit }, { caller }) => {
      const jobs = [...visibleJobs(supervisor, caller)].sort(byLiveThenNewest);
      const page = jobs.slice(offset, offset + limit);
      const next = offset + page.length < jobs.length ? offset + page.length : false;
      const listed = new Set(jobs.map(({ executionId }) => executionId));
      const older = (await retained(caller)).filter(({ executionId }) => !listed.has(executionId)).length;
      return ok(
        fitReport((size) =>
          report("job-list", {
            offset,
            count: page.length,
            total: jobs.length,
            "next-offset": next,
            ...(older === 0
              ? {}
              : {
                  "older-not-listed": older,
                  note: `job.list knows the newest ${settledJobRetention} ended jobs of each class; older ones that are retained are listed by job.continuity and hold by their names.`,
                }),
            jobs: page.map((job) => listEntry(job, size)),
          }),
        ),
      );
    },
  });
}

function byLiveThenNewest(left: Job, right: Job): number {
  return Number(isActive(right)) - Number(isActive(left)) || right.order - left.order;
}

function listEntry(job: Job, size: number): DataForm {
  const { role } = job.payload as { role?: string };
  const isChild = classOf(job) === "children";
  return properties({
    id: job.name,
    type: word(isChild ? "task" : "tool"),
    ...(isChild
      ? { agent: role }
      : {
          tool: executionTool(job),
          summary: preview(executionText(job.payload), Math.min(size, 80)),
        }),
    state: word(standingOf(job)),
    detached: job.detached,
    status: isTerminal(job.life.state) ? word(resultStatusOf(job.life.state)) : undefined,
  });
}

function getTool(parts: JobToolParts): ToolDeclaration {
  return declareTool({
    name: "job.get",
    description: "Shows one job: its state, progress or result, and where its durable record is.",
    arguments: z.strictObject({ id: jobReferenceSchema }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async ({ id }, { caller }) => ok(await describeJob(parts, caller, id)),
  });
}

function waitTool(parts: JobToolParts): ToolDeclaration {
  return declareTool({
    name: "job.wait",
    description: `Waits until a job has ended, at most timeout-seconds (0 to ${waitLimitSeconds}), then shows it.`,
    arguments: z.strictObject({
      id: jobReferenceSchema,
      "timeout-seconds": z
        .number()
        .min(0)
        .max(waitLimitSeconds)
        .default(0)
        .describe("How long to wait; 0, the default, answers at once."),
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async ({ id, "timeout-seconds": seconds }, context) => {
      const { view, durable } = await findView(parts, context.caller, id);
      if (!durable) await waitFor(parts.supervisor, view.job, seconds * 1_000, context);
      const { job } = view;
      const seen = durable ? view : await parts.view(job);
      // Nothing more comes from an interrupted job either: whoever waits for it would ask for ever.
      const terminal = !isActive(job);
      return ok(
        fitReport((size) =>
          report("job-wait", {
            "timeout-seconds": Math.round(seconds),
            "terminal-p": terminal,
            job: jobRecordForm(seen, size),
          }),
        ),
      );
    },
  });
}

/** Waits for the settlement or the time limit; a child lends its slot meanwhile. Cancelling the caller rejects. */
async function waitFor(
  supervisor: Supervisor,
  job: Job,
  timeoutMs: number,
  context: ToolContext,
): Promise<void> {
  if (!isActive(job) || timeoutMs === 0) return;
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  const signal = AbortSignal.any([timeout, context.signal]);
  try {
    await supervisor.settled(job.executionId, { signal, lender: context.caller.executionId });
  } catch (error) {
    if (!timeout.aborted || context.signal.aborted) throw error;
  }
}

function cancelTool({ supervisor, view }: JobToolParts): ToolDeclaration {
  return declareTool({
    name: "job.cancel",
    description: "Cancels a job and everything below it.",
    arguments: z.strictObject({ id: jobReferenceSchema }),
    effects: "local",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async ({ id }, { caller }) => {
      const job = resolveJob(supervisor, caller, id);
      const accepted = await supervisor.cancel(job, "user");
      const seen = await view(job);
      return ok(
        fitReport((size) =>
          report("job-cancel", {
            id: job.name,
            "accepted-p": accepted.includes(job),
            reason: word("user"),
            "cancelled-descendants": accepted.filter((member) => member !== job).map((member) => member.name),
            job: jobRecordForm(seen, size),
          }),
        ),
      );
    },
  });
}

function sendTool({ supervisor, steer }: JobToolParts): ToolDeclaration {
  return declareTool({
    name: "job.send",
    description: "Sends a message to a running child agent; it reads the message before its next turn.",
    arguments: z.strictObject({ id: jobReferenceSchema, message: z.string().min(1).max(131_072) }),
    effects: "local",
    concurrency: "parallel",
    audience: "all",
    execute: async ({ id, message }, { caller }) => {
      const job = resolveJob(supervisor, caller, id);
      if (job.kind !== "agent" || !isActive(job))
        throw new AutolithError(
          "not-steerable",
          `${job.name} is ${job.kind === "agent" ? standingOf(job) : "no child agent"}; only running children take messages. job.get shows what came of it; task.run starts another child.`,
        );
      const waiting = await steer(job, message);
      return ok(`Accepted for ${job.name}; ${waiting} message(s) wait for its next turn.`);
    },
  });
}
