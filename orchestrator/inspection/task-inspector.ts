/**
 * `(tasks …)` for every front end: the inventory of a conversation's work, one task, its transcript, and what can be done about it (facts
 * C.13). Actions are the ordinary job tools with their authorization.
 */
import { AutolithError } from "../contract/failure.ts";
import type { ContinuityService, RetainedJob } from "../continuity/index.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import type { JobViews } from "../host/job-views.ts";
import { type Job, isActive } from "../jobs/job-table.ts";
import { findJob } from "../jobs/names.ts";
import { RecordError } from "../record/failure.ts";
import type { JobView } from "../tasks/job-record.ts";
import { type TaskRow, rowText, taskRow } from "./task-rows.ts";

/** Tasks of one page, when none is asked for and at most. */
export const taskPage = { usual: 32, most: 64 } as const;
/** Characters of one window of a transcript, when none is asked for and at most. */
export const transcriptWindow = { usual: 4_000, most: 16_000 } as const;
/** Greatest offset into a transcript, in characters. */
export const transcriptOffsetLimit = 1_000_000;

export type TaskInspectorParts = {
  readonly jobs: () => readonly Job[];
  readonly views: JobViews;
  readonly continuity: ContinuityService;
  readonly caller: ToolCaller;
  /** A child's conversation as readable text, whole, and where it is kept. */
  readonly conversation: (
    executionId: ExecutionId,
  ) => Promise<{ readonly text: string; readonly path: string }>;
};

export type TaskPage = {
  readonly rows: readonly TaskRow[];
  readonly offset: number;
  readonly total: number;
  /** Undefined on the last page. */
  readonly nextOffset: number | undefined;
};

export class TaskInspector {
  readonly #parts: TaskInspectorParts;

  constructor(parts: TaskInspectorParts) {
    this.#parts = parts;
  }

  /** One page, live work first. Rejects with `invalid-argument`. */
  async list(offset = 0, limit: number = taskPage.usual): Promise<TaskPage> {
    checkRange("offset", offset, 0, transcriptOffsetLimit);
    checkRange("limit", limit, 1, taskPage.most);
    const live = this.#parts
      .jobs()
      .filter(isActive)
      .toSorted((left, right) => right.order - left.order)
      .map(({ executionId }) => executionId);
    const retained = await this.#parts.continuity.executions(this.#parts.caller);
    const all = [...new Set([...live, ...retained])];
    const rows: TaskRow[] = [];
    for (const executionId of all.slice(offset, offset + limit)) rows.push(await this.#row(executionId));
    const next = offset + rows.length;
    // Some may have ended while the others were read.
    rows.sort((left, right) => Number(right.live) - Number(left.live));
    return { rows, offset, total: all.length, nextOffset: next < all.length ? next : undefined };
  }

  /** The page as text, with where the next one begins. */
  async listText(offset?: number, limit?: number): Promise<string> {
    const page = await this.list(offset, limit);
    if (page.total === 0) return "There are no tasks.";
    const last = page.offset + page.rows.length;
    const place =
      page.rows.length === 0
        ? `No tasks from ${page.offset} on; there are ${page.total}.`
        : `Tasks ${page.offset + 1} to ${last} of ${page.total}.`;
    const more = page.nextOffset === undefined ? [] : [`More: offset ${page.nextOffset}.`];
    return [place, ...page.rows.map(rowText), ...more].join("\n");
  }

  /** A window of a child's transcript; an offset past the end is its end. */
  async transcript(
    id: string,
    offset = 0,
    limit: number = transcriptWindow.usual,
  ): Promise<TranscriptWindow> {
    checkRange("offset", offset, 0, transcriptOffsetLimit);
    checkRange("limit", limit, 1, transcriptWindow.most);
    const executionId = await this.resolve(id);
    const { job } = await this.#view(executionId);
    if (job.kind !== "agent")
      throw new AutolithError(
        "invalid-argument",
        `${job.name} is no child agent and has no transcript; read its shell-log: resources.`,
      );
    const { text, path } = await this.#parts.conversation(executionId);
    const from = Math.min(offset, text.length);
    const window = text.slice(from, from + limit);
    const next = from + window.length;
    return { path, offset: from, text: window, nextOffset: next, atEnd: next >= text.length };
  }

  /** The window as text, with where it ends. */
  async transcriptText(id: string, offset?: number, limit?: number): Promise<string> {
    const { text, path, offset: from, nextOffset, atEnd } = await this.transcript(id, offset, limit);
    const place = atEnd ? `The end is at ${nextOffset}.` : `More: offset ${nextOffset}.`;
    return `${text}\n\nCharacters ${from} to ${nextOffset} of ${path}. ${place}`;
  }

  /** The execution that a visible name, a bare number or an execution id names, in memory or retained. Rejects with `unknown-job` or `ambiguous-job`. */
  async resolve(id: string): Promise<ExecutionId> {
    const { jobs, continuity, caller } = this.#parts;
    const inMemory = findJob<RetainedJob>(jobs(), id);
    const match = inMemory.kind === "none" ? findJob(await continuity.retainedJobs(caller), id) : inMemory;
    if (match.kind === "one") return match.job.executionId;
    const direct = executionIdSchema.safeParse(id);
    if (match.kind === "none" && direct.success) return direct.data;
    throw new AutolithError(
      match.kind === "none" ? "unknown-job" : "ambiguous-job",
      match.kind === "none"
        ? `There is no task ${JSON.stringify(id.slice(0, 80))} here. tasks lists them with their execution ids.`
        : `${JSON.stringify(id)} names several jobs: ${match.candidates.join(", ")}. Use a full name.`,
    );
  }

  async #row(executionId: ExecutionId): Promise<TaskRow> {
    const view = await this.#view(executionId);
    return taskRow(view, await this.#activityOf(executionId));
  }

  async #view(executionId: ExecutionId): Promise<JobView> {
    const job = this.#parts.jobs().find((each) => each.executionId === executionId);
    if (job !== undefined) return this.#parts.views.whole(job);
    const view = await this.#parts.views.durable(executionId);
    if (view !== undefined) return view;
    throw new AutolithError("unknown-job", `Nothing is retained of execution ${executionId}.`);
  }

  /** What cannot be read is unknown. */
  async #activityOf(executionId: ExecutionId): ReturnType<ReturnType<JobViews["directory"]>["readActivity"]> {
    try {
      return await this.#parts.views.directory(executionId).readActivity();
    } catch (error) {
      if (error instanceof RecordError && error.code === "malformed") return undefined;
      throw error;
    }
  }
}

export type TranscriptWindow = {
  readonly path: string;
  readonly offset: number;
  readonly text: string;
  readonly nextOffset: number;
  readonly atEnd: boolean;
};

function checkRange(name: string, value: number, minimum: number, maximum: number): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw new AutolithError(
    "invalid-argument",
    `${name} is a whole number from ${minimum} to ${maximum}, not ${value}.`,
  );
}
