/** Admissions of jobs: what is asked for, the record it becomes, and the idempotency keys that are remembered. */
import { AutolithError } from "../contract/failure.ts";
import { type ConversationId, type ExecutionId, newExecutionId } from "../contract/identifiers.ts";
import {
  type CompletionPolicy,
  type JobKind,
  type JobOwner,
  type JobPayload,
  jobCatalog,
} from "../contract/job-catalog.ts";
import { jsonValueSchema } from "../contract/json-value.ts";
import { isFormJob } from "./form-job.ts";
import {
  type Job,
  type JobTable,
  jobOfAdmission,
  liveJobLimit,
  unresolvedCompletionLimit,
} from "./job-table.ts";
import type { AdmittedRecord, JobJournal } from "./journal-records.ts";
import { childJobName, executionJobName } from "./names.ts";

export type JobRequest<Kind extends JobKind = JobKind> = {
  readonly kind: Kind;
  readonly payload: JobPayload<Kind>;
  readonly owner: JobOwner;
  readonly requestedName?: string;
  readonly detached: boolean;
  readonly completionPolicy: CompletionPolicy;
  readonly completionOwner: ConversationId;
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  /** Its execution id where something was named by it beforehand; a fresh one otherwise. */
  readonly executionId?: ExecutionId;
};

/** The jobs of one conversation whose journal this host may write. */
export type ConversationJobs = {
  readonly conversationId: ConversationId;
  readonly journal: JobJournal;
  readonly table: JobTable;
};

/** An admission; `recorded` settles when its record is durable or refused. */
export type Admission = { readonly job: Job; readonly recorded: Promise<void> };

/** Idempotency keys that are remembered; the oldest are forgotten first. */
const rememberedAdmissions = 1_024;

export type AdmissionsOptions = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Writes what must exist before a job may be dispatched. */
  readonly prepare: ((job: Job) => Promise<void>) | undefined;
};

export class Admissions {
  readonly #options: AdmissionsOptions;
  readonly #byKey = new Map<string, Admission>();
  /** Jobs whose admission is being recorded: nothing may be recorded of them, and nothing enqueued, before that. */
  readonly #recording = new Map<ExecutionId, Promise<void>>();

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  /** The admission under an idempotency key, while it is remembered. */
  known(conversationId: ConversationId, idempotencyKey: string | undefined): Admission | undefined {
    return idempotencyKey === undefined ? undefined : this.#byKey.get(`${conversationId} ${idempotencyKey}`);
  }

  /** Remembers an admission under its key. Answers how it is remembered. */
  remember(conversationId: ConversationId, idempotencyKey: string, admission: Admission): string {
    const key = `${conversationId} ${idempotencyKey}`;
    this.#byKey.set(key, admission);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > rememberedAdmissions && oldest !== undefined) this.#byKey.delete(oldest);
    return key;
  }

  /** Settles when the admission of a job that is being recorded is durable or refused; undefined for any other job. */
  recording(executionId: ExecutionId): Promise<void> | undefined {
    return this.#recording.get(executionId);
  }

  /**
   * Puts new jobs into the table of their conversation at once, and records them. Throws `live-job-limit` before anything has
   * changed; a record that is refused takes the jobs away again and rejects every `recorded`.
   */
  begin(conversation: ConversationJobs, requests: readonly JobRequest[]): readonly Admission[] {
    checkCapacity(conversation, requests);
    const admitted = requests.map((request) => this.#admission(conversation, request));
    for (const { job } of admitted) conversation.table.add(job);
    const recorded = this.#record(conversation, admitted);
    return admitted.map(({ job, record }) => {
      this.#recording.set(job.executionId, recorded);
      if (record.idempotencyKey !== undefined) {
        const key = this.remember(job.conversationId, record.idempotencyKey, { job, recorded });
        // A refused admission is no admission: the key is free again.
        recorded.catch(() => this.#byKey.delete(key));
      }
      return { job, recorded };
    });
  }

  #admission(conversation: ConversationJobs, request: JobRequest): { job: Job; record: AdmittedRecord } {
    const order = conversation.table.takeOrder();
    const record: AdmittedRecord = {
      kind: "admitted",
      at: this.#options.now(),
      executionId: request.executionId ?? newExecutionId(),
      name: request.kind === "agent" ? childJobName(request.requestedName, order) : executionJobName(order),
      order,
      jobKind: request.kind,
      payload: jsonValueSchema.parse(jobCatalog[request.kind].payload.parse(request.payload)),
      owner: request.owner,
      detached: request.detached,
      completionPolicy: request.completionPolicy,
      completionOwner: request.completionOwner,
      ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
      ...(request.idempotencyKey === undefined ? {} : { idempotencyKey: request.idempotencyKey }),
    };
    return { job: jobOfAdmission(record, conversation.conversationId), record };
  }

  async #record(
    conversation: ConversationJobs,
    admitted: readonly { job: Job; record: AdmittedRecord }[],
  ): Promise<void> {
    try {
      await Promise.all(admitted.map(async ({ job }) => this.#options.prepare?.(job)));
      await conversation.journal.append(admitted.map(({ record }) => record));
    } catch (error) {
      // Nothing was enqueued: the jobs never existed for anyone but this call.
      for (const { job } of admitted) conversation.table.remove(job.executionId);
      throw error;
    } finally {
      for (const { job } of admitted) this.#recording.delete(job.executionId);
    }
  }
}

function checkCapacity(conversation: ConversationJobs, requests: readonly JobRequest[]): void {
  for (const [concurrencyClass, wanted] of Map.groupBy(
    requests,
    (request) => jobCatalog[request.kind].concurrencyClass,
  )) {
    const live = conversation.table.liveCount(concurrencyClass);
    if (live + wanted.length > liveJobLimit)
      throw new AutolithError(
        "live-job-limit",
        `${live} ${concurrencyClass} are live and ${wanted.length} more were asked for; at most ${liveJobLimit} may be live. Wait for some to end.`,
        { retry: "retryable" },
      );
  }
  checkCompletions(conversation, requests);
}

/** An owner that does not read what has ended starts no more. */
function checkCompletions({ table }: ConversationJobs, requests: readonly JobRequest[]): void {
  const detached = requests.filter((request) => request.detached && !isFormJob(request));
  for (const [owner, wanted] of Map.groupBy(detached, (request) => request.completionOwner)) {
    const unresolved = table.unresolvedCompletions(owner);
    if (unresolved + wanted.length > unresolvedCompletionLimit)
      throw new AutolithError(
        "completion-limit",
        `${unresolved} completions of detached jobs are still to be read and ${wanted.length} more jobs were asked for; at most ${unresolvedCompletionLimit} may be unread. Read them first: they come with the next turn.`,
        { retry: "retryable" },
      );
  }
}
