/**
 * What became of the jobs of one conversation, and what their owner decides about them (facts C.9). Every decision is durable before it is
 * acted on; a claimed revival is never claimed again.
 */
import type { ToolCaller } from "../contract/caller.ts";
import { AutolithError, boundedMessage, failureOf } from "../contract/failure.ts";
import { type ConversationId, type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import type { JobPayload } from "../contract/job-catalog.ts";
import { type ToolContext } from "../contract/tool.ts";
import { type Job, isActive } from "../jobs/job-table.ts";
import type { JobJournal } from "../jobs/journal-records.ts";
import { instantOf, universalTime } from "../record/conversation-record.ts";
import { ExecutionDirectory, executionsOf } from "../record/execution-directory.ts";
import { RecordError } from "../record/failure.ts";
import type { ContinuityRecord, ReviveRecord } from "../record/execution-records.ts";
import { type Checkpoint, type ContinuityEntry, readEntry } from "./continuity-entry.ts";

/** Saved worker images, where there are any. */
export type CheckpointImages = {
  /** Is there such an image, and can this version start it? */
  isUsable(checkpoint: Checkpoint): Promise<boolean>;
  /** Starts the REPL from the image; answers what to tell. */
  start(checkpoint: Checkpoint, context: ToolContext): Promise<string>;
};

export type ContinuityParts = {
  readonly rootConversationId: ConversationId;
  readonly tasksDirectory: string;
  readonly journal: JobJournal;
  readonly jobs: () => readonly Job[];
  /** Starts a new child from a retained specification; the key makes a repeated start answer with the same job. */
  readonly restart: (
    specification: JobPayload<"agent">,
    record: ContinuityRecord,
    context: ToolContext,
    idempotencyKey: string,
  ) => Promise<Job>;
  readonly images: CheckpointImages | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** What a revival came to. */
export type Revival =
  | { readonly kind: "reattached"; readonly executionId: ExecutionId }
  | { readonly kind: "dispatched"; readonly job: Job }
  | { readonly kind: "started"; readonly text: string };

/** When a job was admitted (its record knows whole seconds, epoch milliseconds here) and its visible number, which says the order within one. */
type Creation = { readonly createdAt: number; readonly number: number; readonly name: string };

/** A job of which files are retained, whether or not it is in memory. */
export type RetainedJob = { readonly executionId: ExecutionId; readonly name: string };

export class ContinuityService {
  readonly #parts: ContinuityParts;
  /** Creation instants of retained executions, which never change. */
  readonly #creations = new Map<string, Creation>();

  constructor(parts: ContinuityParts) {
    this.#parts = parts;
  }

  /** The retained executions that the caller may see, newest first. */
  async executions(caller: ToolCaller): Promise<readonly ExecutionId[]> {
    return (await this.retainedJobs(caller)).map(({ executionId }) => executionId);
  }

  /** The same, with the visible names, which hold as long as the files are there. */
  async retainedJobs(caller: ToolCaller): Promise<readonly RetainedJob[]> {
    const { tasksDirectory, rootConversationId } = this.#parts;
    const found: (Creation & { readonly id: ExecutionId })[] = [];
    for (const name of await executionsOf(tasksDirectory, rootConversationId)) {
      const id = executionIdSchema.safeParse(name);
      if (!id.success) continue;
      const creation = await this.#creationOf(id.data, caller);
      if (creation !== undefined) found.push({ id: id.data, ...creation });
    }
    found.sort((left, right) => right.createdAt - left.createdAt || right.number - left.number);
    return found.map(({ id, name }) => ({ executionId: id, name }));
  }

  /** Rejects with `unknown-job` when nothing is retained of it. */
  async entry(executionId: ExecutionId): Promise<ContinuityEntry> {
    const job = this.#parts.jobs().find((each) => each.executionId === executionId);
    const entry = await readEntry({
      directory: this.#directory(executionId),
      executionId,
      live: job !== undefined && isActive(job),
      isUsable: (checkpoint) => this.#parts.images?.isUsable(checkpoint) ?? Promise.resolve(false),
    });
    if (entry !== undefined) return entry;
    throw new AutolithError(
      "unknown-job",
      `Nothing is retained of execution ${executionId}: only child agents and detached executions are. Give a visible job name or the execution id of one that job.continuity lists.`,
    );
  }

  /** Declares that the job may be started again; `safety` says why its external effects bear that. */
  async allowRestart(executionId: ExecutionId, safety: string): Promise<ContinuityEntry> {
    const entry = await this.#undecided(executionId, "allow-restart");
    if (entry.specification === undefined)
      throw new AutolithError(
        "continuity-specification",
        `${entry.record.jobId} is no child agent: only a child's task can be started again.`,
      );
    if (entry.specification.isolation !== undefined)
      throw new AutolithError(
        "continuity-specification",
        `${entry.record.jobId} worked in a worktree of its own; such a task is not started again from its specification. Start a new child with task.run.`,
      );
    await this.#directory(executionId).writeContinuity({ ...entry.record, restartSafety: safety });
    return this.entry(executionId);
  }

  /** Declares a saved worker image that the job can be reconstructed from. */
  async declareCheckpoint(executionId: ExecutionId, checkpoint: Checkpoint): Promise<ContinuityEntry> {
    const entry = await this.#undecided(executionId, "checkpoint");
    const { images } = this.#parts;
    if (images === undefined)
      throw new AutolithError(
        "checkpoint-unavailable",
        "This version has no saved worker images, so nothing can be reconstructed from one. A child's task can be declared with allow-restart.",
      );
    if (!(await images.isUsable(checkpoint)))
      throw new AutolithError(
        "checkpoint-unavailable",
        `There is no saved worker image ${JSON.stringify(checkpoint.image)} that can be started here.`,
      );
    await this.#directory(executionId).writeContinuity({ ...entry.record, checkpoint });
    return this.entry(executionId);
  }

  /** Decides that nothing more is done about a dead job. */
  async abandon(executionId: ExecutionId, callId: string): Promise<ContinuityEntry> {
    const entry = await this.entry(executionId);
    if (entry.classification === "live-owned-detached")
      throw new AutolithError(
        "continuity-live",
        `${entry.record.jobId} is live. Cancel it with job.cancel first.`,
      );
    if (entry.classification === "completed" || entry.classification === "abandoned")
      throw new AutolithError(
        "continuity-state",
        `${entry.record.jobId} is ${entry.classification}; there is nothing to abandon.`,
      );
    await this.#directory(executionId).writeAbandon({ version: 1, at: this.#at(), callId });
    await this.#decide(executionId, "abandoned");
    return this.entry(executionId);
  }

  /** Takes hold of live work again, or starts what is safe to start; the claim is durable before anything is dispatched. */
  async revive(executionId: ExecutionId, context: ToolContext): Promise<Revival> {
    const entry = await this.entry(executionId);
    switch (entry.classification) {
      case "live-owned-detached":
        await this.#directory(executionId).writeReattach({ version: 1, at: this.#at() });
        return { kind: "reattached", executionId };
      case "safe-restartable-specification":
        await this.#claim(entry, "restart", context.callId);
        return this.#dispatch(executionId, () => this.#restart(entry, context));
      case "reconstructible-checkpoint":
        await this.#claim(entry, "checkpoint", context.callId);
        return this.#dispatch(executionId, () => this.#startImage(entry, context));
      case "completed":
      case "abandoned":
      case "dead-needing-decision":
        throw new AutolithError("continuity-state", refusal(entry));
    }
  }

  /** The job that a claimed revival started, when its result was lost: the journal knows it by its key. */
  successorOf(executionId: ExecutionId, find: (key: string) => Job | undefined): Job | undefined {
    return find(revivalKey(executionId));
  }

  async #restart(entry: ContinuityEntry, context: ToolContext): Promise<Revival> {
    const { specification, record, executionId } = entry;
    if (specification === undefined)
      throw new AutolithError("continuity-specification", `${record.jobId} has no specification of a child.`);
    const job = await this.#parts.restart(specification, record, context, revivalKey(executionId));
    return { kind: "dispatched", job };
  }

  async #startImage({ checkpoint, record }: ContinuityEntry, context: ToolContext): Promise<Revival> {
    const { images } = this.#parts;
    if (images === undefined || checkpoint === undefined)
      throw new AutolithError("checkpoint-unavailable", `${record.jobId} has no image that can be started.`);
    return { kind: "started", text: await images.start(checkpoint, context) };
  }

  async #claim(entry: ContinuityEntry, action: ReviveRecord["action"], callId: string): Promise<void> {
    const { executionId, record } = entry;
    try {
      await this.#directory(executionId).writeRevive({ version: 1, at: this.#at(), action, callId });
    } catch (error) {
      if (!(error instanceof RecordError) || error.code !== "already-exists") throw error;
      throw new AutolithError(
        "continuity-state",
        `A revival of ${record.jobId} was claimed already. Look at what came of it with job.continuity get.`,
        { cause: error },
      );
    }
    await this.#decide(executionId, "revived");
  }

  async #dispatch(executionId: ExecutionId, work: () => Promise<Revival>): Promise<Revival> {
    const directory = this.#directory(executionId);
    const stamp = { version: 1, at: this.#at() };
    try {
      const revival = await work();
      const successor =
        revival.kind === "dispatched"
          ? { executionId: revival.job.executionId, jobId: revival.job.name }
          : {};
      await directory.writeReviveResult({ ...stamp, recoveryOutcome: "dispatched", ...successor });
      return revival;
    } catch (error) {
      const { message } = failureOf(error);
      await directory.writeReviveResult({
        ...stamp,
        recoveryOutcome: "failed",
        message: boundedMessage(message),
      });
      throw error;
    }
  }

  async #undecided(executionId: ExecutionId, action: string): Promise<ContinuityEntry> {
    const entry = await this.entry(executionId);
    const { classification, revive, record } = entry;
    if (classification !== "completed" && classification !== "abandoned" && revive === undefined)
      return entry;
    throw new AutolithError(
      "continuity-state",
      `${record.jobId} is ${revive === undefined ? classification : "claimed by a revival"}; ${action} says nothing about it any more.`,
    );
  }

  async #decide(executionId: ExecutionId, decision: "abandoned" | "revived"): Promise<void> {
    const job = this.#parts.jobs().find((each) => each.executionId === executionId);
    await this.#parts.journal.append([{ kind: "decided", at: this.#parts.now(), executionId, decision }], {
      sync: true,
    });
    if (job !== undefined) job.decision = decision;
  }

  /** Undefined for what the caller may not see, and for executions without a continuity record. */
  async #creationOf(executionId: ExecutionId, caller: ToolCaller): Promise<Creation | undefined> {
    const known = this.#creations.get(executionId);
    if (known !== undefined && caller.executionId === undefined) return known;
    const record = await this.#readable(executionId);
    if (record === undefined) return undefined;
    const number = Number(/\d+$/.exec(record.jobId)?.[0] ?? 0);
    const creation = { createdAt: instantOf(record.createdAt), number, name: record.jobId };
    this.#creations.set(executionId, creation);
    return isVisible(record, caller) ? creation : undefined;
  }

  /** A continuity record that cannot be read hides its job from lists; asking for the job itself says why. */
  async #readable(executionId: ExecutionId): Promise<ContinuityRecord | undefined> {
    try {
      return await this.#directory(executionId).readContinuity();
    } catch (error) {
      if (error instanceof RecordError && error.code === "malformed") return undefined;
      throw error;
    }
  }

  #directory(executionId: ExecutionId): ExecutionDirectory {
    return new ExecutionDirectory(this.#parts.tasksDirectory, this.#parts.rootConversationId, executionId);
  }

  #at(): number {
    return universalTime(this.#parts.now());
  }
}

/** May the caller see the job? The primary sees all; a child its own jobs and those below. */
export function isVisible(record: ContinuityRecord, { executionId }: ToolCaller): boolean {
  return executionId === undefined || record.ownerExecutionIds.includes(executionId);
}

function revivalKey(executionId: ExecutionId): string {
  return `revive:${executionId}`;
}

function refusal({ classification, record, revive, problem, specification }: ContinuityEntry): string {
  const { jobId } = record;
  if (problem !== undefined) return `The end of ${jobId} is recorded and cannot be read: ${problem}`;
  if (revive !== undefined)
    return `A revival of ${jobId} was claimed already; its outcome is recorded or unknown. Inspect it, then start new work with task.run or abandon it.`;
  if (classification !== "dead-needing-decision") return `${jobId} is ${classification}; it is not revived.`;
  if (specification?.isolation !== undefined)
    return `${jobId} worked in a worktree of its own, so it is not started again. See what it left with task.worktree inspect and secure it with extract; start a new child with task.run, and abandon this one.`;
  return `Nothing says that ${jobId} may be started again. Check what it did, then declare allow-restart with a safety rationale, or abandon it.`;
}
