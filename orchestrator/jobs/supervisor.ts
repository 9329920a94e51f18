/**
 * The supervisor: admit → journal → enqueue → claim → run → settle → announce. It owns the lifecycle of every job of its
 * conversations; executors do the work, the queue port dispatches, the journal is the authority.
 */
import { AutolithError, type Failure, failureOf } from "../contract/failure.ts";
import type { ClaimToken, ConversationId, ExecutionId, JobName } from "../contract/identifiers.ts";
import {
  type CancelReason,
  type ConcurrencyClass,
  type JobKind,
  type JobOwner,
  type JobPayload,
  type JobResult,
  jobCatalog,
} from "../contract/job-catalog.ts";
import type { Claim, QueueConsumer, QueuePort } from "../contract/queue.ts";
import { Admissions, type ConversationJobs, type JobRequest } from "./admissions.ts";
import { Dispatch } from "./dispatch.ts";
import { type Job, classOf, isActive } from "./job-table.ts";
import type { JobJournal } from "./journal-records.ts";
import { type Outcome, isTerminal, step } from "./lifecycle.ts";
import { cancelWins, failedOutcome, settledRecord } from "./settled-record.ts";
import { type Settlement, Settlements } from "./settlements.ts";
import { SlotLoans } from "./slot-loans.ts";

/** One attempt, as its executor sees it. */
export type JobExecution<Kind extends JobKind> = {
  readonly executionId: ExecutionId;
  readonly conversationId: ConversationId;
  readonly name: JobName;
  readonly payload: JobPayload<Kind>;
  readonly owner: JobOwner;
  readonly claimToken: ClaimToken;
  /** Aborted by cancel or deadline; its reason is the {@link CancelReason}. */
  readonly signal: AbortSignal;
  readonly claimedAt: number;
};

/** Runs one attempt and resolves when all its effects ended. A rejection becomes a failed outcome. */
export type Executor<Kind extends JobKind> = (job: JobExecution<Kind>) => Promise<Outcome<JobResult<Kind>>>;

export type Executors = { readonly [Kind in JobKind]?: Executor<Kind> };

/** Facts for observers, announced only after the record they speak of is durable. */
export type JobAnnouncement =
  | { readonly kind: "admitted"; readonly job: Job }
  | { readonly kind: "started"; readonly job: Job }
  | { readonly kind: "cancel-requested"; readonly job: Job; readonly reason: CancelReason }
  | { readonly kind: "settled"; readonly job: Job; readonly outcome: Outcome<unknown> };

export type SupervisorOptions = {
  readonly queue: QueuePort;
  readonly executors: Executors;
  readonly limits: Readonly<Record<ConcurrencyClass, number>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly announce: (announcement: JobAnnouncement) => void;
  /** Failures that belong to no job (the queue's own). */
  readonly report: (failure: Failure) => void;
  /** Writes what must exist before a job may be dispatched or handed off (continuity record). */
  readonly prepare?: (job: Job) => Promise<void>;
  /** Publishes the durable result before the settlement is recorded. A rejection turns the outcome into a failed one. */
  readonly publish?: (job: Job, outcome: Outcome<unknown>) => Promise<void>;
  /** What stays in memory of a settlement; undefined where everything does. */
  readonly retain?: (settlement: Settlement) => Settlement;
};

