/** Puts the rooms together: the one place where the supervisor meets Redis, threads and the machine. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { Keyword } from "../lisp/data-forms/index.ts";
import {
  type RoleCatalog,
  type RoleLocations,
  RoleTexts,
  discoverRoles,
  roleWarnings,
} from "../roles/index.ts";
import type { AgentEvent } from "../orchestrator/contract/agent-thread.ts";
import type { ChildObservation } from "../orchestrator/agents/child-service.ts";
import { defaultAgentLimits } from "../orchestrator/contract/agent-limits.ts";
import { retryLine } from "./retry-line.ts";
import { AutolithError, failureOf } from "../orchestrator/contract/failure.ts";
import type { PermissionMode } from "../orchestrator/contract/permissions.ts";
import type { ConversationId } from "../orchestrator/contract/identifiers.ts";
import { lookupRole } from "../orchestrator/agents/role-directory.ts";
import { HeadlessHost, type HeadlessHostParts } from "../orchestrator/host/headless-host.ts";
import type { JobAnnouncement } from "../orchestrator/jobs/supervisor.ts";
import { headlessAuthority, judgementText } from "../orchestrator/permissions/headless-authority.ts";
import { modelClassifier } from "../orchestrator/permissions/model-classifier.ts";
import { laterTransport } from "../orchestrator/peers/later-transport.ts";
import { PendingQueue } from "../orchestrator/queue/pending-queue.ts";
import { jobLimits } from "../orchestrator/settings/job-limits.ts";
import { knownSecretRemover, secretRemover, secretValues } from "../orchestrator/secrets/secret-removal.ts";
import { readPreferences } from "../orchestrator/settings/preferences.ts";
import { recordFailure } from "../orchestrator/record/failure.ts";
import { RootError, type Roots, prepareRoots, resolveRoots } from "../orchestrator/record/roots.ts";
import { shellLogScheme } from "../workers/shell/shell-log-scheme.ts";
import { fileSchemes } from "../workers/workspace/workspace-scheme.ts";
import { openAiDirectory } from "../workers/model/openai-directory.ts";
import { removeLeftoversSoon, removeSandboxTemporary } from "./leftovers.ts";
import { type HeadStart, beginHeadStart } from "./head-start.ts";
import { reapSurvivors } from "../workers/spawner/spawn-ledger.ts";
import { openExchangeLog } from "./exchange-log.ts";
import {
  healthLine,
  hideEnvironment,
  permissionNote,
  selectedModel,
  siteRoot,
} from "./host-configuration.ts";
import { hostLisp } from "./host-lisp.ts";
import { installationRoot } from "./installation.ts";
import { type Environment, openMachine, ledgerDirectory } from "./machine.ts";
import { withoutRepeats } from "./repeated-lines.ts";
import { RunHost } from "./run-host.ts";

export type RunHostOptions = {
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly permissions: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly siteConfigRoot: string | undefined;
  readonly record: string | undefined;
  readonly replay: string | undefined;
  /** A conversation whose host died, to be opened again; undefined for a new one. */
  readonly reopen?: ConversationId;
  /** The artifact of the run; what killed runs left beside it is removed. */
  readonly outputPath?: string;
  /** The entry of agent threads; another one only in crash drills. */
  readonly agentThread?: { readonly url: URL; readonly maxHeapMb: number };
  /** The role that will be started, checked before anything else. */
  readonly role?: string;
  /** What the classifier of mode auto knows of the job. */
  readonly jobPrompt: string;
  readonly announce: (announcement: JobAnnouncement) => void;
  readonly observe: (observation: ChildObservation) => void;
  readonly diagnostics: (line: string) => void;
  /** Parts that were begun already; taken by this composition. */
  readonly headStart?: HeadStart;
};

/** True for errors that mean that the job runtime itself is not available here. */
export function isRuntimeUnavailable(error: unknown): boolean {
  return (
    error instanceof RootError ||
    (error instanceof AutolithError &&
      (error.code.startsWith("redis-") || error.code === "queue-unavailable"))
  );
}

