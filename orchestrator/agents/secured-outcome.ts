/** The outcome of an isolated child with what became of its work (facts C.8). */
import { type Failure, boundedMessage } from "../contract/failure.ts";
import type { AgentResult } from "../contract/job-catalog.ts";
import type { ConversationId, ExecutionId } from "../contract/identifiers.ts";
import { type Job, isActive } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { JobExecution, Supervisor } from "../jobs/supervisor.ts";
import type { ConversationWorktrees, SecuredWork } from "../worktrees/conversation-worktrees.ts";
import { errorLimit } from "./agent-result.ts";

export type SecuringParts = {
  readonly worktrees: ConversationWorktrees;
  readonly supervisor: Pick<Supervisor, "jobs">;
  readonly rootConversationId: ConversationId;
};

/** Running jobs that a note names, at most. */
const runningNameLimit = 8;

/**
 * Secures the work of an isolated child that has ended; a success without a complete artifact becomes a failure. What still runs
 * below the child is named in the note, since it may change the checkout later.
 */
export async function withSecuredWork(
  { executionId, payload }: Pick<JobExecution<"agent">, "executionId" | "payload">,
  outcome: Outcome<AgentResult>,
  { worktrees, supervisor, rootConversationId }: SecuringParts,
): Promise<Outcome<AgentResult>> {
  if (payload.isolation === undefined) return outcome;
  const running = runningNote(executionId, supervisor.jobs(rootConversationId));
  const secured = await worktrees.secureEnded(executionId, payload.isolation);
  const note = [secured.note, running].filter((each) => each !== undefined).join(" ");
  return securedOutcome(outcome, note === "" ? secured : { ...secured, note });
}

/** What still runs below an execution, as a note; undefined when nothing does. */
export function runningNote(executionId: ExecutionId, jobs: readonly Job[]): string | undefined {
  const running = jobs.filter((job) => isActive(job) && job.owner.lineage.includes(executionId));
  if (running.length === 0) return undefined;
  const names = running.slice(0, runningNameLimit).map(({ name }) => name);
  const more = running.length > names.length ? ` and ${running.length - names.length} more` : "";
  return `${names.join(", ")}${more} still ${running.length === 1 ? "runs" : "run"}; what is changed in the checkout from now on is not secured.`;
}

/** The pure part of {@link withSecuredWork}. */
export function securedOutcome(
  outcome: Outcome<AgentResult>,
  { worktree, artifactPath, error, note }: SecuredWork,
): Outcome<AgentResult> {
  const { result } = outcome;
  if (result === undefined) return outcome;
  const fields = {
    worktree,
    ...(artifactPath === undefined ? {} : { worktreeArtifactPath: artifactPath }),
    ...(error === undefined ? {} : { worktreeError: boundedMessage(error, errorLimit) }),
    ...(note === undefined ? {} : { worktreeNote: boundedMessage(note, errorLimit) }),
  };
  if (outcome.state !== "completed" || error === undefined)
    return { ...outcome, result: { ...result, ...fields } };
  const failure: Failure = {
    code: "worktree-extraction",
    message: boundedMessage(`The child reported success, but its work could not be secured: ${error}`),
    retry: "terminal",
  };
  return {
    state: "failed",
    failure,
    result: { ...result, ...fields, status: "failed", error: failure.message },
  };
}