type Running = { readonly abort: AbortController; readonly timer: NodeJS.Timeout | undefined };

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #conversations = new Map<ConversationId, ConversationJobs>();
  readonly #running = new Map<ExecutionId, Running>();
  readonly #settlements: Settlements;
  readonly #loans: SlotLoans;
  readonly #admissions: Admissions;
  readonly #dispatch: Dispatch;
  /** Executions whose settlement is being published: nothing else may settle or claim them. */
  readonly #settling = new Set<ExecutionId>();
  #consumer: QueueConsumer | undefined;
  #closing = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#settlements = new Settlements(options.retain);
    this.#loans = new SlotLoans((error) => options.report(failureOf(error)));
    this.#admissions = new Admissions({ now: options.now, prepare: options.prepare });
    this.#dispatch = new Dispatch({
      queue: options.queue,
      queued: () => [...this.#conversations.values()].flatMap((each) => this.#queuedOf(each)),
      report: options.report,
    });
  }

  /** Begins claiming. Queued jobs of adopted conversations are enqueued again (idempotent by execution id). */
  async start(): Promise<void> {
    this.#consumer = await this.#options.queue.consume(this.#options.limits, (claim) => this.#run(claim));
    await this.#dispatch.start();
  }

  /**
   * Takes over the jobs of a conversation whose journal this host may write. `keys` are the idempotency keys of its earlier
   * admissions.
   */
  adopt(conversation: ConversationJobs, keys: ReadonlyMap<string, ExecutionId> = new Map()): void {
    const { conversationId, table } = conversation;
    this.#conversations.set(conversationId, conversation);
    for (const [key, executionId] of keys) {
      const job = table.get(executionId);
      if (job !== undefined)
        this.#admissions.remember(conversationId, key, { job, recorded: Promise.resolve() });
    }
  }

  /** Enqueues what is queued of a conversation that was adopted after the start (idempotent by execution id). */
  async resume(conversationId: ConversationId): Promise<void> {
    await this.#dispatch.again(this.#queuedOf(this.#conversation(conversationId)));
  }

  /** Forgets a conversation: its jobs have ended, or are somebody else's from now on. */
  release(conversationId: ConversationId): void {
    this.#conversations.delete(conversationId);
  }

  jobs(conversationId: ConversationId): readonly Job[] {
    return this.#conversation(conversationId).table.all();
  }

  /** The job that was admitted under an idempotency key, while it is remembered. */
  admittedAs(conversationId: ConversationId, idempotencyKey: string): Job | undefined {
    return this.#admissions.known(conversationId, idempotencyKey)?.job;
  }

  find(conversationId: ConversationId, executionId: ExecutionId): Job | undefined {
    return this.#conversations.get(conversationId)?.table.get(executionId);
  }

  /**
   * Admits all requests or none. The records are durable before anything is enqueued; a request with the idempotency key of an earlier
   * admission answers with that job. Rejects with `shutting-down`, `live-job-limit`, `journal` codes.
   */
  async admit(conversationId: ConversationId, requests: readonly JobRequest[]): Promise<readonly Job[]> {
    if (this.#closing)
      throw new AutolithError("shutting-down", "This host is shutting down and admits no new jobs.");
    const conversation = this.#conversation(conversationId);
    const known = requests.map(({ idempotencyKey }) =>
      this.#admissions.known(conversationId, idempotencyKey),
    );
    const fresh = this.#admissions.begin(
      conversation,
      requests.filter((_, index) => known[index] === undefined),
    );
    const all = [...fresh, ...known.filter((admission) => admission !== undefined)];
    await Promise.all(all.map(({ recorded }) => recorded));
    const jobs = fresh.map(({ job }) => job);
    for (const job of jobs) this.#options.announce({ kind: "admitted", job });
    await this.#dispatch.first(jobs);
    return known.map((admission) => admission?.job ?? (jobs.shift() as Job));
  }

  /**
   * Resolves when the job has settled. With `lender`, the slot of that job is lent to others while waiting and regained before this
   * resolves. Aborting `signal` ends the wait (rejects with its reason), not the job. Rejects with `outcome-unknown` for a job whose
   * host died under it.
   */
  async settled(
    executionId: ExecutionId,
    options: { readonly signal?: AbortSignal; readonly lender?: ExecutionId | undefined } = {},
  ): Promise<Settlement> {
    const early = this.#settlements.known(executionId);
    if (early !== undefined) return early;
    const job = this.#job(executionId);
    if (job?.interrupted === true)
      throw new AutolithError(
        "outcome-unknown",
        `${job.name} was interrupted when its host died; it may have taken effect. Check before repeating it.`,
      );
    return this.lending(options.lender, this.#settlements.wait(executionId, options.signal), options.signal);
  }

  /** Settles as `wait` does; the slot of the job `lender` is lent meanwhile. */
  lending<Result>(
    lender: ExecutionId | undefined,
    wait: Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const job = lender === undefined ? undefined : this.#job(lender);
    if (job === undefined) return wait;
    return this.#loans.during(job.executionId, () => this.#consumer?.lend(classOf(job)), wait, signal);
  }

  /** What is retained of the outcome of a job that settled lately in this host; the whole is in its result files. */
  retained(executionId: ExecutionId): Settlement | undefined {
    return this.#settlements.known(executionId);
  }

  /** A synchronous job goes on detached; its completion will be delivered. */
  async handOff(job: Job): Promise<void> {
    if (job.detached || isTerminal(job.life.state)) return;
    job.detached = true;
    await this.#options.prepare?.(job);
    await this.#journal(job).append([
      { kind: "handed-off", at: this.#options.now(), executionId: job.executionId },
    ]);
  }

  /** Cancels a job and its descendants; the first reason wins. Answers the jobs whose cancel was accepted, the named one first. */
  async cancel(job: Job, reason: CancelReason): Promise<readonly Job[]> {
    const family = [job, ...this.#conversation(job.conversationId).table.descendants(job.executionId)];
    const accepted = family.filter(
      (member) =>
        isActive(member) &&
        member.life.cancelReason === undefined &&
        // Its result is being put in place: it has ended.
        !this.#settling.has(member.executionId),
    );
    await Promise.all(accepted.map((member) => this.#cancelOne(member, reason)));
    return accepted;
  }

  /** Cancels every live job of every conversation with `shutdown`, waits at most `deadlineMs` for them, and stops claiming. */
  async shutdown(deadlineMs: number, reason: CancelReason = "shutdown"): Promise<void> {
    this.#closing = true;
    this.#dispatch.close();
    await this.#consumer?.pause();
    const live = [...this.#conversations.values()].flatMap(({ table }) => table.all().filter(isActive));
    await Promise.all(live.map((job) => this.cancel(job, reason)));
    await this.#consumer?.close(deadlineMs);
  }

  #conversation(conversationId: ConversationId): ConversationJobs {
    const conversation = this.#conversations.get(conversationId);
    if (conversation === undefined)
      throw new AutolithError(
        "unknown-conversation",
        `This host does not serve conversation ${conversationId}.`,
      );
    return conversation;
  }

  #job(executionId: ExecutionId): Job | undefined {
    for (const { table } of this.#conversations.values()) {
      const job = table.get(executionId);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  #journal(job: Job): JobJournal {
    return this.#conversation(job.conversationId).journal;
  }

  #queuedOf({ table }: ConversationJobs): readonly Job[] {
    const queued = table.all().filter((job) => job.life.state === "queued");
    return queued.filter(({ executionId }) => this.#admissions.recording(executionId) === undefined);
  }

  async #run(claim: Claim): Promise<void> {
    const job = this.#conversations.get(claim.conversationId)?.table.get(claim.executionId);
    if (job === undefined || this.#settling.has(job.executionId)) return;
    const claimed = step(job.life, { kind: "claimed", claimToken: claim.claimToken });
    // A job that was cancelled while queued, or a claim repeated by the queue: nothing may run.
    if (!claimed.accepted) return;
    job.life = claimed.life;
    job.claimedAt = this.#options.now();
    const abort = new AbortController();
    const timer = this.#startDeadline(job);
    this.#running.set(job.executionId, { abort, timer });
    if (job.life.cancelReason !== undefined) abort.abort(job.life.cancelReason);
    const outcome = await this.#attempt(job, claim.claimToken, abort.signal);
    clearTimeout(timer);
    this.#running.delete(job.executionId);
    await this.#settle(job, claim.claimToken, outcome);
  }

  async #attempt(job: Job, claimToken: ClaimToken, signal: AbortSignal): Promise<Outcome<unknown>> {
    const at = job.claimedAt ?? this.#options.now();
    const deadline = job.timeoutMs === undefined ? {} : { deadlineAt: at + job.timeoutMs };
    const { executionId } = job;
    try {
      // A claim that loss of power takes away would let the work begin once more, so it is as safe as what the work may do.
      await this.#journal(job).append(
        [{ kind: "claimed", at, executionId, claimToken, attempt: job.life.attempt, ...deadline }],
        { sync: jobCatalog[job.kind].effects === "external" },
      );
    } catch (error) {
      return { state: "failed", failure: failureOf(error) };
    }
    this.#options.announce({ kind: "started", job });
    return this.#execute(job, claimToken, signal);
  }

  #startDeadline(job: Job): NodeJS.Timeout | undefined {
    if (job.timeoutMs === undefined) return undefined;
    return setTimeout(() => {
      this.cancel(job, "timeout").catch((error: unknown) => this.#options.report(failureOf(error)));
    }, job.timeoutMs);
  }

  async #execute(job: Job, claimToken: ClaimToken, signal: AbortSignal): Promise<Outcome<unknown>> {
    const executor = this.#options.executors[job.kind] as
      | ((execution: JobExecution<JobKind>) => Promise<Outcome<unknown>>)
      | undefined;
    if (executor === undefined)
      return {
        state: "failed",
        failure: failureOf(
          new AutolithError("no-executor", `Jobs of kind ${job.kind} cannot run in this host.`),
        ),
      };
    if (signal.aborted) return { state: "aborted", reason: job.life.cancelReason ?? "user" };
    try {
      return await executor({
        executionId: job.executionId,
        conversationId: job.conversationId,
        name: job.name,
        payload: jobCatalog[job.kind].payload.parse(job.payload),
        owner: job.owner,
        claimToken,
        signal,
        claimedAt: job.claimedAt ?? this.#options.now(),
      });
    } catch (error) {
      return signal.aborted && job.life.cancelReason !== undefined
        ? { state: "aborted", reason: job.life.cancelReason }
        : { state: "failed", failure: failureOf(error) };
    }
  }

  async #settle(job: Job, claimToken: ClaimToken | undefined, reached: Outcome<unknown>): Promise<void> {
    // A stale token changes nothing: somebody else settles or has settled this job.
    if (this.#settling.has(job.executionId)) return;
    if (!step(job.life, { kind: "settled", claimToken, state: reached.state }).accepted) return;
    this.#settling.add(job.executionId);
    const published = await this.#published(job, cancelWins(job, reached));
    job.settledAt = this.#options.now();
    const outcome = await this.#recordSettlement(job, claimToken, published);
    job.life = { ...job.life, state: outcome.state };
    this.#settling.delete(job.executionId);
    const settlement: Settlement = { job, outcome };
    this.#options.announce({ kind: "settled", job, outcome });
    this.#settlements.resolve(settlement);
  }

  /** A settlement that cannot be written is a failure everybody hears of; after a restart the job counts as interrupted. */
  async #recordSettlement(
    job: Job,
    claimToken: ClaimToken | undefined,
    outcome: Outcome<unknown>,
  ): Promise<Outcome<unknown>> {
    try {
      await this.#journal(job).append([settledRecord(job, claimToken, outcome, job.settledAt ?? 0)], {
        sync: true,
      });
      return outcome;
    } catch (error) {
      this.#options.report(failureOf(error));
      return failedOutcome(outcome, failureOf(error));
    }
  }

  async #published(job: Job, outcome: Outcome<unknown>): Promise<Outcome<unknown>> {
    try {
      await this.#options.publish?.(job, outcome);
      return outcome;
    } catch (error) {
      return failedOutcome(outcome, failureOf(error));
    }
  }

  async #cancelOne(job: Job, reason: CancelReason): Promise<void> {
    const recording = this.#admissions.recording(job.executionId);
    // A refused admission leaves nothing to cancel; its caller hears of it.
    if (recording !== undefined && !(await succeeds(recording))) return;
    const step1 = step(job.life, { kind: "cancel-requested", reason });
    if (!step1.accepted) return;
    job.life = step1.life;
    job.cancelReason = step1.life.cancelReason;
    const record = {
      kind: "cancel-requested",
      at: this.#options.now(),
      executionId: job.executionId,
      reason,
    } as const;
    const written = this.#journal(job).append([record]);
    this.#running.get(job.executionId)?.abort.abort(reason);
    await written;
    this.#options.announce({ kind: "cancel-requested", job, reason });
    if (job.life.state !== "queued") return;
    await this.#settle(job, undefined, { state: "aborted", reason });
    await this.#dispatch.withdraw(job);
  }
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
