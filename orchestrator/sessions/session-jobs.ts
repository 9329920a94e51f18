/** The jobs of a session as front ends see them: rows, details, transcripts of children. */
import { prettyPrintDataForm } from "../../lisp/data-forms/index.ts";
import { primaryCaller } from "../contract/caller.ts";
import { AutolithError } from "../contract/failure.ts";
import type { ExecutionId } from "../contract/identifiers.ts";
import type { AgentResult, ShellResult } from "../contract/job-catalog.ts";
import type { JobDetail, JobRow } from "../contract/session/catalogs.ts";
import type { JobTranscript, JobTranscriptQuery } from "../contract/session/service.ts";
import type { SessionUpdate } from "../contract/session/updates.ts";
import type { ConversationHost } from "../host/conversation-host.ts";
import { conversationsDirectory } from "../host/conversation-places.ts";
import { TaskInspector } from "../inspection/index.ts";
import { executionText } from "../jobs/execution-title.ts";
import { type Job, isActive, standingOf } from "../jobs/job-table.ts";
import { conversationOf } from "../jobs/ownership.ts";
import { findJob } from "../jobs/names.ts";
import { withinDeadline } from "../queue/deadline.ts";
import { loadConversation } from "../record/conversation.ts";
import { RecordError } from "../record/failure.ts";
import { jobRecordForm } from "../tasks/job-record.ts";
import { replayedUpdates } from "./view/history-pages.ts";
import { formResultText } from "../prompt/form-text.ts";
import { shortened } from "./view/tool-presentation.ts";

/** Characters of a job's texts in its detail. */
const detailPreview = 4_000;
/** Characters of a whole structured answer (the envelope of the protocol holds 262,144 bytes). */
const structuredCharacters = 60_000;

/** Time that live jobs get when a session is closed, in milliseconds (facts C.3). */
const closeDeadlineMs = 10_000;

export class SessionJobs {
  /** The work of the conversation, retained work included. */
  readonly inspector: TaskInspector;
  readonly #host: ConversationHost;
  readonly #dataRoot: string;

