/** What the sessions of one host process share: the machine, the models, the supervisor, the settings. Composed in cli/compose-session.ts. */
import type { ConfiguredCaptures } from "../initialization/capture-variables.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import type { RoleCatalog } from "../../roles/index.ts";
import type { AgentEvent, AgentRunner, ReplayReply, ReplayRequest } from "../contract/agent-thread.ts";
import type { ToolCaller } from "../contract/caller.ts";
import type { Failure } from "../contract/failure.ts";
import type { LispImages, LispJson } from "../contract/lisp-image.ts";
import type { ModelRow } from "../contract/session/catalogs.ts";
import type { PermissionMode } from "../contract/permissions.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import type { JobHost } from "../host/job-host.ts";
import type { SpawnLimits } from "../jobs/spawn-budget.ts";
import type { Job } from "../jobs/job-table.ts";
import type { ModelDirectory } from "../models/model-directory.ts";
import type { PeerTransport } from "../peers/peer-transport.ts";
import type { PapercutStore } from "../papercuts/papercut-store.ts";
import type { PermissionRules } from "../permissions/permission-rules.ts";
import type { HostLisp } from "../repls/lisp-executor.ts";
import type { ResourceScheme } from "../resources/resource-scheme.ts";
import type { SkillRoot } from "../skills/skill-scan.ts";
import type { WorktreeMachine } from "../worktrees/worktree-machine.ts";
import type { SettingsStore } from "./settings/settings-store.ts";

/** A model that can be chosen, without what depends on the session. */
export type ListedModel = Omit<ModelRow, "current">;

export type SessionEnvironment = {
  readonly dataRoot: string;
  readonly stateRoot: string;
  readonly runner: AgentRunner;
  /** Git, for isolated children. */
  readonly worktrees: WorktreeMachine;
  /** Carries mail between sessions. */
  readonly mail: PeerTransport;
  /** Makes the Lisp images of forms. */
  readonly images: LispImages;
  readonly jobs: JobHost;
  readonly lisp: Pick<HostLisp, "repls" | "hostTools" | "skills">;
  readonly models: ModelDirectory;
  /** The models that are known here; `contextWindow` is the one in force when nothing else is set. */
  readonly listModels: () => readonly ListedModel[];
  readonly settings: SettingsStore;
  readonly papercuts: PapercutStore;
  readonly permissionRules: PermissionRules;
  /** The mode that new sessions begin with when neither they nor the preferences say one. */
  readonly explicitMode: PermissionMode | undefined;
  readonly roles: (workspace: string) => RoleCatalog;
  /** Where initialization lies; none of it is loaded when `pristine`. */
  readonly initialization: {
    readonly configRoot: string;
    readonly siteConfigRoot: string | undefined;
    readonly pristine: boolean;
    /** Nothing may be changed in the image for good. */
    readonly immutable: boolean;
    /** Time that the evaluation of one file may take, in milliseconds. */
    readonly fileMs: number;
    /** Paths of the files that are evaluated now, of all sessions. */
    readonly loading: Set<string>;
    /** Ends them: the host shuts down. */
    readonly stop: AbortController;
  };
  /** Bounds what is kept of the output of commands, from the next command of this host on. */
  readonly configureCaptures: (limits: ConfiguredCaptures) => void;
  /** Registers a provider of models; answers its name. Throws `invalid-argument`. */
  readonly registerProvider: (definition: readonly LispJson[]) => string;
  /** Where skills lie, for a session in that directory; the first of a name counts. */
  readonly skillRoots: (workspace: string) => readonly SkillRoot[];
  readonly schemes: (
    mayInspect: (caller: ToolCaller, executionId: string) => boolean,
  ) => readonly ResourceScheme[];
  readonly machineTools: readonly ToolDeclaration[];
  /** Why commands cannot be sandboxed here, or undefined. */
  readonly sandboxProblem: () => Promise<string | undefined>;
  /** PATH of the commands. */
  readonly searchPath: string | undefined;
  readonly permissionNote: (mode: PermissionMode) => string;
  /** Removes the secrets of the environment from what tools return. */
  readonly withoutSecrets: SecretRemover;
  readonly maxDepth: number;
  readonly childTimeoutMs: number | undefined;
  readonly spawnLimits: SpawnLimits;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  /** Every event of every agent, for recording. */
  readonly observeAgent: (event: AgentEvent) => void;
  readonly handedOver: (job: Job) => void;
  /** Gives back what a closed conversation held of the machine. */
  readonly released: (conversationId: string) => Promise<void>;
  /** Ends what dead hosts left running, before one of their conversations is opened. */
  readonly endSurvivors: () => Promise<unknown>;
  /** Names in a directory that begin so, for completion; directories end with a slash. Absolute path; empty when unreadable. */
  readonly listDirectory: (path: string) => Promise<readonly string[]>;
  readonly report: (failure: Failure) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly startedAt: number;
  /** Time without client, turn, job and queue after which the host is idle, in milliseconds. */
  readonly idleMs: number;
};
