/** The outcome that an execution's files speak of, for a settlement whose record was lost with its host. */
import type { Failure } from "../contract/failure.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { ExecutionDirectory } from "../record/execution-directory.ts";
import type { ResultRecord, TerminalRecord } from "../record/execution-records.ts";
import { RecordError } from "../record/failure.ts";

/** Said of a settlement completed from files, where the failure itself was only in the lost record. */
const recoveredFailure = "settled-before-restart";

/** What the files hold; undefined when they hold no end, or one that cannot be read (then somebody has to decide). */
export async function publishedOutcome(
  job: Job,
  directory: ExecutionDirectory,
): Promise<{ readonly outcome: Outcome<unknown>; readonly terminalWritten: boolean } | undefined> {
  try {
    const terminal = await directory.readTerminal();
    const result = job.kind === "agent" ? await directory.readResult() : undefined;
    const state = terminal?.state ?? (result === undefined ? undefined : stateOf(result, job));
    if (state === undefined) return undefined;
    return { outcome: outcomeOf(state, job, terminal, result), terminalWritten: terminal !== undefined };
  } catch (error) {
    if (error instanceof RecordError && error.code === "malformed") return undefined;
    throw error;
  }
}

function stateOf(result: ResultRecord, job: Job): TerminalRecord["state"] {
  if (result.status === "success") return "completed";
  return job.cancelReason === undefined ? "failed" : "aborted";
}

function outcomeOf(
  state: TerminalRecord["state"],
  job: Job,
  terminal: TerminalRecord | undefined,
  result: ResultRecord | undefined,
): Outcome<unknown> {
  const reached = terminal?.result === undefined ? {} : { result: terminal.result as unknown };
  switch (state) {
    case "completed":
      return { state, result: undefined, ...reached };
    case "failed":
      return { state, failure: failure(result?.error), ...reached };
    case "aborted":
      return { state, reason: job.cancelReason ?? "shutdown", ...reached };
  }
}

function failure(message: string | undefined): Failure {
  return {
    code: recoveredFailure,
    message: (message ?? "The execution failed; its host died before the reason was recorded.").slice(
      0,
      2_000,
    ),
    retry: "terminal",
  };
}
