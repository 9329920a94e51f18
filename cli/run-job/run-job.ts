/**
 * One run of one job file: reads it, runs its root child, puts the artifact in place and reports. Library entry as well as the body of
 * `autolith run-job`; everything it touches is handed in.
 */
import { secretRemover, secretValues } from "../../orchestrator/secrets/secret-removal.ts";
import { randomUUID } from "node:crypto";
import { setImmediate as loopTurn } from "node:timers/promises";
import type { Readable, Writable } from "node:stream";
import { printDataForm } from "../../lisp/data-forms/index.ts";
import type { PermissionMode } from "../../orchestrator/contract/permissions.ts";
import { AutolithError, failureOf } from "../../orchestrator/contract/failure.ts";
import { publicationProblem, publishFile } from "../../orchestrator/record/publication.ts";
import {
  type RunJobEventWriter as EventWriter,
  RunJobEventWriter,
  publishedFileUri,
  streamEventSink,
} from "../../orchestrator/run-job/events/index.ts";
import { endedExecutionText } from "../../orchestrator/run-job/ended-execution-text.ts";
import { EventProjection } from "../../orchestrator/run-job/event-projection.ts";
import {
  type JobInput,
  type RunOutcome,
  type RunUsage,
  childUserMessage,
  eventCategoryOf,
  exitCodeOf,
  readJobInput,
  readJobInputFile,
  readJobInputStream,
  resultText,
} from "../../orchestrator/run-job/index.ts";
import { outcomeOfChild, outcomeOfError, runUsage } from "../../orchestrator/run-job/run-outcome.ts";
import { beginHeadStart } from "../head-start.ts";
import type { Environment } from "../machine.ts";

export type RunJobOptions = {
  readonly input: { readonly kind: "file"; readonly path: string } | { readonly kind: "stdin" };
  /** Absolute path of the artifact. */
  readonly outputPath: string;
  /** Write event forms to `eventOutput`. */
  readonly events: boolean;
  readonly eventOutput: Writable;
  /** Read only when the input is `stdin`. */
  readonly stdin: Readable;
  readonly environment: Environment;
  /** Absolute directory the job works in. */
  readonly workingDirectory: string;
  /** Undefined: the saved preference, else auto. */
  readonly permissions: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly siteConfigRoot: string | undefined;
  /** As in the host's composition: crash drills only. */
  readonly agentThread?: { readonly url: URL; readonly maxHeapMb: number };
  /** Cassette to write, or to answer from; absolute. */
  readonly record: string | undefined;
  readonly replay: string | undefined;
  /** Takes lines for people, without newline. */
  readonly diagnostics: (line: string) => void;
  /** Aborted when the run is to be stopped in order. */
  readonly cancel: AbortSignal;
};

/** Time a cancelled root child gets to end before the run ends without it (facts A.4). */
export const cancelGraceMs = 5_000;

/** What is known when the artifact is written. */
type Ending = {
  readonly id: string;
  readonly outcome: RunOutcome;
  readonly traceId: string | undefined;
  readonly usage: RunUsage;
};

const noUsage: RunUsage = { inputTokens: 0, outputTokens: 0, providerRequests: 0 };

/**
 * Runs the job and resolves to the exit status: 0 succeeded, 1 did not succeed, 64 refused. Never rejects for what a job, a file or a
 * provider does; the artifact is attempted in every case.
 */
export async function runJob(options: RunJobOptions): Promise<number> {
  performance.mark("autolith:run-job");
  const startedAt = Date.now();
  const runId = randomUUID();
  const writer = options.events ? eventWriter(options, runId) : undefined;
  writer?.emit({ kind: "run-started", data: {} });
  const problem = await publicationProblem(options.outputPath);
  if (problem !== undefined) return refuseOutput(problem, writer, options);
  const ending = withoutSecrets(await execute(options, runId, writer), options.environment);
  const published = await publish(ending, startedAt, options);
  if (ending.outcome.status !== "succeeded")
    options.diagnostics(`run-job: ${ending.outcome.category}: ${ending.outcome.message}`);
  await announceEnd(ending, published, writer, options);
  const category = ending.outcome.status === "succeeded" ? undefined : ending.outcome.category;
  return published ? exitCodeOf(category, true) : Math.max(1, exitCodeOf(category, false));
}

/** Ends a run whose result could be put nowhere, before anything is done or paid for. */
async function refuseOutput(
  problem: string,
  writer: EventWriter | undefined,
  options: RunJobOptions,
): Promise<number> {
  const message = `the result cannot be written to ${options.outputPath}: ${problem}. The job was not run.`;
  options.diagnostics(`run-job: result-publication-failed: ${message}`);
  const outcome: RunOutcome = { status: "failed", category: "process-failure", message };
  await announceEnd({ id: "", outcome, traceId: undefined, usage: noUsage }, false, writer, options);
  return exitCodeOf(outcome.category, false);
}

/** What went wrong may have been said by a server or a command that knows our keys. */
function withoutSecrets(ending: Ending, environment: Environment): Ending {
  const { outcome } = ending;
  if (outcome.status === "succeeded") return ending;
  const remove = secretRemover(secretValues(environment));
  return { ...ending, outcome: { ...outcome, message: remove(outcome.message) } };
}

function eventWriter(options: RunJobOptions, runId: string): EventWriter {
  return new RunJobEventWriter({
    sink: streamEventSink(options.eventOutput),
    runId,
    onDisabled: (code) => {
      options.diagnostics(`run-job: events are no longer delivered (${code}); the job goes on.`);
      // A pipe that nobody empties would keep the process from ending.
      options.eventOutput.destroy();
    },
  });
}

