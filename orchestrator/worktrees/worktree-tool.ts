/** `task.worktree`: what the primary does with the checkouts and artifacts of isolated children (facts C.8). */
import { isAbsolute, resolve } from "node:path";
import { realpath } from "node:fs/promises";
import { z } from "zod";
import { type DataForm, type DataList } from "../../lisp/data-forms/index.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import { type ToolContext, type ToolDeclaration, declareTool } from "../contract/tool.ts";
import { isActive } from "../jobs/job-table.ts";
import { findJob } from "../jobs/names.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { jsonArgumentProblem } from "../prompt/argument-refusal.ts";
import { resolveJob, visibleJobs } from "../tasks/job-tools.ts";
import { fitReport, properties, report, reportLimit, word } from "../tasks/report-form.ts";
import type { ConversationWorktrees } from "./conversation-worktrees.ts";
import { gitLeave, permitPath } from "./git-leave.ts";
import { WorktreeError } from "./worktree-error.ts";
import type { RemovedCheckout, WorktreeMachine } from "./worktree-machine.ts";
import { type WorktreeArtifact, type WorktreeRecord, decodedPatch } from "./worktree.ts";

export type WorktreeToolParts = {
  readonly supervisor: Supervisor;
  readonly worktrees: ConversationWorktrees;
  readonly machine: WorktreeMachine;
  /** All jobs of which files are retained and that the caller may see. */
  readonly retained: (
    caller: ToolCaller,
  ) => Promise<readonly { readonly executionId: ExecutionId; readonly name: string }[]>;
  /** Told of registry entries that cannot be read. */
  readonly report: (error: unknown) => void;
};

const id = z.string().min(1).max(64);
const place = z.string().min(1).max(4_096);
const ofTask = { id: id.describe("Visible name of an ended child, or its execution id.") };
const ofTarget = {
  target: place.describe("Repository to integrate into, absolute or below the working directory."),
};
const discard = { discardDirty: z.boolean().default(false) };

/** One shape for each action. */
const actionSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("inspect"), ...ofTask }),
  z.strictObject({ action: z.literal("extract"), ...ofTask }),
  z.strictObject({ action: z.literal("check"), ...ofTask, ...ofTarget }),
  z.strictObject({ action: z.literal("apply"), ...ofTask, ...ofTarget }),
  z.strictObject({ action: z.literal("commits"), ...ofTask, ...ofTarget }),
  z.strictObject({ action: z.literal("conflicts"), ...ofTarget }),
  z.strictObject({ action: z.literal("abort"), ...ofTarget }),
  z.strictObject({ action: z.literal("cleanup"), ...ofTask, ...discard }),
  z.strictObject({ action: z.literal("discover"), source: place.optional() }),
  z.strictObject({
    action: z.literal("cleanup-orphan"),
    id: id.describe("Worktree id as discover shows it."),
    source: place,
    ...discard,
  }),
]);

type Action = z.infer<typeof actionSchema>;

/** What models see: one flat object, since providers refuse unions at the top. Each action's own shape is checked after it. */
export const worktreeArguments = z.strictObject({
  action: z.enum([
    "inspect",
    "extract",
    "check",
    "apply",
    "commits",
    "conflicts",
    "abort",
    "cleanup",
    "discover",
    "cleanup-orphan",
  ]),
  id: id
    .optional()
    .describe(
      "Visible name of an ended child or its execution id; for cleanup-orphan the id that discover shows.",
    ),
  target: place.optional().describe("Repository to integrate into."),
  source: place.optional().describe("Repository the checkouts came from."),
  discardDirty: z.boolean().optional().describe("Remove a checkout although it has changes."),
});

/** The tool; only a primary has it. */
export function worktreeTool(parts: WorktreeToolParts): ToolDeclaration {
  return declareTool({
    name: "task.worktree",
    description:
      "Handles the isolated checkouts of children that ran with `isolation`. inspect: what a child changed and where its artifact is. extract: secure the work again after a failure. check, apply: try or put a child's patch into the clean repository `target`. commits: cherry-pick its commit range there. conflicts, abort: see or end an interrupted cherry-pick in `target`. cleanup: remove a child's checkout; one with changes only with discardDirty. discover: all checkouts of this conversation, with `source` also those only that repository still knows. cleanup-orphan: remove one of those by the id that discover shows.",
    arguments: worktreeArguments,
    shapes: actionSchema,
    effects: "external",
    // One after the other, in wire order: they share repositories.
    concurrency: () => "task.worktree",
    audience: "primary",
    resultLimit: reportLimit,
    execute: async (args, context) => {
      const action = actionSchema.safeParse(args);
      if (!action.success)
        return {
          status: "error",
          code: "invalid-arguments",
          content: jsonArgumentProblem("task.worktree", actionSchema, args, action.error),
        };
      const build = await perform(action.data, context, parts);
      return { status: "ok", content: fitReport(build) };
    },
  });
}

type Build = (size: number) => DataForm;

