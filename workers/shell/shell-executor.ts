import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ShellResult } from "../../orchestrator/contract/job-catalog.ts";
import { cancelReasonSchema } from "../../orchestrator/contract/job-catalog.ts";
import { failureOf } from "../../orchestrator/contract/failure.ts";
import type { Outcome } from "../../orchestrator/jobs/lifecycle.ts";
import type { Executor, JobExecution } from "../../orchestrator/jobs/supervisor.ts";
import type { Sandbox } from "../sandbox/confined-command.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { CommandEnd } from "../spawner/command-end.ts";
import { commandEnvironment } from "../spawner/command-environment.ts";
import type { OpenedPath } from "../spawner/command-request.ts";
import type { Spawner } from "../spawner/spawner.ts";
import type { CaptureStore, ClosedCapture, OpenCapture } from "./capture-store.ts";
import { formatShellLog } from "./shell-log-reference.ts";
import { shellReport } from "./shell-report.ts";
import type { ReportedStream } from "./shell-report.ts";

/** Where a job's commands may write when they are confined. */
interface ShellConfinement {
  /** Absolute path of the writable tree. */
  readonly workspace: string;
  /** `administer` for an isolated child in its own checkout. */
  readonly git: "protect" | "administer";
}

export interface ShellExecutorParts {
  readonly spawner: Spawner;
  readonly captures: CaptureStore;
  /** The sandbox, or why there is none; asked for each sandboxed command. */
  readonly sandbox: () => Promise<Sandbox | { readonly reason: string }>;
  readonly confinement: (job: JobExecution<"shell">) => ShellConfinement;
  /** Private directories of sandboxed commands are made below it, one for each root conversation. */
  readonly temporaryRoot: string;
  /** The host's environment; commands get its allowed part. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of further variables the user allows. */
  readonly extraEnvironment?: readonly string[];
}

/** Tool chains keep caches below the home, which a sandboxed command cannot write. */
const sandboxCaches: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: "/tmp/.cache",
  GOCACHE: "/tmp/.cache/go-build",
  NPM_CONFIG_CACHE: "/tmp/.cache/npm",
  PIP_CACHE_DIR: "/tmp/.cache/pip",
  UV_CACHE_DIR: "/tmp/.cache/uv",
  PYTHONPYCACHEPREFIX: "/tmp/.cache/pycache",
  // Its index is read-only too; git need not try.
  GIT_OPTIONAL_LOCKS: "0",
};

/**
 * Runs jobs of kind `shell`. The capture is opened before the command starts; the job ends when the command's shell has
 * exited, its survivors are ended and the capture is closed (see the spawner for the rule about survivors).
 */
export function shellExecutor(parts: ShellExecutorParts): Executor<"shell"> {
  return async (job) => await runShellJob(job, parts);
}

interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly set: Readonly<Record<string, string>>;
  readonly contained: boolean;
  readonly opened: Readonly<Record<number, OpenedPath>>;
  readonly neverStarted: () => boolean;
  readonly release: () => void;
}

/** Tries to set up a sandbox while what must be hidden comes and goes. */
const sandboxTries = 4;

