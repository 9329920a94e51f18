/** The durable files of a job: what must exist before it is dispatched, and its result before the settlement is recorded. */
import { errorLimit } from "../agents/agent-result.ts";
import { boundedMessage } from "../contract/failure.ts";
import type { DataForm, JsonValue } from "../../lisp/data-forms/index.ts";
import type { RoleSource } from "../../roles/index.ts";
import { type AgentResult, type UsageTotals, jobCatalog } from "../contract/job-catalog.ts";
import { jsonOf, jsonValueSchema } from "../contract/json-value.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { universalTime } from "../record/conversation-record.ts";
import { ExecutionDirectory } from "../record/execution-directory.ts";
import type { ResultRecord } from "../record/execution-records.ts";
import type { z } from "zod";

export type PublicationPlaces = {
  /** The data root's `tasks` directory. */
  readonly tasksDirectory: string;
  /** The data root's `conversations` directory. */
  readonly conversationsDirectory: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type PublicationParts = PublicationPlaces & {
  /** Visible names of the executions in a lineage. */
  readonly namesOf: (job: Job) => readonly string[];
  /** The role of an agent job as it was when it started. */
  readonly roleOf: (job: Job) => { readonly source: RoleSource; readonly definition: DataForm } | undefined;
};

/** The directory of a job's files. */
export function executionDirectoryOf(
  parts: Pick<PublicationPlaces, "tasksDirectory">,
  job: Job,
): ExecutionDirectory {
  return new ExecutionDirectory(parts.tasksDirectory, job.conversationId, job.executionId);
}

/**
 * Writes `continuity.sexp`: what must be known of the job when its host is gone. A synchronous execution has none: it ends with the
 * call that waits for it, and the journal knows it; it gets one when it is handed off.
 */
export async function prepareJob(job: Job, parts: PublicationParts): Promise<void> {
  if (job.kind !== "agent" && !job.detached) return;
  const directory = executionDirectoryOf(parts, job);
  // A hand-off writes it again; what its owner declared meanwhile stays.
  const earlier = (await directory.create()) ? undefined : await directory.readContinuity();
  await directory.writeContinuity({
    ...(earlier?.restartSafety === undefined ? {} : { restartSafety: earlier.restartSafety }),
    ...(earlier?.checkpoint === undefined ? {} : { checkpoint: earlier.checkpoint }),
    version: 1,
    jobId: job.name,
    executionId: job.executionId,
    rootConversation: job.conversationId,
    owners: [...parts.namesOf(job)],
    ownerExecutionIds: [...job.owner.lineage],
    ...(job.owner.parentCallId === undefined ? {} : { parentCallId: job.owner.parentCallId }),
    completionOwnerConversation: job.completionOwner,
    completionPolicy: job.completionPolicy,
    detached: job.detached,
    createdAt: universalTime(job.admittedAt),
    kind: job.kind === "agent" ? "task" : "tool",
    specification: jsonOf(job.payload),
  });
}

/** Writes a child's `result.sexp` and every job's `terminal.sexp`. */
export async function publishOutcome(
  job: Job,
  outcome: Outcome<unknown>,
  parts: PublicationParts,
): Promise<void> {
  const directory = executionDirectoryOf(parts, job);
  if (job.kind === "agent")
    await directory.writeResult(resultRecord(job, outcome as Outcome<AgentResult>, parts));
  await directory.writeTerminal({
    state: outcome.state,
    endedAt: universalTime(parts.now()),
    ...(job.kind === "agent" || outcome.result === undefined ? {} : { result: jsonOf(outcome.result) }),
  });
}

function usageCounters(usage: UsageTotals): Record<string, number> {
  const counters: readonly (readonly [string, number | undefined])[] = [
    ["input_tokens", usage.inputTokens],
    ["output_tokens", usage.outputTokens],
    ["total_tokens", usage.totalTokens],
    ["cached_input_tokens", usage.cachedInputTokens],
    ["reasoning_tokens", usage.reasoningTokens],
  ];
  return Object.fromEntries(
    counters.flatMap(([name, count]) => (count === undefined ? [] : [[name, count]])),
  );
}

/** A child's result as its artifact holds it: the inverse of what {@link publishOutcome} writes. */
export function agentResultOf(record: ResultRecord): AgentResult {
  const counter = (name: string): number | undefined => {
    const value = record.usage[name];
    return typeof value === "number" ? value : undefined;
  };
  const known = {
    inputTokens: counter("input_tokens"),
    outputTokens: counter("output_tokens"),
    totalTokens: counter("total_tokens"),
    cachedInputTokens: counter("cached_input_tokens"),
    reasoningTokens: counter("reasoning_tokens"),
  };
  return {
    status: record.status,
    output: record.output,
    yielded: record.yielded,
    structuredOutputPresent: record.structuredOutputPresent,
    usage: {
      ...(Object.fromEntries(
        Object.entries(known).filter(([, value]) => value !== undefined),
      ) as Partial<UsageTotals>),
      providerRequests: record.requestCount,
    },
    durationMs: record.durationMs,
    model: record.model,
    undeliveredPromptCount: record.undeliveredPromptCount ?? 0,
    ...(record.error === undefined ? {} : { error: boundedMessage(record.error, errorLimit) }),
    ...(record.label === undefined ? {} : { label: record.label }),
    ...worktreeFields(record),
    ...(record.structuredOutput === undefined ? {} : { structuredOutput: doubled(record.structuredOutput) }),
  };
}

type WorktreeFields = Pick<
  AgentResult,
  "worktree" | "worktreeArtifactPath" | "worktreeError" | "worktreeNote"
>;

function worktreeFields({ worktree, worktreeArtifactPath, worktreeError, worktreeNote }: WorktreeFields): {
  readonly worktree?: string;
  readonly worktreeArtifactPath?: string;
  readonly worktreeError?: string;
  readonly worktreeNote?: string;
} {
  return {
    ...(worktree === undefined ? {} : { worktree }),
    ...(worktreeArtifactPath === undefined ? {} : { worktreeArtifactPath }),
    ...(worktreeError === undefined ? {} : { worktreeError: boundedMessage(worktreeError, errorLimit) }),
    ...(worktreeNote === undefined ? {} : { worktreeNote: boundedMessage(worktreeNote, errorLimit) }),
  };
}

/** JSON without integers that only a form holds exactly. */
function doubled(value: JsonValue): z.infer<typeof jsonValueSchema> {
  const text = JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "bigint" ? Number(each) : each,
  );
  return jsonValueSchema.parse(JSON.parse(text));
}

