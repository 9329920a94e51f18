/** `job.continuity`: the inventory of retained work, and its owner's decisions (facts C.9). */
import { z } from "zod";
import { type DataForm, type DataList, keyword, printDataForm } from "../../lisp/data-forms/index.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { AutolithError } from "../contract/failure.ts";
import { type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { executionText } from "../jobs/execution-title.ts";
import type { Job } from "../jobs/job-table.ts";
import { findJob } from "../jobs/names.ts";
import { preview, properties, report, reportLimit, word } from "../tasks/report-form.ts";
import type { ContinuityEntry } from "./continuity-entry.ts";
import { type ContinuityService, type RetainedJob, isVisible } from "./continuity-service.ts";

/** Longest safety rationale, in characters. */
export const safetyLimit = 4_000;
/** Most records of one page. */
export const continuityPageLimit = 100;

const continuityArguments = z.strictObject({
  action: z
    .enum(["list", "get", "allow-restart", "checkpoint", "revive", "abandon"])
    .describe("What to do; list and get only look."),
  id: z.string().min(1).max(64).optional().describe("Visible job name or execution id; not for list."),
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(continuityPageLimit).default(20),
  safety: z
    .string()
    .max(safetyLimit)
    .optional()
    .describe("allow-restart: why repeating its external effects is safe."),
  image: z.string().min(1).max(256).optional().describe("checkpoint: the saved worker image."),
  repl: z.string().min(1).max(64).optional().describe("checkpoint: the REPL to start from it."),
  authorize: z.boolean().default(false).describe("true: you, the owner, decide this."),
});
type ContinuityArguments = z.infer<typeof continuityArguments>;

export type ContinuityToolParts = {
  readonly service: ContinuityService;
  /** Jobs in memory that the caller may see. */
  readonly visible: (caller: ToolCaller) => readonly Job[];
  /** The job that a revival with this key started, if the journal knows one. */
  readonly admittedAs: (key: string) => Job | undefined;
  /** What `job.get` says of a job. */
  readonly describe: (executionId: ExecutionId, caller: ToolCaller) => Promise<string>;
  readonly pathOf: (executionId: ExecutionId) => string;
};

/** The tool. */
export function continuityTool(parts: ContinuityToolParts): ToolDeclaration {
  return declareTool({
    name: "job.continuity",
    description:
      "Shows what became of retained jobs after a crash or resume, and records your decision about them: list, get, allow-restart (with safety), checkpoint, revive, abandon. Decisions need authorize: true from the primary.",
    arguments: continuityArguments,
    effects: "local",
    concurrency: () => "continuity",
    audience: "all",
    resultLimit: reportLimit,
    execute: async (args, context): Promise<ToolOutcome> => ({
      status: "ok",
      content: await perform(args, context, parts),
    }),
  });
}

async function perform(
  args: ContinuityArguments,
  context: ToolContext,
  parts: ContinuityToolParts,
): Promise<string> {
  const { service } = parts;
  if (args.action === "list") return list(args, context.caller, parts);
  const executionId = await resolve(args, context.caller, parts);
  if (args.action !== "get") requireAuthority(args, context.caller);
  switch (args.action) {
    case "get":
      return printed("get", await service.entry(executionId), parts);
    case "allow-restart":
      return printed("allow-restart", await service.allowRestart(executionId, safetyOf(args)), parts);
    case "checkpoint":
      return printed("checkpoint", await service.declareCheckpoint(executionId, checkpointOf(args)), parts);
    case "abandon":
      return printed("abandon", await service.abandon(executionId, context.callId), parts);
    case "revive":
      return revive(executionId, context, parts);
  }
}

async function revive(
  executionId: ExecutionId,
  context: ToolContext,
  parts: ContinuityToolParts,
): Promise<string> {
  const revival = await parts.service.revive(executionId, context);
  switch (revival.kind) {
    case "reattached":
      return parts.describe(executionId, context.caller);
    case "started":
      return revival.text;
    case "dispatched":
      return printDataForm(
        report("continuity-revive", {
          "execution-id": executionId,
          "recovery-outcome": word("dispatched"),
          "new-job-id": revival.job.name,
          "new-execution-id": revival.job.executionId,
        }),
      );
  }
}

/** Whole records: a page ends before the one that would not fit. */
async function list(
  { offset, limit }: ContinuityArguments,
  caller: ToolCaller,
  parts: ContinuityToolParts,
): Promise<string> {
  const all = await parts.service.executions(caller);
  const entries: DataForm[] = [];
  const page = (count: number): string => {
    const next = offset + count;
    return printDataForm([
      keyword("continuity-list"),
      true,
      ...properties({
        offset,
        "next-offset": Math.min(next, all.length),
        total: all.length,
        "more-p": next < all.length,
        entries: entries.slice(0, count),
      }),
    ]);
  };
  for (const executionId of all.slice(offset, offset + limit)) {
    entries.push(entryForm(await parts.service.entry(executionId), 200, parts));
    if (page(entries.length).length > reportLimit && entries.length > 1) return page(entries.length - 1);
  }
  return page(entries.length);
}

function printed(action: string, entry: ContinuityEntry, parts: ContinuityToolParts): string {
  return printDataForm(report(`continuity-${action}`, { entry: entryForm(entry, safetyLimit, parts) }));
}

/** The record of one retained job. */
export function entryForm(
  entry: ContinuityEntry,
  previewLimit: number,
  parts: Pick<ContinuityToolParts, "service" | "admittedAs" | "pathOf">,
): DataList {
  const { record, specification, terminal, checkpoint } = entry;
  return properties({
    "job-id": record.jobId,
    "execution-id": entry.executionId,
    kind: word(record.kind),
    classification: word(entry.classification),
    agent: specification?.role,
    task: preview(taskOf(entry), previewLimit),
    owners: [...record.owners],
    detached: record.detached,
    "completion-policy": word(record.completionPolicy),
    "created-at": record.createdAt,
    state: terminal === undefined ? undefined : word(terminal.state),
    "ended-at": terminal?.endedAt,
    "restart-safety":
      record.restartSafety === undefined ? undefined : preview(record.restartSafety, previewLimit),
    checkpoint:
      checkpoint === undefined ? undefined : properties({ image: checkpoint.image, repl: checkpoint.repl }),
    ...revivalFields(entry, parts),
    problem: entry.problem === undefined ? undefined : preview(entry.problem, previewLimit),
    "artifact-path": parts.pathOf(entry.executionId),
  });
}

function taskOf({ specification, record }: ContinuityEntry): string {
  if (specification !== undefined) return specification.assignment;
  return executionText(record.specification);
}

/** A claim whose result was lost is told as dispatched when the journal knows its successor, else as unknown. */
function revivalFields(
  { executionId, revive, reviveResult }: ContinuityEntry,
  { service, admittedAs }: Pick<ContinuityToolParts, "service" | "admittedAs">,
): Record<string, DataForm | undefined> {
  if (revive === undefined) return {};
  const successor = reviveResult === undefined ? service.successorOf(executionId, admittedAs) : undefined;
  const outcome = reviveResult?.recoveryOutcome ?? (successor === undefined ? "unknown" : "dispatched");
  return {
    "revive-claimed-at": revive.at,
    "recovery-outcome": word(outcome),
    "new-job-id": reviveResult?.jobId ?? successor?.name,
    "new-execution-id": reviveResult?.executionId ?? successor?.executionId,
    "recovery-message": reviveResult?.message,
  };
}

async function resolve(
  { id, action }: ContinuityArguments,
  caller: ToolCaller,
  parts: ContinuityToolParts,
): Promise<ExecutionId> {
  if (id === undefined)
    throw new AutolithError(
      "continuity-arguments",
      `job.continuity: ${action} needs \`id\`: the visible name or the execution id of a job.`,
    );
  const inMemory = findJob<RetainedJob>(parts.visible(caller), id);
  const match = inMemory.kind === "none" ? findJob(await parts.service.retainedJobs(caller), id) : inMemory;
  if (match.kind === "one") return match.job.executionId;
  const direct = executionIdSchema.safeParse(id);
  if (direct.success) {
    const { record } = await parts.service.entry(direct.data);
    if (isVisible(record, caller)) return direct.data;
  }
  const reason =
    match.kind === "ambiguous"
      ? `names several jobs: ${match.candidates.join(", ")}`
      : "names no visible job";
  throw new AutolithError(
    match.kind === "ambiguous" ? "ambiguous-job" : "unknown-job",
    `${JSON.stringify(id)} ${reason}. Give the name or execution id of a job that job.continuity list shows.`,
  );
}

function requireAuthority({ action, authorize }: ContinuityArguments, caller: ToolCaller): void {
  if (caller.kind !== "primary")
    throw new AutolithError(
      "primary-authority",
      `job.continuity ${action} is a decision of the primary; children may list and get.`,
    );
  if (!authorize)
    throw new AutolithError(
      "authorization-required",
      `job.continuity ${action} needs authorize (:authorize t in a form, true in JSON): it is a decision about work that may have had effects.`,
    );
}

function safetyOf({ safety }: ContinuityArguments): string {
  const text = safety?.trim() ?? "";
  if (text !== "") return text;
  throw new AutolithError(
    "continuity-arguments",
    "job.continuity: allow-restart needs `safety`: why repeating the external effects of the work is safe.",
  );
}

function checkpointOf({ image, repl }: ContinuityArguments): { image: string; repl: string } {
  if (image !== undefined && repl !== undefined) return { image, repl };
  throw new AutolithError("continuity-arguments", "job.continuity: checkpoint needs `image` and `repl`.");
}
