/** The jobs of one conversation as they are looked at: what memory holds of them, and what their files hold. */
import type { DataForm } from "../../lisp/data-forms/index.ts";
import { failureOf } from "../contract/failure.ts";
import { type ConversationId, type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import type { Job } from "../jobs/job-table.ts";
import { type Outcome, isTerminal } from "../jobs/lifecycle.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { ExecutionDirectory } from "../record/execution-directory.ts";
import { RecordError } from "../record/failure.ts";
import { readOutcome } from "../recovery/published-outcome.ts";
import type { ProgressSnapshot } from "../tasks/child-progress.ts";
import type { Completion, CompletionOutcome } from "../tasks/completions.ts";
import { jobOfContinuity } from "../tasks/durable-job.ts";
import type { JobView } from "../tasks/job-record.ts";

export type JobViewsParts = {
  readonly conversationId: ConversationId;
  readonly tasksDirectory: string;
  readonly supervisor: Supervisor;
  /** Of a child that runs here. */
  readonly progress: (executionId: ExecutionId) => ProgressSnapshot | undefined;
  /** The role of a child that started here not long ago, as a form. */
  readonly definition: (job: Job) => DataForm | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export class JobViews {
  readonly #parts: JobViewsParts;

  constructor(parts: JobViewsParts) {
    this.#parts = parts;
  }

  /** The durable result file of an execution, absolute: a child's result, else the terminal record. */
  resultPath(executionId: string): string {
    const { supervisor, conversationId } = this.#parts;
    const id = executionIdSchema.parse(executionId);
    const isChild = supervisor.find(conversationId, id)?.kind === "agent";
    return this.directory(id).pathOf(isChild ? "result.sexp" : "terminal.sexp");
  }

  directory(executionId: ExecutionId): ExecutionDirectory {
    return new ExecutionDirectory(this.#parts.tasksDirectory, this.#parts.conversationId, executionId);
  }

  /** Visible names from the root's child down to the job's owner. */
  namesOf(job: Job): readonly string[] {
    const { supervisor, conversationId } = this.#parts;
    return job.owner.lineage.map(
      (executionId) => supervisor.find(conversationId, executionId)?.name ?? executionId,
    );
  }

  /** How a job ended, for its owner. */
  completionOf(job: Job, outcome: CompletionOutcome): Completion {
    const artifactPath = outcome.state === "interrupted" ? undefined : this.resultPath(job.executionId);
    return { job, outcome, artifactPath, readyAt: this.#parts.now() };
  }

  /** The job as memory has it; long values of its result may be cut. */
  retained(job: Job): JobView {
    return {
      job,
      outcome: this.#parts.supervisor.retained(job.executionId)?.outcome,
      progress: this.#parts.progress(job.executionId),
      artifactPath: this.resultPath(job.executionId),
      artifactAvailable: isTerminal(job.life.state) && job.kind === "agent",
      definition: this.#parts.definition(job),
      ownerName: this.namesOf(job).at(-1) ?? "primary",
      now: this.#parts.now(),
    };
  }

  /** The job with its whole result, read from its files where memory does not hold it. */
  async whole(job: Job): Promise<JobView> {
    const seen = this.retained(job);
    if (!isTerminal(job.life.state)) return seen;
    const retained = this.#parts.supervisor.retained(job.executionId);
    if (retained !== undefined && retained.shortened !== true) return seen;
    const read = await this.#readOutcome(job, seen.outcome);
    return { ...seen, outcome: read.outcome, artifactAvailable: seen.artifactAvailable && read.readable };
  }

  /** A job by its execution id, from its files; undefined when there are none. */
  async durable(executionId: ExecutionId): Promise<JobView | undefined> {
    const directory = this.directory(executionId);
    const continuity = await directory.readContinuity();
    if (continuity === undefined) return undefined;
    const job = jobOfContinuity(continuity, await directory.readTerminal());
    const read = await this.#readOutcome(job, undefined);
    const result = read.readable && job.kind === "agent" ? await directory.readResult() : undefined;
    return {
      job,
      outcome: read.outcome,
      progress: undefined,
      ...(result === undefined || result.agentDefinition === false
        ? {}
        : { definition: result.agentDefinition }),
      artifactPath: directory.pathOf(job.kind === "agent" ? "result.sexp" : "terminal.sexp"),
      artifactAvailable: read.readable && job.kind === "agent",
      ownerName: continuity.owners.at(-1) ?? "primary",
      now: this.#parts.now(),
    };
  }

  /** The outcome that the files hold; when they cannot be read, a failure that says so unless `otherwise` is known. */
  async #readOutcome(
    job: Job,
    otherwise: Outcome<unknown> | undefined,
  ): Promise<{ readonly outcome: Outcome<unknown> | undefined; readonly readable: boolean }> {
    try {
      const found = await readOutcome(job, this.directory(job.executionId));
      return { outcome: found?.outcome ?? otherwise, readable: found !== undefined };
    } catch (error) {
      if (!(error instanceof RecordError) || error.code !== "malformed") throw error;
      return { outcome: otherwise ?? { state: "failed", failure: failureOf(error) }, readable: false };
    }
  }
}