function answer(action: Action["action"], fields: (size: number) => Parameters<typeof properties>[0]): Build {
  return (size) => report("task-worktree", { action: word(action), ...fields(size) });
}

async function perform(args: Action, context: ToolContext, parts: WorktreeToolParts): Promise<Build> {
  switch (args.action) {
    case "inspect":
      return inspect(args.id, context, parts);
    case "extract":
      return extract(args.id, context, parts);
    case "check":
    case "apply":
    case "commits":
      return integrate(args, context, parts);
    case "conflicts": {
      const paths = await parts.machine.conflicts(
        await targetOf(args.target, context, parts),
        gitLeave(context),
      );
      return answer("conflicts", (size) => ({ conflicts: listed(paths, size) }));
    }
    case "abort": {
      const target = await targetOf(args.target, context, parts);
      const aborted = await parts.machine.abort(target, gitLeave(context));
      return answer("abort", () => ({ aborted }));
    }
    case "cleanup": {
      const record = await recordOf(args.id, context, parts);
      const removed = await parts.worktrees.remove(record, args.discardDirty, gitLeave(context));
      return answer("cleanup", (size) => removal(record, removed, size));
    }
    case "discover":
      return discover(args.source, context, parts);
    case "cleanup-orphan":
      return cleanupOrphan(args, context, parts);
  }
}

async function inspect(name: string, context: ToolContext, parts: WorktreeToolParts): Promise<Build> {
  const { worktrees } = parts;
  const record = await recordOf(name, context, parts);
  const artifact = await worktrees.artifact(record);
  const state = await worktrees.state(record, gitLeave(context)).catch((error: unknown) => {
    // A damaged checkout does not keep the artifact from being shown.
    if (error instanceof WorktreeError && artifact !== undefined) return undefined;
    throw error;
  });
  return answer("inspect", (size) => ({
    identity: identity(record),
    kind: word(record.artifactKind),
    tip: artifact?.tip ?? state?.tip,
    paths: listed(artifact?.paths ?? state?.paths ?? [], size),
    "artifact-path": artifact === undefined ? undefined : worktrees.artifactPath(record),
    "checkout-p": state !== undefined,
    untracked:
      state === undefined
        ? listed(artifact?.untracked ?? [], size, artifact?.untrackedCount)
        : listed(state.untracked, size),
  }));
}

async function extract(name: string, context: ToolContext, parts: WorktreeToolParts): Promise<Build> {
  const { worktrees } = parts;
  const record = await recordOf(name, context, parts);
  const earlier = await worktrees.artifact(record);
  const artifact = earlier ?? (await worktrees.secure(record, gitLeave(context)));
  const changed = earlier !== undefined && (await worktrees.changedSince(record, earlier, gitLeave(context)));
  return answer("extract", (size) => ({
    "artifact-path": worktrees.artifactPath(record),
    baseline: artifact.baseline,
    paths: listed(artifact.paths, size),
    "newly-secured-p": earlier === undefined,
    "changed-since-p": changed,
    ...(changed
      ? {
          note: `The work was secured before and an artifact is never replaced; what ${record.path} holds beyond it is only there.`,
        }
      : {}),
  }));
}

async function integrate(
  args: Extract<Action, { action: "check" | "apply" | "commits" }>,
  context: ToolContext,
  parts: WorktreeToolParts,
): Promise<Build> {
  const artifact = await artifactOf(args.id, context, parts);
  const target = await targetOf(args.target, context, parts);
  const leave = gitLeave(context);
  if (args.action === "commits") {
    if (artifact.kind !== "commit-range")
      throw new WorktreeError(
        "worktree-range",
        `The artifact of ${args.id} is a patch, no range of commits. Use apply.`,
      );
    const commits = await parts.machine.pick(target, artifact, leave);
    return answer("commits", (size) => ({
      integrated: true,
      target,
      commits: listed(commits, size),
      paths: listed(artifact.paths, size),
    }));
  }
  const patch = decodedPatch(artifact);
  if (patch.length === 0)
    throw new WorktreeError(
      "worktree-range",
      `${args.id} changed no tracked file; there is nothing to integrate.`,
    );
  await (args.action === "check"
    ? parts.machine.check(target, patch, leave)
    : parts.machine.apply(target, patch, leave));
  return answer(args.action, (size) => ({
    // A check says that the patch would fit; nothing was changed.
    integrated: args.action === "apply",
    ...(args.action === "check" ? { "applicable-p": true } : {}),
    target,
    paths: listed(artifact.paths, size),
  }));
}

async function discover(
  source: string | undefined,
  context: ToolContext,
  parts: WorktreeToolParts,
): Promise<Build> {
  const from = source === undefined ? undefined : await placeOf(source, "read", context);
  const found = await parts.worktrees.discover(from, gitLeave(context), parts.report);
  return answer("discover", (size) => ({
    active: identities(found.active, size),
    absent: identities(found.absent, size),
    total: found.active.length + found.absent.length,
  }));
}

