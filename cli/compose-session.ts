/** Puts a session host together: the same machine, queue and threads as a headless run, under the session service. */
import { knownSecretRemover, secretRemover, secretValues } from "../orchestrator/secrets/secret-removal.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { discoverRoles, projectDirectory } from "../roles/index.ts";
import { failureOf } from "../orchestrator/contract/failure.ts";
import { reasoningEffortSchema } from "../orchestrator/contract/model.ts";
import type { PermissionMode } from "../orchestrator/contract/permissions.ts";
import type { SessionService } from "../orchestrator/contract/session.ts";
import { JobHost } from "../orchestrator/host/job-host.ts";
import { PapercutStore } from "../orchestrator/papercuts/papercut-store.ts";
import { PermissionRules } from "../orchestrator/permissions/permission-rules.ts";
import type { ModelDirectory } from "../orchestrator/models/model-directory.ts";
import { type Roots, prepareRoots, resolveRoots } from "../orchestrator/record/roots.ts";
import type { ListedModel, SessionEnvironment } from "../orchestrator/sessions/session-environment.ts";
import { SessionHost } from "../orchestrator/sessions/session-host.ts";
import { SettingsStore } from "../orchestrator/sessions/settings/settings-store.ts";
import type { SkillRoot } from "../orchestrator/skills/skill-scan.ts";
import { jobLimits } from "../orchestrator/settings/job-limits.ts";
import { shellLogScheme } from "../workers/shell/shell-log-scheme.ts";
import { viewImageTool } from "../workers/workspace/view-image.ts";
import { fileSchemes } from "../workers/workspace/workspace-scheme.ts";
import { reapSurvivors } from "../workers/spawner/spawn-ledger.ts";
import { isReasoningModel } from "../workers/model/model-families.ts";
import { type CataloguedModel, cataloguedModels } from "../workers/model/model-catalogue.ts";
import { type RegisteredProvider, RegisteredProviders } from "../workers/model/registered-providers.ts";
import { openAiDirectory } from "../workers/model/openai-directory.ts";
import { openExchangeLog } from "./exchange-log.ts";
import { type HeadStart, beginHeadStart } from "./head-start.ts";
import {
  healthLine,
  hideEnvironment,
  permissionNote,
  selectedModel,
  siteRoot,
} from "./host-configuration.ts";
import { hostLisp, lazyImages } from "./host-lisp.ts";
import { installationRoot } from "./installation.ts";
import { removeLeftoversSoon, removeSandboxTemporary } from "./leftovers.ts";
import { initFileMs } from "../orchestrator/initialization/init-files.ts";
import { managementConfiguration } from "./management/management-configuration.ts";
import { managementValues } from "./management/management-values.ts";
import { type Environment, type Machine, ledgerDirectory, openMachine } from "./machine.ts";
import { withoutRepeats } from "./repeated-lines.ts";

export type SessionHostOptions = {
  readonly environment: Environment;
  /** Mode of the command line; undefined: the saved one, else ask. */
  readonly permissions: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly siteConfigRoot: string | undefined;
  /** Without initialization files. */
  readonly pristine?: boolean;
  /** Without tools that change the image for good. */
  readonly immutable?: boolean;
  /** Time that the evaluation of one initialization file may take, in milliseconds; 60 s. */
  readonly initFileMs?: number;
  readonly record?: string;
  readonly replay?: string;
  readonly agentThread?: { readonly url: URL; readonly maxHeapMb: number };
  /** Time without client, turn, job and waiting input after which {@link SessionService.idle} resolves, in milliseconds; 10 minutes. */
  readonly idleMs?: number;
  readonly diagnostics: (line: string) => void;
  readonly headStart?: HeadStart;
};

export type ComposedSessions = {
  readonly service: SessionService;
  readonly roots: Roots;
  /** Closes every session and everything that was opened; bounded in time. */
  close(): Promise<void>;
};

/** Taken for a model whose provider says nothing, in tokens. */
const unknownContextWindow = 272_000;
/** Facts: a host without anything to do ends after this time. */
const defaultIdleMs = 600_000;
/** Time that live jobs get at shutdown, in milliseconds. */
const shutdownMs = 3_000;
const leftoverWaitMs = 5_000;
const redisCloseMs = 2_000;

