/** The outcome of an isolated child with what became of its work (facts C.8). */
import { type Failure, boundedMessage } from "../contract/failure.ts";
import type { AgentResult } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import type { ConversationWorktrees, SecuredWork } from "../worktrees/conversation-worktrees.ts";
import { errorLimit } from "./agent-result.ts";

/** Secures the work of an isolated child that has ended; a success without a complete artifact becomes a failure. */
export async function withSecuredWork(
  { executionId, payload }: Pick<JobExecution<"agent">, "executionId" | "payload">,
  outcome: Outcome<AgentResult>,
  worktrees: ConversationWorktrees,
): Promise<Outcome<AgentResult>> {
  if (payload.isolation === undefined) return outcome;
  return securedOutcome(outcome, await worktrees.secureEnded(executionId, payload.isolation));
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