async function runShellJob(
  job: JobExecution<"shell">,
  parts: ShellExecutorParts,
): Promise<Outcome<ShellResult>> {
  try {
    for (let attempt = 1; ; attempt += 1) {
      const ran = await runOnce(job, parts);
      if (!ran.neverStarted) return ran.outcome;
      if (attempt < sandboxTries) continue;
      throw new SandboxError(
        "sandbox-unavailable",
        `The sandbox could not be set up in ${sandboxTries} tries, so the command did not run:\n${ran.outcome.result?.content ?? ""}`,
      );
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { state: "failed", failure: failureOf(error) };
  }
}

interface Ran {
  readonly outcome: Outcome<ShellResult>;
  /** Nothing of the command ran, which is certain, so that it may be tried again. */
  readonly neverStarted: boolean;
}

async function runOnce(job: JobExecution<"shell">, parts: ShellExecutorParts): Promise<Ran> {
  const { payload } = job;
  const sandboxed = payload.execution === "sandboxed";
  const prepare = sandboxed ? await prepareConfinement(job, parts) : () => unconfined(payload.command);
  const capture = await parts.captures.open({
    conversationId: job.conversationId,
    executionId: job.executionId,
    separate: payload.separateOutput,
    protectUntilDelivered: true,
  });
  let launch: Launch;
  try {
    // As late as possible: what it found to hide must still be there when the command starts.
    launch = prepare();
  } catch (error) {
    await parts.captures.discard(capture);
    throw error;
  }
  let end: CommandEnd;
  try {
    end = await parts.spawner.run({
      argv: launch.argv,
      // A directory inside the sandbox is entered there; it may be hidden from, or differ for, everybody outside.
      directory: launch.contained ? "/" : payload.directory,
      environment: commandEnvironment(parts.environment, {
        set: launch.set,
        ...(parts.extraEnvironment === undefined ? {} : { extraNames: parts.extraEnvironment }),
      }),
      stdout: capture.output,
      ...(capture.error === undefined ? {} : { stderr: capture.error }),
      timeoutMs: payload.timeoutMs,
      signal: job.signal,
      contained: launch.contained,
      opened: launch.opened,
    });
  } catch (error) {
    await parts.captures.discard(capture);
    launch.release();
    throw error;
  }
  try {
    const neverStarted = end.cause === "exit" && end.exit.kind === "exited" && launch.neverStarted();
    const closed = await parts.captures.close(capture, end.outputComplete);
    const outcome = outcomeOf(job, end, resultOf(job, end, capture, closed));
    if (neverStarted) await parts.captures.discard(capture);
    return { outcome, neverStarted };
  } finally {
    launch.release();
  }
}

function shellArguments(command: string): [string, ...string[]] {
  return [existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh", "-c", command];
}

function unconfined(command: string): Launch {
  return {
    argv: shellArguments(command),
    ...{ set: {}, contained: false, opened: {} },
    neverStarted: () => false,
    release: () => undefined,
  };
}

/** Does what takes time beforehand; what it resolves to builds the confined command at once. */
async function prepareConfinement(
  job: JobExecution<"shell">,
  parts: ShellExecutorParts,
): Promise<() => Launch> {
  const { payload } = job;
  const sandbox = await parts.sandbox();
  if ("reason" in sandbox) throw new SandboxError("sandbox-unavailable", sandbox.reason);
  const temporary = join(parts.temporaryRoot, job.conversationId);
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const { workspace, git } = parts.confinement(job);
  return () => {
    const confined = sandbox.confine({
      argv: shellArguments(payload.command),
      ...{ directory: payload.directory, workspace, temporary, git },
    });
    return {
      argv: confined.argv,
      set: { ...sandboxCaches, ...confined.set },
      contained: confined.contained,
      opened: confined.opened,
      neverStarted: () => confined.neverStarted(),
      release: () => {
        confined.release();
      },
    };
  };
}

function resultOf(
  job: JobExecution<"shell">,
  end: CommandEnd,
  capture: OpenCapture,
  closed: ClosedCapture,
): ShellResult {
  const { payload } = job;
  const streams = reportedStreams(capture, closed);
  const shellLogs = streams.flatMap(({ reference }) => (reference === undefined ? [] : [reference]));
  const content = shellReport({
    end,
    command: payload.command,
    sandboxed: payload.execution === "sandboxed",
    timeoutMs: payload.timeoutMs,
    streams,
  });
  return {
    ending: endingOf(end),
    content,
    shellLogs,
    durationMs: Math.round(end.durationMs),
    ...(end.exit.kind === "exited" ? { exitCode: end.exit.code } : {}),
    ...(end.exit.kind === "signalled" ? { signal: end.exit.signal } : {}),
  };
}

function reportedStreams(
  capture: OpenCapture,
  closed: ClosedCapture,
): [ReportedStream] | [ReportedStream, ReportedStream] {
  const { artifact } = capture;
  const reference = (stream: "output" | "error", retained: number): string | undefined =>
    artifact === undefined || retained === 0 ? undefined : formatShellLog({ ...artifact, stream });
  const output: ReportedStream = {
    label: capture.error === undefined ? "output" : "stdout",
    record: closed.output,
    window: capture.output.window,
    reference: reference("output", closed.output.retainedBytes),
  };
  if (capture.error === undefined || closed.error === undefined) return [output];
  return [
    output,
    {
      label: "stderr",
      record: closed.error,
      window: capture.error.window,
      reference: reference("error", closed.error.retainedBytes),
    },
  ];
}

function endingOf(end: CommandEnd): ShellResult["ending"] {
  if (end.cause === "timeout") return "timed-out";
  if (end.cause === "cancelled") return "cancelled";
  return end.exit.kind;
}

/** A command that ran is a completed job whatever its exit code; the deadline and a cancel abort it. */
function outcomeOf(job: JobExecution<"shell">, end: CommandEnd, result: ShellResult): Outcome<ShellResult> {
  if (end.cause === "timeout") return { state: "aborted", reason: "timeout", result };
  if (end.cause === "cancelled") {
    const reason = cancelReasonSchema.safeParse(job.signal.reason);
    return { state: "aborted", reason: reason.success ? reason.data : "user", result };
  }
  if (end.exit.kind !== "not-started") return { state: "completed", result };
  return {
    state: "failed",
    failure: { code: "command-not-started", message: end.exit.message.slice(0, 2000), retry: "terminal" },
    result,
  };
}
