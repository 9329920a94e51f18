/** Puts the rooms together: the one place where the supervisor meets Redis, threads and the machine. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { discoverRoles } from "../roles/index.ts";
import type { AgentEvent, ReplayReply, ReplayRequest } from "../orchestrator/contract/agent-thread.ts";
import type { ChildObservation } from "../orchestrator/agents/child-service.ts";
import { type CassettePlayer } from "../orchestrator/cassette/cassette-player.ts";
import { type RecordingCassette } from "../orchestrator/cassette/cassette-file.ts";
import { AutolithError } from "../orchestrator/contract/failure.ts";
import type { AgentResult, ConcurrencyClass } from "../orchestrator/contract/job-catalog.ts";
import type { PermissionMode } from "../orchestrator/contract/permissions.ts";
import { HeadlessHost } from "../orchestrator/host/headless-host.ts";
import type { Job } from "../orchestrator/jobs/job-table.ts";
import type { Outcome } from "../orchestrator/jobs/lifecycle.ts";
import type { JobAnnouncement } from "../orchestrator/jobs/supervisor.ts";
import { headlessAuthority } from "../orchestrator/permissions/headless-authority.ts";
import { modelClassifier } from "../orchestrator/permissions/model-classifier.ts";
import { type Roots, prepareRoots, resolveRoots } from "../orchestrator/record/roots.ts";
import { secretValues } from "../orchestrator/secrets/secret-removal.ts";
import { startAgentPool } from "../workers/agent/agent-pool.ts";
import { openAiDirectory } from "../workers/model/openai-directory.ts";
import { installationRoot } from "./installation.ts";
import { type Environment, type Machine, openMachine } from "./machine.ts";

export type RunHostOptions = {
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly permissions: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly siteConfigRoot: string | undefined;
  readonly record: string | undefined;
  readonly replay: string | undefined;
  /** What the classifier of mode auto knows of the job. */
  readonly jobPrompt: string;
  readonly announce: (announcement: JobAnnouncement) => void;
  readonly observe: (observation: ChildObservation) => void;
  readonly diagnostics: (line: string) => void;
};

/** The model of a run when neither an option nor AUTOLITH_MODEL names one. */
const defaultModel = "openai-api/gpt-5.6";

/** A composed host with one root child at most. */
export type RunHost = {
  readonly rootExecutionId: string | undefined;
  isRegisteredTool(name: string): boolean;
  resultPath(executionId: string): string;
  /** Admits the root child. Rejects with typed errors: unknown role, role definition, queue unavailable. */
  startRoot(root: {
    readonly role: string;
    readonly assignment: string;
    readonly outputContract: string;
    readonly timeoutMs: number;
  }): Promise<Job>;
  /**
   * The root's outcome. Aborting `cancel` stops its tree; it then has `graceMs` to settle before an aborted outcome is answered for it.
   * The same holds for its wall-clock limit, which counts from the admission.
   */
  settledRoot(cancel: AbortSignal, graceMs: number): Promise<Outcome<AgentResult>>;
  /** Ends everything that the host started; bounded in time. */
  close(): Promise<void>;
};

/** True for errors that mean that the job runtime itself is not available here. */
export function isRuntimeUnavailable(error: unknown): boolean {
  return error instanceof AutolithError && (error.code.startsWith("redis-") || error.code === "queue-unavailable");
}

/** Time that live work gets at shutdown, in milliseconds (facts C.3 allow 10 s; a cancelled run has used its grace already). */
const shutdownMs = 3_000;

/** Composes the host of one headless run. What was started is closed again when a later part fails. */
export async function composeRunHost(options: RunHostOptions): Promise<RunHost> {
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.toReversed()) await close();
  };
  try {
    return await compose(options, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function compose(
  options: RunHostOptions,
  opened: (() => Promise<void>)[],
  closeAll: () => Promise<void>,
): Promise<RunHost> {
  const { environment } = options;
  const roots = resolveRoots(environment);
  const workspace = realpathSync(options.workingDirectory);
  const siteConfigRoot = siteRoot(options);
  const roles = (): ReturnType<typeof discoverRoles> =>
    discoverRoles({
      workingDirectory: workspace,
      userConfigRoot: roots.config,
      siteConfigRoot,
      bundledRoles: join(installationRoot(), "roles", "bundled"),
    });
  const models = openAiDirectory({
    environment,
    replay: options.replay !== undefined,
    record: options.record !== undefined,
  });
  const modelId = selectedModel(options);
  const choice = models.reach(modelId);
  const exchange = await openExchange(options);
  const pool = startAgentPool({
    expectLiveRequests: options.replay === undefined,
    onIdleThreadLost: (error) => options.diagnostics(`An idle agent thread ended: ${String(error)}`),
  });
  opened.push(() => pool.close());
  await prepareRoots(roots);
  const machine = openMachine(environment, roots);
  opened.push(() => machine.close());
  const queue = await openQueue({ environment, roots, report: (error) => options.diagnostics(error.message) });
  opened.push(() => queue.close());
  const mode = options.permissions ?? (await savedPermissions(roots, options.diagnostics));
  const observeAgent = (event: AgentEvent): void => exchange.observe(event);
  const authority = headlessAuthority({
    mode,
    workspace,
    sandboxProblem: () => machine.sandbox.problem(),
    classify: modelClassifier({
      runner: pool,
      choice,
      jobPrompt: options.jobPrompt,
      replay: exchange.replay,
      observe: observeAgent,
      record: ({ request, verdict }) =>
        options.diagnostics(`permissions: ${verdict} for ${JSON.stringify(request.command.slice(0, 200))}`),
    }),
  });
  const limits = jobLimits(environment);
  const host = await HeadlessHost.open({
    dataRoot: roots.data,
    workspace,
    queue: queue.port,
    runner: pool,
    shellExecutor: machine.shellExecutor,
    machineTools: machineTools(machine, roots),
    roles,
    models,
    authority,
    permissionNote: permissionNote(mode),
    limits: limits.concurrency,
    maxDepth: limits.maxDepth,
    childTimeoutMs: limits.childTimeoutMs,
    replay: exchange.replay,
    announce: options.announce,
    observe: (observation) => {
      if (observation.kind === "agent-event") observeAgent(observation.event);
      options.observe(observation);
    },
    report: (failure) => options.diagnostics(`${failure.code}: ${failure.message}`),
    now: Date.now,
  });
  opened.push(() => host.shutdown(shutdownMs));
  opened.unshift(() => exchange.close());
  return new ComposedRun(host, modelId, workspace, models, closeAll);
}