async function cleanupOrphan(
  args: Extract<Action, { action: "cleanup-orphan" }>,
  context: ToolContext,
  parts: WorktreeToolParts,
): Promise<Build> {
  const leave = gitLeave(context);
  const source = await placeOf(args.source, "read", context);
  const record = await parts.worktrees.discovered(args.id, source, leave);
  if (record === undefined)
    throw new WorktreeError(
      "worktree-unknown",
      `This conversation has no worktree ${JSON.stringify(args.id)}; discover with source ${source} shows those there are.`,
    );
  requireEnded(record, context, parts.supervisor);
  const removed = await parts.worktrees.remove(record, args.discardDirty, leave);
  return answer("cleanup-orphan", (size) => removal(record, removed, size));
}

/** What a removal says: also what is still there of the child's work outside the checkout. */
function removal(
  { path }: WorktreeRecord,
  { kept, stashes }: RemovedCheckout,
  size: number,
): Parameters<typeof properties>[0] {
  return {
    removed: true,
    path,
    ...(kept.length === 0 ? {} : { "kept-commits": listed(kept, size) }),
    ...(stashes.length === 0 ? {} : { "stash-entries": listed(stashes, size) }),
  };
}

/** The record of a child that has ended: by visible name, or by execution id also when only its files are left. */
async function recordOf(
  name: string,
  context: ToolContext,
  parts: WorktreeToolParts,
): Promise<WorktreeRecord> {
  const executionId = await executionOf(name, context, parts);
  const record = await parts.worktrees.record(executionId);
  if (record === undefined)
    throw new WorktreeError(
      "worktree-unknown",
      `${name} had no isolated checkout in this conversation; discover shows those there are.`,
    );
  requireEnded(record, context, parts.supervisor);
  return record;
}

/** What a name or an execution id means; the name also of a job that is not in memory any more. */
async function executionOf(
  name: string,
  { caller }: ToolContext,
  { supervisor, retained }: WorktreeToolParts,
): Promise<ExecutionId> {
  const direct = executionIdSchema.safeParse(name);
  if (direct.success) return direct.data;
  if (findJob(visibleJobs(supervisor, caller), name).kind === "none") {
    const kept = findJob(await retained(caller), name);
    if (kept.kind === "one") return kept.job.executionId;
  }
  return resolveJob(supervisor, caller, name).executionId;
}

/** Nothing of the child runs any more, neither itself nor a command or child that it started. */
function requireEnded(record: WorktreeRecord, { caller }: ToolContext, supervisor: Supervisor): void {
  const live = supervisor
    .jobs(caller.rootConversationId)
    .filter(
      (job) =>
        isActive(job) &&
        (job.executionId === record.id || job.owner.lineage.some((execution) => execution === record.id)),
    );
  if (live.length > 0)
    throw new WorktreeError(
      "worktree-live",
      `${live.map(({ name }) => name).join(", ")} still runs; wait for it, or cancel it with job.cancel.`,
    );
}

async function artifactOf(
  name: string,
  context: ToolContext,
  parts: WorktreeToolParts,
): Promise<WorktreeArtifact> {
  const record = await recordOf(name, context, parts);
  const artifact = await parts.worktrees.artifact(record);
  if (artifact !== undefined) return artifact;
  throw new WorktreeError(
    "worktree-unknown",
    `${name} has no artifact; action extract makes one from its checkout.`,
  );
}

/** The top of the repository that a target names, once it may be written. */
async function targetOf(
  target: string,
  context: ToolContext,
  { machine }: WorktreeToolParts,
): Promise<string> {
  const place = await placeOf(target, "write", context);
  const top = await machine.topOf(place, gitLeave(context));
  if (top !== place) await permitPath(top, "write", context);
  return top;
}

async function placeOf(path: string, access: "read" | "write", context: ToolContext): Promise<string> {
  const absolute = isAbsolute(path) ? path : resolve(context.workspace, path);
  const real = await realpath(absolute).catch((error: unknown) => {
    throw new WorktreeError("worktree-unknown", `There is no directory ${absolute}.`, { cause: error });
  });
  await permitPath(real, access, context);
  return real;
}

function identity(record: WorktreeRecord): DataList {
  return properties({
    id: record.id,
    owner: record.owner,
    source: record.source,
    path: record.path,
    baseline: record.baseline,
    "artifact-kind": word(record.artifactKind),
    "metadata-path": record.metadataPath,
  });
}

/** As many as the answer has room for; the last one tells how many there are (`total`) when some are left out. */
function listed(paths: readonly string[], size: number, total = paths.length): DataForm {
  const shown = paths.slice(0, Math.max(4, Math.floor(size / 32)));
  const count = total - shown.length;
  return count <= 0 ? [...shown] : [...shown, report("omitted", { count, total })];
}

function identities(records: readonly WorktreeRecord[], size: number): DataForm {
  const room = Math.max(2, Math.floor(size / 400));
  const shown = records.slice(0, room).map(identity);
  return records.length <= room
    ? shown
    : [...shown, report("omitted", { count: records.length - room, total: records.length })];
}
