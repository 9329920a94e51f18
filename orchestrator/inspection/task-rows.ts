/** Rows of the task inventory (facts C.13): live work first, then what is retained. Pure. */
import { printDataForm } from "../../lisp/data-forms/index.ts";
import { usageTotals } from "../agents/agent-result.ts";
import type { AgentResult, ShellResult } from "../contract/job-catalog.ts";
import { executionText, executionTool } from "../jobs/execution-title.ts";
import { isActive, standingOf } from "../jobs/job-table.ts";
import type { ActivityRecord } from "../record/execution-records.ts";
import { instantOf } from "../record/conversation-record.ts";
import { type JobView, usageForm } from "../tasks/job-record.ts";
import { preview } from "../tasks/report-form.ts";

/** Most characters of a row's usage. */
const usageCharacters = 500;

/** Most characters of its summary. */
const summaryCharacters = 120;

/** What a row shows; undefined measurements are unknown. */
export type TaskRow = {
  readonly name: string;
  readonly executionId: string;
  /** Role and task, or the command, in one line. */
  readonly summary: string;
  /** `primary` or the parent's name. */
  readonly owner: string;
  readonly state: string;
  /** Queued or running. */
  readonly live: boolean;
  /** The tool that runs, or the last one. */
  readonly tool: string | undefined;
  readonly durationMs: number | undefined;
  readonly requests: number | undefined;
  readonly toolCount: number | undefined;
  readonly usage: string | undefined;
  /** Epoch milliseconds. */
  readonly activityAt: number | undefined;
  readonly artifactPath: string | undefined;
};

/** The row of a job. `activity` is what its files say of its latest activity. */
export function taskRow(view: JobView, activity: ActivityRecord | undefined): TaskRow {
  const { job, progress, outcome } = view;
  const result = outcome?.result as Partial<AgentResult & ShellResult> | undefined;
  return {
    name: job.name,
    executionId: job.executionId,
    summary: summaryOf(job.payload),
    owner: view.ownerName,
    state: standingOf(job),
    live: isActive(job),
    tool: progress?.currentTool ?? progress?.recentTools.at(-1) ?? activity?.tool ?? ownTool(job),
    durationMs: result?.durationMs ?? elapsed(view),
    requests: result?.usage?.providerRequests ?? progress?.requestCount ?? requestsOf(activity),
    toolCount: progress?.toolCount ?? activity?.toolCount,
    usage: usageText(view),
    activityAt: progress?.activityAt ?? (activity === undefined ? undefined : instantOf(activity.updatedAt)),
    artifactPath: view.artifactAvailable ? view.artifactPath : undefined,
  };
}

/** The row as text. */
export function rowText(row: TaskRow): string {
  const known = (value: string | number | undefined, unit = ""): string =>
    value === undefined ? "unknown" : `${value}${unit}`;
  const seconds = row.durationMs === undefined ? undefined : (row.durationMs / 1_000).toFixed(1);
  const activity = row.activityAt === undefined ? undefined : new Date(row.activityAt).toISOString();
  return [
    `${row.name}  ${row.state}  parent ${row.owner}  tool ${known(row.tool)}`,
    `  ${row.summary}`,
    `  execution ${row.executionId}  duration ${known(seconds, " s")}  requests ${known(row.requests)}  tools ${known(row.toolCount)}`,
    `  usage ${known(row.usage)}  activity ${known(activity)}`,
    `  artifact ${known(row.artifactPath)}`,
  ].join("\n");
}

function summaryOf(payload: unknown): string {
  const { role, assignment } = payload as Readonly<Record<string, string | undefined>>;
  const text = role === undefined ? executionText(payload) : `${role}: ${assignment ?? ""}`;
  return preview(text.replaceAll(/\s+/g, " ").trim(), summaryCharacters);
}

/** An execution is the run of one tool. */
function ownTool(job: JobView["job"]): string | undefined {
  return job.kind === "agent" ? undefined : executionTool(job);
}

function elapsed({ job, now }: JobView): number | undefined {
  if (job.claimedAt === undefined || job.interrupted) return undefined;
  return Math.max(0, (job.settledAt ?? now) - job.claimedAt);
}

function requestsOf(activity: ActivityRecord | undefined): number | undefined {
  const progress = activity?.progress as { requests?: unknown } | null | undefined;
  return typeof progress?.requests === "number" ? progress.requests : undefined;
}

function usageText({ progress, outcome }: JobView): string | undefined {
  const result = outcome?.result as Partial<AgentResult> | undefined;
  const usage =
    result?.usage ??
    (progress === undefined ? undefined : usageTotals(progress.usages, progress.requestCount));
  const counters = usage === undefined ? [] : usageForm(usage);
  return counters.length === 0 ? undefined : printDataForm(counters).slice(0, usageCharacters);
}
