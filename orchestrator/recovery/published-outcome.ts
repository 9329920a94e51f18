/** The outcome that an execution's files speak of, for a settlement whose record was lost with its host. */
import type { Failure } from "../contract/failure.ts";
import type { Job } from "../jobs/job-table.ts";
import type { SettledRecord } from "../jobs/journal-records.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { universalTime } from "../record/conversation-record.ts";
import type { ExecutionDirectory } from "../record/execution-directory.ts";
import type { ResultRecord, TerminalRecord } from "../record/execution-records.ts";
import { RecordError } from "../record/failure.ts";
import { agentResultOf } from "../tasks/result-publication.ts";

/** Said of a settlement completed from files, where the failure itself was only in the lost record. */
const recoveredFailure = "settled-before-restart";

/** What the files hold; undefined when they hold no end, or one that cannot be read (then somebody has to decide). */
export async function publishedOutcome(
  job: Job,
  directory: ExecutionDirectory,
): Promise<{ readonly outcome: Outcome<unknown>; readonly terminalWritten: boolean } | undefined> {
  try {
    return await readOutcome(job, directory);
  } catch (error) {
    if (error instanceof RecordError && error.code === "malformed") return undefined;
    throw error;
  }
}

/** As {@link publishedOutcome}, but rejects with RecordError `malformed` for files that cannot be read. */
export async function readOutcome(
  job: Pick<Job, "kind" | "cancelReason">,
  directory: ExecutionDirectory,
): Promise<{ readonly outcome: Outcome<unknown>; readonly terminalWritten: boolean } | undefined> {
  const terminal = await directory.readTerminal();
  const result = job.kind === "agent" ? await directory.readResult() : undefined;
  const state = terminal?.state ?? (result === undefined ? undefined : stateOf(result, job));
  if (state === undefined) return undefined;
  return { outcome: outcomeOf(state, job, terminal, result), terminalWritten: terminal !== undefined };
}

/**
 * Writes the files of a settled job that are missing: the disk was full when it settled, or they were lost with the power. A file that
 * still cannot be written stays for the next time.
 */
export async function restoreFiles(
  job: Job,
  settled: SettledRecord,
  directory: ExecutionDirectory,
  parts: {
    readonly publish: (job: Job, outcome: Outcome<unknown>) => Promise<void>;
    readonly now: () => number;
  },
): Promise<void> {
  try {
    if ((await directory.readTerminal()) !== undefined) return;
    const result = job.kind === "agent" ? await directory.readResult() : undefined;
    if (job.kind === "agent" && result === undefined) await parts.publish(job, outcomeOfRecord(settled));
    else
      await directory.writeTerminal({
        state: settled.state,
        endedAt: universalTime(settled.at),
        ...(job.kind === "agent" || settled.result === undefined ? {} : { result: settled.result }),
      });
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
  }
}

/** The outcome that a settled record speaks of. */
function outcomeOfRecord({ state, failure, cancelReason, result }: SettledRecord): Outcome<unknown> {
  const reached = result === undefined ? {} : { result: result as unknown };
  switch (state) {
    case "completed":
      return { state, result: undefined, ...reached };
    case "failed":
      return { state, failure: failure ?? failureOfResult(undefined), ...reached };
    case "aborted":
      return { state, reason: cancelReason, ...reached };
  }
}

function stateOf(result: ResultRecord, job: Pick<Job, "cancelReason">): TerminalRecord["state"] {
  if (result.status === "success") return "completed";
  return job.cancelReason === undefined && result.status === "failed" ? "failed" : "aborted";
}

function outcomeOf(
  state: TerminalRecord["state"],
  job: Pick<Job, "cancelReason">,
  terminal: TerminalRecord | undefined,
  result: ResultRecord | undefined,
): Outcome<unknown> {
  const value: unknown = result === undefined ? terminal?.result : agentResultOf(result);
  const reached = value === undefined ? {} : { result: value };
  switch (state) {
    case "completed":
      return { state, result: undefined, ...reached };
    case "failed":
      return { state, failure: failureOfResult(result?.error), ...reached };
    case "aborted":
      return { state, reason: job.cancelReason, ...reached };
  }
}

function failureOfResult(message: string | undefined): Failure {
  return {
    code: recoveredFailure,
    message: (message ?? "The execution failed; its host died before the reason was recorded.").slice(
      0,
      2_000,
    ),
    retry: "terminal",
  };
}