/** Time that live work gets at shutdown, in milliseconds (facts C.3 allow 10 s; a cancelled run has used its grace already). */
const shutdownMs = 3_000;

/** Time that cleaning up after dead hosts gets at the end of a run that was shorter than it; the next start goes on. */
const leftoverWaitMs = 5_000;

/** Time that Redis connections get to close, in milliseconds. */
const redisCloseMs = 2_000;

/** Composes the host of one headless run. What was started is closed again when a later part fails. */
export async function composeRunHost(given: RunHostOptions): Promise<RunHost> {
  const remove = secretRemover(secretValues(given.environment));
  const options = { ...given, diagnostics: withoutRepeats((line) => given.diagnostics(remove(line))) };
  const headStart = options.headStart ?? beginHeadStart({ ...options, replay: options.replay !== undefined });
  const opened = [(): Promise<void> => headStart.abandon()];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.toReversed()) {
      // What cannot be closed in order (its disk is full) keeps nothing else from being closed.
      await close().catch((error: unknown) => options.diagnostics(`closing: ${failureOf(error).message}`));
    }
  };
  try {
    return await compose(options, headStart, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function compose(
  options: RunHostOptions,
  headStart: HeadStart,
  opened: (() => Promise<void>)[],
  closeAll: () => Promise<void>,
): Promise<RunHost> {
  const { environment } = options;
  performance.mark("autolith:compose");
  hideEnvironment(options.diagnostics);
  const roots = resolveRoots(environment);
  const workspace = realpathSync(options.workingDirectory);
  const roles = rolesOf(options, workspace, roots);
  // A wrong role is the caller's mistake and is told before anything about this machine's configuration.
  if (options.role !== undefined) lookupRole(roles(), options.role);
  await prepareRoots(roots);
  const models = openAiDirectory({
    environment,
    replay: options.replay !== undefined,
    record: options.record !== undefined,
  });
  const roleDiagnostics = once(() => {
    const found = roles();
    for (const { message } of [...found.faults, ...roleWarnings(found, (id) => models.knows(id))])
      options.diagnostics(message);
  });
  const modelId = selectedModel(options);
  const choice = models.reach(modelId);
  const exchange = await openExchangeLog(options);
  const pool = await headStart.takePool();
  opened.push(() => pool.close());
  performance.mark("autolith:pool-started");
  const machine = openMachine(environment, roots);
  opened.push(() => machine.close());
  const lisp = hostLisp(environment, roots);
  opened.push(() => lisp.repls.close());
  opened.push(() => lisp.skills.close());
  // The host is put together while Redis is still being opened.
  const redisSoon = headStart.takeRedis();
  opened.push(() =>
    redisSoon.then(
      (redis) => redis.close(redisCloseMs),
      () => undefined,
    ),
  );
  const queue = new PendingQueue(redisSoon.then((redis) => redis.queue));
  queue.onHealth((health) => options.diagnostics(healthLine(health)));
  const mode = options.permissions ?? (await savedPermissions(roots, options.diagnostics));
  const observeAgent = (event: AgentEvent): void => {
    // The first request has been sent: there is time for what nobody waits for.
    if (event.event === "request-started") roleDiagnostics();
    exchange.observe(event);
    const { source } = choice;
    const line = retryLine(event, source.kind === "live" ? source.endpoint : undefined, defaultAgentLimits);
    if (line !== undefined) options.diagnostics(line);
  };
  const authority = headlessAuthority({
    mode,
    workspace,
    sandboxProblem: () => machine.sandbox.problem(),
    searchPath: environment["PATH"],
    classify: modelClassifier({
      runner: pool,
      choice,
      jobPrompt: options.jobPrompt,
      replay: exchange.replay,
      observe: observeAgent,
    }),
    judged: (judgement) => options.diagnostics(`permissions: ${judgementText(judgement)}`),
  });
  const limits = jobLimits(environment);
  const hostParts: HeadlessHostParts = {
    dataRoot: roots.data,
    workspace,
    queue,
    runner: pool,
    shellExecutor: machine.shellExecutor,
    lisp,
    schemes: (mayInspect) => [
      ...fileSchemes(machine.locks),
      shellLogScheme({ captures: machine.captures, mayInspect }),
    ],
    machineTools: machine.tools,
    worktrees: machine.worktrees,
    mail: laterTransport(redisSoon.then((redis) => redis.mail)),
    roles,
    models,
    authority,
    permissionNote: () => permissionNote(mode, false),
    limits: limits.concurrency,
    outputLimits: limits.output,
    maxDepth: limits.maxDepth,
    childTimeoutMs: limits.childTimeoutMs,
    spawnLimits: limits.spawn,
    hurryUp: () => false,
    replay: exchange.replay,
    announce: options.announce,
    observe: (observation) => {
      if (observation.kind === "agent-event") observeAgent(observation.event);
      options.observe(observation);
    },
    handedOver: (job) => {
      void machine.captures.release(job.conversationId, job.executionId).catch((error: unknown) => {
        const failure = recordFailure(
          error,
          join(roots.data, "shell-logs"),
          "let go of a delivered capture in",
        );
        options.diagnostics(`${failure.code}: ${failure.message}`);
      });
    },
    // Nobody prompts the children of a headless run.
    replied: () => undefined,
    withoutSecrets: knownSecretRemover(secretValues(environment)),
    report: (failure) => options.diagnostics(`${failure.code}: ${failure.message}`),
    now: Date.now,
  };
  const host = await openHost(hostParts, options.reopen, roots);
  const redis = await redisSoon;
  opened.push(async () => {
    roleDiagnostics();
    await host.shutdown(shutdownMs);
    await removeSandboxTemporary(roots, host.conversationId);
    // Completions that were not delivered by now have nobody left to go to.
    await machine.captures.release(host.conversationId);
  });
  const cleaned = removeLeftoversSoon({
    roots,
    redis,
    machine,
    conversation: host.conversationId,
    directories: [roots.state, ...(options.outputPath === undefined ? [] : [dirname(options.outputPath)])],
    workspace,
    report: reportLeftover(options),
  });
  opened.push(() => cleaned.finish(leftoverWaitMs));
  performance.mark("autolith:host-open");
  opened.unshift(() => exchange.close());
  return new RunHost({ host, modelId, workspace, models, close: closeAll });
}

/** The roles in effect when they are asked for. */
function rolesOf(
  options: Pick<RunHostOptions, "siteConfigRoot" | "environment">,
  workingDirectory: string,
  roots: Roots,
): () => RoleCatalog {
  const locations: RoleLocations = {
    workingDirectory,
    userConfigRoot: roots.config,
    siteConfigRoot: siteRoot(options),
    bundledRoles: join(installationRoot(), "roles", "bundled"),
    known: new RoleTexts(),
  };
  return () => discoverRoles(locations);
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

/** What a dead host was running is ended before its conversation is opened: nothing may change behind the inventory's back. */
async function openHost(
  parts: HeadlessHostParts,
  reopen: ConversationId | undefined,
  roots: Roots,
): Promise<HeadlessHost> {
  if (reopen === undefined) return HeadlessHost.open(parts);
  await reapSurvivors(ledgerDirectory(roots));
  return HeadlessHost.reopen(parts, reopen);
}

function reportLeftover({ diagnostics }: RunHostOptions): (error: unknown) => void {
  return (error) => diagnostics(`cleaning up after earlier hosts: ${failureOf(error).message}`);
}

/** The saved mode, else auto. Preferences that cannot be read are told, and then auto holds. */
async function savedPermissions(roots: Roots, diagnostics: (line: string) => void): Promise<PermissionMode> {
  try {
    const saved = (await readPreferences(join(roots.state, "preferences.sexp"))).get("PERMISSION-MODE");
    return saved instanceof Keyword && saved.name === "ASK" ? "ask" : "auto";
  } catch (error) {
    diagnostics(`${failureOf(error).message} Permission mode auto is used.`);
    return "auto";
  }
}