async function execute(
  options: RunJobOptions,
  runId: string,
  writer: EventWriter | undefined,
): Promise<Ending> {
  let id = "";
  try {
    const reading = readJobInput(await readInput(options));
    if ("failure" in reading) {
      id = reading.recoveredId;
      throw reading.failure;
    }
    id = reading.job.id;
    return await runAdmitted(reading.job, options, runId, writer);
  } catch (error) {
    return { id, outcome: await errorOutcome(error, options), traceId: undefined, usage: noUsage };
  }
}

function readInput(options: RunJobOptions): Promise<Buffer> {
  return options.input.kind === "stdin"
    ? readJobInputStream(options.stdin, options.cancel)
    : readJobInputFile(options.input.path, options.cancel);
}

async function errorOutcome(error: unknown, options: RunJobOptions): Promise<RunOutcome> {
  if (options.cancel.aborted)
    return {
      status: "cancelled",
      category: "cancelled",
      message: "The run was cancelled before its child started.",
    };
  const { isRuntimeUnavailable } = await import("../compose.ts");
  return outcomeOfError(error, isRuntimeUnavailable);
}

async function runAdmitted(
  job: JobInput,
  options: RunJobOptions,
  runId: string,
  writer: EventWriter | undefined,
): Promise<Ending> {
  const headStart = beginHeadStart({ ...options, replay: options.replay !== undefined });
  await loopTurn();
  const { composeRunHost } = await import("../compose.ts");
  const projection = new EventProjection({
    runId,
    emit: (payload) => writer?.emit(payload),
    isRegisteredTool: (name) => run.isRegisteredTool(name),
    resultPath: (executionId) => run.resultPath(executionId),
    isRoot: (executionId) => executionId === run.rootExecutionId,
  });
  const run = await composeRunHost({
    ...options,
    headStart,
    role: job.role,
    jobPrompt: job.prompt,
    // Events that nobody reads are not made.
    announce: (announcement) => {
      const ended = endedExecutionText(announcement);
      if (ended !== undefined && !options.cancel.aborted)
        options.diagnostics(secretRemover(secretValues(options.environment))(ended));
      if (writer !== undefined) projection.announce(announcement);
    },
    observe: (observation) => {
      if (writer !== undefined) projection.observe(observation);
    },
  });
  try {
    const root = await run.startRoot({
      role: job.role,
      assignment: childUserMessage(job),
      outputContract: printDataForm(job.outputContractForm),
      timeoutMs: job.timeoutSeconds * 1_000,
    });
    const outcome = await run.settledRoot(options.cancel, cancelGraceMs);
    return {
      id: job.id,
      outcome: outcomeOfChild(outcome),
      traceId: root.executionId,
      usage: runUsage(outcome),
    };
  } finally {
    await run.close();
  }
}

/**
 * Puts the artifact in place and answers whether one is there. A result that no artifact can hold becomes a failure artifact; without
 * events a publication that failed is followed by one try to leave a small failure artifact (facts A.6).
 */
async function publish(ending: Ending, startedAt: number, options: RunJobOptions): Promise<boolean> {
  const failure = await publicationFailure(ending, startedAt, options);
  if (failure === undefined) return true;
  options.diagnostics(
    `run-job: result-publication-failed: the result cannot be written to ${options.outputPath}: ${failure}`,
  );
  if (options.events) return false;
  const outcome: RunOutcome = { status: "failed", category: "process-failure", message: failure };
  await publicationFailure({ ...ending, outcome }, startedAt, options);
  return false;
}

async function publicationFailure(
  ending: Ending,
  startedAt: number,
  options: RunJobOptions,
): Promise<string | undefined> {
  const { outputPath } = options;
  try {
    const problem = await publicationProblem(outputPath);
    if (problem !== undefined) return problem;
    await publishFile(outputPath, artifactText(ending, startedAt), { mode: 0o666 & ~process.umask() });
    return undefined;
  } catch (error) {
    return failureOf(error).message;
  }
}

function artifactText(ending: Ending, startedAt: number): string {
  const result = { ...ending, startedAt, finishedAt: Math.max(startedAt, Date.now()) };
  try {
    return resultText(result);
  } catch (error) {
    if (!(error instanceof AutolithError)) throw error;
    return resultText({
      ...result,
      outcome: { status: "failed", category: "artifact-failure", message: error.message },
    });
  }
}

async function announceEnd(
  ending: Ending,
  published: boolean,
  writer: EventWriter | undefined,
  options: RunJobOptions,
): Promise<void> {
  if (writer === undefined) return;
  const { outcome, traceId } = ending;
  const category = published
    ? outcome.status === "succeeded"
      ? {}
      : { category: eventCategoryOf(outcome.category) }
    : { category: "result-publication-failed" as const };
  const status = published ? outcome.status : "failed";
  const ids = traceId === undefined ? {} : { "job-id": traceId };
  const uri = published ? { "result-uri": publishedFileUri(options.outputPath) } : {};
  if (traceId !== undefined)
    writer.emit({
      kind: "job-finished",
      data: { ...ids, "execution-id": traceId, status, ...uri, ...category, "published-p": published },
    });
  await writer.finish({
    kind: "run-finished",
    data: {
      ...ids,
      status,
      ...(published ? { "output-path": options.outputPath } : {}),
      ...category,
      "published-p": published,
    },
  });
}
