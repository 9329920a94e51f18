/** A job as task and job tools show it (facts C.7, RECORD). */
import { type DataForm, type DataList, jsonToForm, printDataForm } from "../../lisp/data-forms/index.ts";
import { usageTotals } from "../agents/agent-result.ts";
import type { AgentResult, JobPayload, ShellResult, UsageTotals } from "../contract/job-catalog.ts";
import { jobCatalog } from "../contract/job-catalog.ts";
import { executionText, executionTool } from "../jobs/execution-title.ts";
import { type Job, standingOf } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { ProgressSnapshot } from "./child-progress.ts";
import { preview, properties, report, word } from "./report-form.ts";

/** What a record is made of. `outcome` is absent while the job is live. */
export type JobView = {
  readonly job: Job;
  readonly outcome: Outcome<unknown> | undefined;
  /** Of a running child; absent where it is not asked for. */
  readonly progress: ProgressSnapshot | undefined;
  /** Absolute path of the execution's `result.sexp`. */
  readonly artifactPath: string | undefined;
  /** The artifact is there and can be read. */
  readonly artifactAvailable: boolean;
  /** The role of a child as it was when it started; absent where it is not asked for, or not known any more. */
  readonly definition?: DataForm | undefined;
  /** Visible name of the owner: a job name or `primary`. */
  readonly ownerName: string;
  readonly now: number;
};

/** The record with its texts cut to `previewLimit` characters. */
export function jobRecordForm(view: JobView, previewLimit: number): DataForm {
  return view.job.kind === "agent" ? childRecord(view, previewLimit) : executionRecord(view, previewLimit);
}

function commonFields(view: JobView): Record<string, DataForm | undefined> {
  const { job } = view;
  return {
    state: word(standingOf(job)),
    detached: job.detached,
    owner: view.ownerName,
    "completion-policy": word(job.completionPolicy),
  };
}

function cancellation(view: JobView): DataForm {
  return view.job.cancelReason === undefined ? false : word(view.job.cancelReason);
}

function childRecord(view: JobView, previewLimit: number): DataForm {
  const payload = jobCatalog.agent.payload.parse(view.job.payload);
  return properties({
    id: view.job.name,
    "execution-id": view.job.executionId,
    type: word("task"),
    agent: payload.role,
    ...commonFields(view),
    result: view.outcome === undefined ? false : childResult(view, payload, previewLimit),
    ...(view.outcome === undefined && view.progress !== undefined
      ? { progress: progressForm(view, view.progress, payload, previewLimit) }
      : {}),
    "cancellation-reason": cancellation(view),
  });
}

/** Usage by provider key, without what nobody reported. */
export function usageForm(usage: UsageTotals): DataList {
  const pairs: [string, number | undefined][] = [
    ["input_tokens", usage.inputTokens],
    ["output_tokens", usage.outputTokens],
    ["total_tokens", usage.totalTokens],
    ["cached_input_tokens", usage.cachedInputTokens],
    ["reasoning_tokens", usage.reasoningTokens],
  ];
  return pairs.flatMap(([name, count]) => (count === undefined ? [] : [[name, count]]));
}

function childResult(view: JobView, payload: JobPayload<"agent">, previewLimit: number): DataForm {
  const outcome = view.outcome as Outcome<AgentResult>;
  const result = outcome.result;
  const failure = outcome.state === "failed" ? outcome.failure.message : undefined;
  return properties({
    status: word(result?.status ?? resultStatusOf(outcome.state)),
    error: describedText(view, "error", result?.error ?? failure, previewLimit),
    label: result?.label,
    output: result === undefined ? "" : describedText(view, "output", result.output, previewLimit),
    "structured-output-present-p": result?.structuredOutputPresent ?? false,
    "structured-output": structuredOutput(view, result, previewLimit),
    usage: result === undefined ? false : usageForm(result.usage),
    "duration-ms": result?.durationMs,
    model: result?.model ?? payload.model,
    ...(view.definition === undefined ? {} : { "agent-definition": view.definition }),
    ...(payload.isolation === undefined
      ? {}
      : {
          worktree: result?.worktree,
          "worktree-artifact-path": result?.worktreeArtifactPath,
          "worktree-error": describedText(view, "worktree-error", result?.worktreeError, previewLimit),
          ...(result?.worktreeNote === undefined
            ? {}
            : { "worktree-note": describedText(view, "worktree-note", result.worktreeNote, previewLimit) }),
        }),
    artifact: properties({
      path: view.artifactPath,
      format: word("sexp"),
      "available-p": view.artifactAvailable,
    }),
  });
}

