/** The jobs of one conversation in memory: a projection of the journal, with bounded retention of settled ones. */
import type { ConversationId, ExecutionId, JobName } from "../contract/identifiers.ts";
import type {
  CancelReason,
  CompletionPolicy,
  ConcurrencyClass,
  JobKind,
  JobOwner,
} from "../contract/job-catalog.ts";
import { jobCatalog } from "../contract/job-catalog.ts";
import { isFormJob } from "./form-job.ts";
import type { AdmittedRecord, JobRecord } from "./journal-records.ts";
import { type JobLife, type JobState, admittedLife, isLive, isTerminal, step } from "./lifecycle.ts";

/** Live jobs of one class of tools that admission allows (facts C.3). */
export const liveJobLimit = 64;
/** Completions of one conversation that are still to be delivered, those of live detached jobs included (facts C.10). */
export const unresolvedCompletionLimit = 128;
/** Settled jobs of each class kept visible. */
export const settledJobRetention = 64;

/** One job as the supervisor and its readers see it. Instants are epoch milliseconds. */
export type Job = {
  readonly executionId: ExecutionId;
  readonly conversationId: ConversationId;
  readonly name: JobName;
  readonly order: number;
  readonly kind: JobKind;
  readonly payload: unknown;
  readonly owner: JobOwner;
  readonly completionPolicy: CompletionPolicy;
  readonly completionOwner: ConversationId;
  readonly timeoutMs: number | undefined;
  readonly admittedAt: number;
  detached: boolean;
  life: JobLife;
  claimedAt: number | undefined;
  settledAt: number | undefined;
  cancelReason: CancelReason | undefined;
  delivered: boolean;
  /** What was decided about it after its host died. */
  decision: "abandoned" | "revived" | undefined;
  /** Claimed under a host that is dead: whether it had effects is unknown, and nobody works on it. Derived, never recorded. */
  interrupted: boolean;
};

/** Queued or running, and somebody will bring it to its end. */
export function isActive(job: Pick<Job, "life" | "interrupted">): boolean {
  return isLive(job.life.state) && !job.interrupted;
}

/** What readers are told of a job: its state, or that its host died under it. */
export type JobStanding = JobState | "interrupted";

export function standingOf(job: Pick<Job, "life" | "interrupted">): JobStanding {
  return job.interrupted && isLive(job.life.state) ? "interrupted" : job.life.state;
}

/** Visible class of a job: children are counted apart from executions. */
export function classOf(job: Pick<Job, "kind">): ConcurrencyClass {
  return jobCatalog[job.kind].concurrencyClass;
}

/** A job at admission, from its journal record. */
export function jobOfAdmission(record: AdmittedRecord, conversationId: ConversationId): Job {
  return {
    executionId: record.executionId,
    conversationId,
    name: record.name,
    order: record.order,
    kind: record.jobKind,
    payload: record.payload,
    owner: record.owner,
    completionPolicy: record.completionPolicy,
    completionOwner: record.completionOwner,
    timeoutMs: record.timeoutMs,
    admittedAt: record.at,
    detached: record.detached,
    life: admittedLife(record.executionId),
    claimedAt: undefined,
    settledAt: undefined,
    cancelReason: undefined,
    delivered: false,
    decision: undefined,
    interrupted: false,
  };
}

export class JobTable {
  readonly #jobs = new Map<ExecutionId, Job>();
  #order = 0;

  /** The next number of this conversation; numbers are never reused. */
  takeOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  add(job: Job): void {
    this.#jobs.set(job.executionId, job);
    this.#order = Math.max(this.#order, job.order);
    this.#retire();
  }

  /** Forgets a job that was never admitted. */
  remove(executionId: ExecutionId): void {
    this.#jobs.delete(executionId);
  }

  get(executionId: ExecutionId): Job | undefined {
    return this.#jobs.get(executionId);
  }

  all(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  liveCount(concurrencyClass: ConcurrencyClass): number {
    return this.all().filter((job) => classOf(job) === concurrencyClass && isActive(job)).length;
  }

  /** Detached jobs whose completion that conversation is still to receive. */
  unresolvedCompletions(owner: ConversationId): number {
    return this.all().filter(
      (job) => job.completionOwner === owner && job.decision === undefined && this.#awaitsDelivery(job),
    ).length;
  }

  /** Jobs below an execution, nearest first. */
  descendants(executionId: ExecutionId): readonly Job[] {
    return this.all().filter((job) => job.owner.lineage.includes(executionId));
  }

  /** Folds one journal record; records of unknown executions are ignored (they were retired). */
  apply(record: JobRecord, conversationId: ConversationId): void {
    if (record.kind === "admitted") {
      this.add(jobOfAdmission(record, conversationId));
      return;
    }
    if (record.kind === "intent" || record.kind === "steered") return;
    const job = this.#jobs.get(record.executionId);
    if (job !== undefined) applyTo(job, record);
  }

  /** Its completion is still to reach its owner. A child that has ended is told nothing any more. */
  #awaitsDelivery(job: Job): boolean {
    if (!job.detached || job.delivered || isFormJob(job)) return false;
    const parent = job.owner.lineage.at(-1);
    if (parent === undefined) return true;
    const owner = this.#jobs.get(parent);
    return owner !== undefined && !isFinished(owner);
  }

  #retire(): void {
    const settledByClass = new Map<ConcurrencyClass, Job[]>();
    for (const job of this.#jobs.values()) {
      if (!isFinished(job) || (this.#awaitsDelivery(job) && job.decision === undefined)) continue;
      const list = settledByClass.get(classOf(job)) ?? [];
      list.push(job);
      settledByClass.set(classOf(job), list);
    }
    for (const list of settledByClass.values()) {
      for (const job of list.slice(0, Math.max(0, list.length - settledJobRetention)))
        this.#jobs.delete(job.executionId);
    }
  }
}

/** Settled, or dead and decided about: nothing more will happen to it. */
function isFinished(job: Pick<Job, "life" | "decision">): boolean {
  return isTerminal(job.life.state) || job.decision !== undefined;
}

type UpdateRecord = Exclude<JobRecord, { kind: "admitted" | "intent" | "steered" }>;

function applyTo(job: Job, record: UpdateRecord): void {
  switch (record.kind) {
    case "claimed":
      advance(job, record);
      job.claimedAt = record.at;
      return;
    case "cancel-requested":
      advance(job, record);
      job.cancelReason = job.life.cancelReason;
      return;
    case "settled":
      advance(job, { ...record, claimToken: record.claimToken });
      job.settledAt = record.at;
      return;
    case "handed-off":
      job.detached = true;
      return;
    case "delivered":
      job.delivered = true;
      return;
    case "decided":
      job.decision = record.decision;
  }
}

function advance(job: Job, event: Parameters<typeof step>[1]): void {
  const next = step(job.life, event);
  if (next.accepted) job.life = next.life;
}