function resultRecord(job: Job, outcome: Outcome<AgentResult>, parts: PublicationParts): ResultRecord {
  const payload = jobCatalog.agent.payload.parse(job.payload);
  const role = parts.roleOf(job);
  const { result } = outcome;
  const failure = outcome.state === "failed" ? outcome.failure.message : undefined;
  const error =
    result?.error ??
    failure ??
    (outcome.state === "aborted" ? `Cancelled (${outcome.reason ?? "by itself"}).` : undefined);
  return {
    id: job.name,
    // As it was asked for or made up, without the number.
    name: job.name.replace(/-\d+$/, ""),
    agent: payload.role,
    agentSource: role?.source ?? "programmatic",
    assignment: payload.assignment,
    status: statusOf(outcome),
    output: result?.output ?? "(no output)",
    ...(error === undefined ? {} : { error }),
    yielded: result?.yielded ?? false,
    structuredOutputPresent: result?.structuredOutputPresent ?? false,
    ...(result?.structuredOutput === undefined ? {} : { structuredOutput: result.structuredOutput }),
    ...(result?.label === undefined ? {} : { label: result.label }),
    requestCount: result?.usage.providerRequests ?? 0,
    usage: usageCounters(result?.usage ?? { providerRequests: 0 }),
    durationMs: result?.durationMs ?? 0,
    model: payload.model,
    conversationFile: `${parts.conversationsDirectory}/${job.executionId}`,
    detached: job.detached,
    ...(result === undefined || result.undeliveredPromptCount === 0
      ? {}
      : { undeliveredPromptCount: result.undeliveredPromptCount }),
    ...worktreeFields(result ?? {}),
    agentDefinition: role?.definition ?? false,
  };
}

function statusOf(outcome: Outcome<AgentResult>): ResultRecord["status"] {
  if (outcome.state === "completed") return "success";
  return outcome.state === "aborted" || outcome.result?.status === "aborted" ? "aborted" : "failed";
}