/** Status of a child's result for a final state that came without one. */
export function resultStatusOf(state: Outcome<unknown>["state"]): AgentResult["status"] {
  return state === "completed" ? "success" : state;
}

/** A text that fits, or a descriptor of it: where the whole is, how long it is, how it begins. */
function describedText(
  { artifactAvailable }: JobView,
  field: string,
  text: string | undefined,
  previewLimit: number,
): DataForm | undefined {
  if (text === undefined || text.length <= previewLimit) return text;
  return report(artifactAvailable ? "in-artifact" : "omitted", {
    field: word(field),
    characters: text.length,
    preview: text.slice(0, previewLimit).replace(/[\uD800-\uDBFF]$/, ""),
  });
}

function structuredOutput(
  { artifactAvailable }: JobView,
  result: AgentResult | undefined,
  previewLimit: number,
): DataForm | undefined {
  if (result?.structuredOutputPresent !== true) return undefined;
  const form = result.structuredOutput === undefined ? undefined : jsonToForm(result.structuredOutput);
  const characters = form === undefined ? undefined : printDataForm(form).length;
  if (form !== undefined && characters !== undefined && characters <= previewLimit) return form;
  return report(artifactAvailable ? "in-artifact" : "omitted", {
    field: word("structured-output"),
    characters,
  });
}

/** Most characters of streamed output that a record shows (facts C.6). */
const progressCharacters = 1_000;

/** The end of a text, which says how much came before. */
function newest(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(-limit).replace(/^[\uDC00-\uDFFF]/, "");
  return `[the last ${end.length} of ${text.length} characters] …${end}`;
}

function progressForm(
  view: JobView,
  progress: ProgressSnapshot,
  payload: JobPayload<"agent">,
  previewLimit: number,
): DataForm {
  return properties({
    status: word(standingOf(view.job)),
    "current-tool": progress.currentTool,
    "recent-tools": [...progress.recentTools],
    "recent-output": newest(progress.recentOutput, Math.min(progressCharacters, previewLimit)),
    "request-count": progress.requestCount,
    usage: usageForm(usageTotals(progress.usages, progress.requestCount)),
    "duration-ms": view.job.claimedAt === undefined ? 0 : Math.max(0, view.now - view.job.claimedAt),
    model: payload.model,
  });
}

/** Most characters of a command that stand for a description it does not have. */
const descriptionCharacters = 80;

function executionRecord(view: JobView, previewLimit: number): DataForm {
  const { job, outcome } = view;
  const described = (job.payload as { readonly description?: string }).description;
  const result = outcome?.result as ShellResult | undefined;
  return properties({
    id: job.name,
    "execution-id": job.executionId,
    type: word("tool"),
    tool: executionTool(job),
    description: described ?? preview(executionText(job.payload), descriptionCharacters),
    summary: executionSummary(outcome),
    ...commonFields(view),
    "shell-logs": [...(result?.shellLogs ?? [])],
    result: outcome === undefined ? false : executionResult(outcome, result, previewLimit),
    "cancellation-reason": cancellation(view),
    "condition-report":
      outcome?.state === "failed" ? preview(outcome.failure.message, previewLimit) : undefined,
  });
}

function executionSummary(outcome: Outcome<unknown> | undefined): string | undefined {
  if (outcome === undefined) return undefined;
  const result = outcome.result as ShellResult | undefined;
  if (result?.exitCode !== undefined) return `exit ${result.exitCode}`;
  return result?.ending ?? outcome.state;
}

function executionResult(
  outcome: Outcome<unknown>,
  result: ShellResult | undefined,
  previewLimit: number,
): DataForm {
  return properties({
    status: word(outcome.state === "completed" ? "success" : outcome.state),
    content: preview(result?.content ?? "", previewLimit),
    "shell-logs": [...(result?.shellLogs ?? [])],
    "duration-ms": result?.durationMs,
  });
}