  constructor(host: ConversationHost, dataRoot: string) {
    this.#host = host;
    this.#dataRoot = dataRoot;
    this.inspector = new TaskInspector({
      jobs: () => host.jobs(),
      views: host.views,
      continuity: host.continuity,
      caller: primaryCaller(host.id, "user"),
      conversation: async (executionId) => ({
        path: `${conversationsDirectory({ dataRoot })}/${executionId}`,
        text: transcriptText(await this.#updatesOf(executionId)),
      }),
    });
  }

  /** Live ones first, then the newest. */
  rows(): readonly JobRow[] {
    return [...this.#host.jobs()]
      .sort((left, right) => Number(isActive(right)) - Number(isActive(left)) || right.order - left.order)
      .map((job) => this.#row(job));
  }

  counts(): { readonly live: number; readonly total: number } {
    const jobs = this.#host.jobs();
    return { live: jobs.filter(isActive).length, total: jobs.length };
  }

  /** The job that an id, a name or a bare number names. Throws `unknown-job`. */
  find(id: string): Job {
    const match = findJob(this.#host.jobs(), id);
    if (match.kind === "one") return match.job;
    throw new AutolithError(
      "unknown-job",
      match.kind === "none"
        ? `There is no job ${JSON.stringify(id.slice(0, 80))} in this session.`
        : `${JSON.stringify(id)} names several jobs: ${match.candidates.join(", ")}.`,
    );
  }

  async detail(id: string): Promise<JobDetail> {
    const job = this.find(id);
    const text = prettyPrintDataForm(jobRecordForm(await this.#host.views.whole(job), detailPreview));
    return { job: this.#row(job), text };
  }

  /** Reads a child's conversation. Rejects with `invalid-argument` for executions, which have none. */
  async transcript(query: JobTranscriptQuery): Promise<JobTranscript> {
    const job = this.find(query.jobId);
    if (job.kind !== "agent")
      throw new AutolithError(
        "invalid-argument",
        `${job.name} is no child agent and has no transcript; read its shell-log: resources.`,
      );
    const updates = await this.#updatesOf(job.executionId);
    return query.output === "structured" ? structured(updates, query) : asText(updates, query);
  }

  /** Queues a person's prompt for a running child, which answers it; how many messages wait. */
  async send(id: string, text: string): Promise<number> {
    const job = this.find(id);
    if (job.kind !== "agent" || !isActive(job))
      throw new AutolithError(
        "not-steerable",
        `${job.name} is ${job.kind === "agent" ? standingOf(job) : "no child agent"}; only running children take messages.`,
      );
    return this.#host.children.prompt(job, text);
  }

  async cancel(id: string): Promise<void> {
    await this.#host.supervisor.cancel(this.find(id), "user");
  }

  /** Cancels what is live and waits until its end is in the journal, within bounds. */
  async end(): Promise<void> {
    const { supervisor } = this.#host;
    const live = this.#host.jobs().filter(isActive);
    await Promise.all(live.map((job) => supervisor.cancel(job, "shutdown")));
    const settled = Promise.allSettled(live.map((job) => supervisor.settled(job.executionId)));
    await withinDeadline(settled, closeDeadlineMs);
  }

  /** A child that has not begun has no conversation yet, and nothing to show. */
  async #updatesOf(executionId: ExecutionId): Promise<readonly SessionUpdate[]> {
    try {
      const directory = conversationsDirectory({ dataRoot: this.#dataRoot });
      const { header, records } = await loadConversation({ directory }, conversationOf({ executionId }));
      return replayedUpdates(records, header.directory).map(({ update }) => update);
    } catch (error) {
      if (error instanceof RecordError && error.code === "not-found") return [];
      throw error;
    }
  }

  #row(job: Job): JobRow {
    const view = this.#host.views.retained(job);
    const payload = job.payload as { role?: string; assignment?: string };
    const summary =
      job.kind === "agent"
        ? `${payload.role ?? "agent"}: ${payload.assignment ?? ""}`
        : executionText(job.payload) || job.kind;
    const result = view.outcome?.result as Partial<AgentResult & ShellResult> | undefined;
    const usages = view.progress?.usages ?? [];
    const sum = (name: "inputTokens" | "outputTokens"): number | null =>
      result?.usage?.[name] ??
      (usages.length === 0 ? null : usages.reduce((total, usage) => total + (usage[name] ?? 0), 0));
    return {
      jobId: job.executionId,
      name: job.name,
      kind: job.kind,
      summary: shortened(summary.replaceAll(/\s+/g, " "), 200).replaceAll("\n", " "),
      state: standingOf(job),
      owner: view.ownerName,
      depth: job.owner.lineage.length,
      detached: job.detached,
      admittedAt: job.admittedAt,
      finishedAt: job.settledAt ?? null,
      activity: view.progress?.currentTool ?? null,
      requests: result?.usage?.providerRequests ?? view.progress?.requestCount ?? 0,
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      resultPath: view.artifactAvailable ? (view.artifactPath ?? null) : null,
    };
  }
}

function structured(updates: readonly SessionUpdate[], query: JobTranscriptQuery): JobTranscript {
  const offset = bounded(query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER, "offset");
  const limit = bounded(query.limit ?? 100, 1, 200, "limit");
  const page: SessionUpdate[] = [];
  let characters = 0;
  for (const update of updates.slice(offset, offset + limit)) {
    const size = JSON.stringify(update).length;
    if (page.length > 0 && characters + size > structuredCharacters) break;
    characters += size;
    page.push(update);
  }
  const next = offset + page.length;
  const complete = next >= updates.length;
  return {
    output: "structured",
    updates: page,
    offset,
    total: updates.length,
    nextOffset: complete ? null : next,
    complete,
  };
}

function transcriptText(updates: readonly SessionUpdate[]): string {
  return updates
    .map(updateText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function asText(updates: readonly SessionUpdate[], query: JobTranscriptQuery): JobTranscript {
  const whole = transcriptText(updates);
  const offset = bounded(query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER, "offset");
  const limit = bounded(query.limit ?? 8_000, 1, 65_536, "limit");
  const text = whole.slice(offset, offset + limit);
  const nextOffset = Math.min(whole.length, offset + text.length);
  return {
    output: "text",
    text,
    offset,
    total: whole.length,
    nextOffset,
    complete: nextOffset >= whole.length,
  };
}

function bounded(value: number, minimum: number, maximum: number, name: string): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new AutolithError(
    "invalid-argument",
    `${name} is a whole number from ${minimum} to ${maximum}, not ${value}.`,
  );
}

/** An update as text; empty for those that say nothing to a reader. */
export function updateText(update: SessionUpdate): string {
  switch (update.type) {
    case "user-message":
      return `> ${update.text}`;
    case "message-chunk":
      return update.text;
    case "thought-chunk":
      return `(thought) ${update.text}`;
    case "tool-call":
      return `[${update.tool}] ${update.title}`;
    case "tool-call-update":
      return `[${update.status ?? ""}] ${(update.content ?? []).map((each) => (each.type === "text" ? each.text : each.path)).join("\n")}`;
    case "notice":
      return update.text;
    case "form":
      return `> ${update.source}`;
    case "form-result":
      return formResultText(update);
    case "form-output":
    case "output-discarded":
    case "plan":
    case "usage":
    case "title":
    case "mode":
    case "turn-end":
      return "";
  }
}