/** Composes the host. What was started is closed again when a later part fails. Rejects with configuration and redis codes. */
export async function composeSessions(given: SessionHostOptions): Promise<ComposedSessions> {
  const remove = secretRemover(secretValues(given.environment));
  const options = { ...given, diagnostics: withoutRepeats((line) => given.diagnostics(remove(line))) };
  const headStart = options.headStart ?? beginHeadStart({ ...options, replay: options.replay !== undefined });
  const opened = [(): Promise<void> => headStart.abandon()];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).toReversed())
      await close().catch((error: unknown) => options.diagnostics(`closing: ${failureOf(error).message}`));
  };
  try {
    return await compose(options, headStart, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function compose(
  options: SessionHostOptions,
  headStart: HeadStart,
  opened: (() => Promise<void>)[],
  closeAll: () => Promise<void>,
): Promise<ComposedSessions> {
  const { environment, diagnostics } = options;
  performance.mark("autolith:compose");
  hideEnvironment(diagnostics);
  const roots = resolveRoots(environment);
  await prepareRoots(roots);
  const siteConfigRoot = siteRoot(options);
  const providers = new RegisteredProviders();
  const models = openAiDirectory({
    environment,
    providers,
    replay: options.replay !== undefined,
    record: options.record !== undefined,
  });
  const settings = await openSettings(options, roots, siteConfigRoot, models);
  const exchange = await openExchangeLog({
    environment,
    record: options.record,
    replay: options.replay,
    diagnostics,
  });
  opened.push(() => exchange.close());
  const pool = await headStart.takePool();
  opened.push(() => pool.close());
  const machine = openMachine(environment, roots);
  opened.push(() => machine.close());
  const lisp = hostLisp(environment, roots);
  opened.push(() => lisp.repls.close());
  opened.push(() => lisp.skills.close());
  const redis = await headStart.takeRedis();
  opened.push(() => redis.close(redisCloseMs));
  redis.queue.onHealth((health) => diagnostics(healthLine(health)));
  const limits = jobLimits(environment);
  const jobs = new JobHost({
    queue: redis.queue,
    runner: pool,
    shellExecutor: machine.shellExecutor,
    lisp,
    limits: limits.concurrency,
    outputLimits: limits.output,
    report: (failure) => diagnostics(`${failure.code}: ${failure.message}`),
    now: Date.now,
  });
  await jobs.supervisor.start();
  opened.push(() => jobs.supervisor.shutdown(shutdownMs));
  const host = new SessionHost({
    ...machineParts(machine, roots, diagnostics),
    dataRoot: roots.data,
    stateRoot: roots.state,
    runner: pool,
    mail: redis.mail,
    images: lazyImages,
    lisp,
    jobs,
    models,
    listModels: () => [...cataloguedModels.map(listedModel), ...providers.all().flatMap(providerModels)],
    registerProvider: (definition) => providers.register(definition),
    initialization: {
      configRoot: roots.config,
      siteConfigRoot,
      pristine: options.pristine ?? false,
      immutable: (options.immutable ?? false) || (options.pristine ?? false),
      fileMs: options.initFileMs ?? initFileMs,
      loading: new Set(),
      stop: new AbortController(),
    },
    settings,
    papercuts: new PapercutStore(roots.data, Date.now),
    permissionRules: new PermissionRules(roots.state),
    explicitMode: options.permissions,
    roles: (workspace) =>
      discoverRoles({
        workingDirectory: workspace,
        userConfigRoot: roots.config,
        siteConfigRoot,
        bundledRoles: join(installationRoot(), "roles", "bundled"),
      }),
    skillRoots: (workspace) => skillRoots(workspace, roots, siteConfigRoot),
    searchPath: environment["PATH"],
    permissionNote: (mode) => permissionNote(mode, true),
    withoutSecrets: knownSecretRemover(secretValues(environment)),
    maxDepth: limits.maxDepth,
    childTimeoutMs: limits.childTimeoutMs,
    spawnLimits: limits.spawn,
    replay: exchange.replay,
    observeAgent: (event) => exchange.observe(event),
    report: (failure) => diagnostics(`${failure.code}: ${failure.message}`),
    now: Date.now,
    startedAt: Date.now(),
    idleMs: options.idleMs ?? defaultIdleMs,
  });
  opened.push(() => host.shutdown());
  await openManagement(options, roots, host, opened);
  const cleaned = removeLeftoversSoon({
    roots,
    redis,
    machine,
    conversation: undefined,
    directories: [
      roots.state,
      join(roots.state, "localgroup"),
      join(roots.state, "pending-inputs"),
      join(roots.state, "recovery-input-vault"),
      join(roots.data, "conversation-picker"),
    ],
    workspace: undefined,
    report: (error) => diagnostics(`cleaning up after earlier hosts: ${failureOf(error).message}`),
  });
  opened.push(() => cleaned.finish(leftoverWaitMs));
  performance.mark("autolith:host-open");
  return { service: host, roots, close: closeAll };
}

/** The management REPL, when the environment turns it on. Rejects with `configuration-error`, `management-address`. */
async function openManagement(
  { environment, diagnostics }: SessionHostOptions,
  roots: Roots,
  host: SessionHost,
  opened: (() => Promise<void>)[],
): Promise<void> {
  const configuration = managementConfiguration(environment, roots);
  if (configuration === undefined) return;
  const { ManagementServer } = await import("./management/management-server.ts");
  const { imageForManagement } = await import("./management/managed-image.ts");
  const server = await ManagementServer.open({
    configuration,
    image: async () => imageForManagement(await host.managedImage()),
    connected: () => host.hold(),
    report: diagnostics,
  });
  opened.push(() => server.close());
}

function skillRoots(
  workspace: string,
  roots: Roots,
  siteConfigRoot: string | undefined,
): readonly SkillRoot[] {
  const project = projectDirectory(workspace, "skills");
  return [
    ...(project === undefined ? [] : [{ origin: "project" as const, path: project }]),
    { origin: "user", path: join(roots.config, "skills") },
    ...(siteConfigRoot === undefined
      ? []
      : [{ origin: "site" as const, path: join(siteConfigRoot, "skills") }]),
  ];
}

function openSettings(
  options: SessionHostOptions,
  roots: Roots,
  siteConfigRoot: string | undefined,
  models: ModelDirectory,
): Promise<SettingsStore> {
  const { environment, diagnostics } = options;
  const place = (value: string | undefined) => ({ value: value ?? null, source: "default" as const });
  const isChosen = options.model !== undefined || options.provider !== undefined;
  return SettingsStore.open({
    path: join(roots.state, "preferences.sexp"),
    environment,
    explicit: isChosen ? { model: selectedModel(options) } : {},
    fixed: {
      ...managementValues(environment, roots),
      "immutable-p": {
        value: (options.immutable ?? false) || (options.pristine ?? false),
        source: options.immutable === true || options.pristine === true ? "explicit" : "default",
      },
      "source-root": place(installationRoot()),
      "config-root": place(roots.config),
      "data-root": place(roots.data),
      "state-root": place(roots.state),
      "cache-root": place(roots.cache),
      "site-config-root": {
        value: siteConfigRoot ?? null,
        source:
          siteConfigRoot === undefined
            ? "default"
            : options.siteConfigRoot === undefined
              ? "environment"
              : "explicit",
      },
    },
    knowsModel: (id) => models.knows(id),
    report: (error) => diagnostics(failureOf(error).message),
  });
}

function machineParts(
  machine: Machine,
  roots: Roots,
  diagnostics: (line: string) => void,
): Pick<
  SessionEnvironment,
  | "schemes"
  | "machineTools"
  | "worktrees"
  | "sandboxProblem"
  | "configureCaptures"
  | "handedOver"
  | "released"
  | "endSurvivors"
  | "listDirectory"
> {
  return {
    schemes: (mayInspect) => [
      ...fileSchemes(machine.locks),
      shellLogScheme({ captures: machine.captures, mayInspect }),
    ],
    machineTools: [...machine.tools, viewImageTool()],
    worktrees: machine.worktrees,
    sandboxProblem: () => machine.sandbox.problem(),
    configureCaptures: (limits) => machine.captures.configure(limits),
    handedOver: (job) => {
      machine.captures
        .release(job.conversationId, job.executionId)
        .catch((error: unknown) => diagnostics(`captures: ${failureOf(error).message}`));
    },
    released: async (conversationId) => {
      await removeSandboxTemporary(roots, conversationId);
    },
    endSurvivors: () => reapSurvivors(ledgerDirectory(roots)),
    listDirectory: async (path) => {
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    },
  };
}

function providerModels({ name: provider, models }: RegisteredProvider): readonly ListedModel[] {
  return models.map(({ name, contextWindow }) => ({
    id: `${provider}/${name}`,
    provider,
    name,
    contextWindow: contextWindow ?? unknownContextWindow,
    reasoningEfforts: isReasoningModel(name) ? [...reasoningEffortSchema.options] : [],
  }));
}

function listedModel({ id, contextWindow }: CataloguedModel): ListedModel {
  const [provider = "", ...rest] = id.split("/");
  const name = rest.join("/");
  return {
    id,
    provider,
    name,
    contextWindow,
    reasoningEfforts: isReasoningModel(name) ? [...reasoningEffortSchema.options] : [],
  };
}
