/** One conversation of a host: its record and job journal, its tools, its children and their results. */
import { overflowPlaces } from "../record/overflow-retention.ts";
import type { AgentRunner, ReplayReply, ReplayRequest } from "../contract/agent-thread.ts";
import type { RunnableRole } from "../agents/child-role.ts";
import { type ChildObservation, ChildService } from "../agents/child-service.ts";
import type { ChildRun } from "../agents/agent-executor.ts";
import { conversationTranscript } from "../agents/conversation-transcript.ts";
import { JobRoles } from "../agents/job-roles.ts";
import { roleDirectory } from "../agents/role-directory.ts";
import type { ChildReply } from "../agents/live-child.ts";
import type { AgentTranscript } from "../agents/transcript.ts";
import { type RoleCatalog } from "../../roles/index.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { AutolithError, type Failure, failureOf } from "../contract/failure.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { LispImage } from "../contract/lisp-image.ts";
import type { Authority } from "../contract/permissions.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import type { ContinuityService } from "../continuity/index.ts";
import type { Job } from "../jobs/job-table.ts";
import { conversationOf } from "../jobs/ownership.ts";
import { SpawnBudget, type SpawnLimits } from "../jobs/spawn-budget.ts";
import type { Executor, JobAnnouncement, JobExecution, Supervisor } from "../jobs/supervisor.ts";
import type { ModelDirectory } from "../models/model-directory.ts";
import { type Conversation, createConversation } from "../record/conversation.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import { isStartedChild } from "../record/job-journal-compaction.ts";
import { type OpenedJobJournal, jobJournalPath, openJobJournal } from "../record/job-journal.ts";
import { OverflowStore } from "../record/overflow-store.ts";
import { RecordLog } from "../record/record-log.ts";
import type { JobInventory } from "../recovery/job-inventory.ts";
import type { RecoveredJobs } from "../recovery/recover-jobs.ts";
import { recoverConversation } from "../recovery/recover-conversation.ts";
import { ConversationMail } from "../peers/conversation-mail.ts";
import type { PeerTransport } from "../peers/peer-transport.ts";
import { contextScheme } from "../resources/context-scheme.ts";
import { checkpointImages } from "../repls/checkpoint-images.ts";
import type { HostLisp } from "../repls/lisp-executor.ts";
import type { ResourceScheme } from "../resources/resource-scheme.ts";
import { resourceTools } from "../resources/resource-tools.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import type { WorkflowToolParts } from "../skills/workflow-tools.ts";
import { CompletionFiles } from "../tasks/completion-files.ts";
import { visibleJobs } from "../tasks/job-tools.ts";
import type { PublicationParts } from "../tasks/result-publication.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { ConversationWorktrees } from "../worktrees/conversation-worktrees.ts";
import type { WorktreeMachine } from "../worktrees/worktree-machine.ts";
import { worktreeTool } from "../worktrees/worktree-tool.ts";
import { type JobContinuityParts, jobContinuity, jobContinuityTool } from "./job-continuity.ts";
import {
  conversationsDirectory,
  publicationPlaces,
  storeOptions,
  syncReporter,
  worktreesDirectory,
} from "./conversation-places.ts";
import { JobViews } from "./job-views.ts";
import { workTools } from "./work-tools.ts";

export type ConversationHostParts = {
  /** Absolute directories of the data root. */
  readonly dataRoot: string;
  readonly runner: AgentRunner;
  /** Git, for isolated children. */
  readonly worktrees: WorktreeMachine;
  /** Carries mail between sessions. */
  readonly mail: PeerTransport;
  /** Resource schemes. `mayInspect` tells whether a caller may look at an execution of its root conversation. */
  readonly schemes: (
    mayInspect: (caller: ToolCaller, executionId: string) => boolean,
  ) => readonly ResourceScheme[];
  readonly lisp: Pick<HostLisp, "repls" | "hostTools">;
  /** Evaluates forms of a person in the image before them; absent where there is no person. */
  readonly evaluateForm?: Executor<"lisp">;
  /** The image before the person, for tools that look things up in it. */
  readonly activeImage?: () => Promise<LispImage> | undefined;
  /** A skill with its code; absent where there are no skills. Rejects as {@link WorkflowToolParts.executable}. */
  readonly executableSkill?: WorkflowToolParts["executable"];
  /** Further tools of the machine, such as search. */
  readonly machineTools: readonly ToolDeclaration[];
  readonly roles: () => RoleCatalog;
  readonly models: ModelDirectory;
  readonly authority: Authority;
  readonly permissionNote: () => string;
  readonly primaryModel: () => string;
  readonly maxDepth: number;
  readonly childTimeoutMs: number | undefined;
  /** Children that this conversation may start. */
  readonly spawnLimits: SpawnLimits;
  /** Hurry-up mode is on. */
  readonly hurryUp: () => boolean;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  readonly announce: (announcement: JobAnnouncement) => void;
  readonly observe: (observation: ChildObservation) => void;
  /** Told of each job whose outcome was handed over: its evidence needs no protection from pruning any more. */
  readonly handedOver: (job: Job) => void;
  /** Told of a child's answer to prompts of a person. */
  readonly replied: (reply: ChildReply) => void;
  /** Removes the secrets of the environment from what tools return. */
  readonly withoutSecrets: SecretRemover;
  /** Failures that belong to no job. */
  readonly report: (failure: Failure) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export class ConversationHost {
  readonly conversation: Conversation;
  readonly journal: OpenedJobJournal["journal"];
  readonly supervisor: Supervisor;
  readonly views: JobViews;
  readonly children: ChildService;
  readonly continuity: ContinuityService;
  readonly registry: ToolRegistry;
  readonly overflow: OverflowStore;
  readonly publication: PublicationParts;
  readonly worktrees: ConversationWorktrees;
  readonly mail: ConversationMail;
  /** What a dead host left of this conversation, as it was when this one opened it. */
  readonly inventory: JobInventory;
  readonly #parts: ConversationHostParts;
  readonly #budget: SpawnBudget;
  readonly #jobRoles = new JobRoles((name) => this.findRole(name));
  #roleCatalog: RoleCatalog | undefined;

  private constructor(
    parts: ConversationHostParts,
    opened: {
      readonly supervisor: Supervisor;
      readonly conversation: Conversation;
      readonly journal: OpenedJobJournal["journal"];
      readonly jobs: RecoveredJobs;
      readonly forgottenChildren: number;
      readonly inventory: JobInventory;
      readonly mail: ConversationMail;
    },
  ) {
    this.#parts = parts;
    this.supervisor = opened.supervisor;
    this.conversation = opened.conversation;
    this.journal = opened.journal;
    this.inventory = opened.inventory;
    this.mail = opened.mail;
    this.publication = {
      ...publicationPlaces(parts),
      namesOf: (job) => this.views.namesOf(job),
      roleOf: (job) => this.#jobRoles.known(job.executionId),
    };
    this.views = new JobViews({
      conversationId: this.id,
      tasksDirectory: this.publication.tasksDirectory,
      supervisor: this.supervisor,
      progress: (executionId) => this.children.progress(executionId),
      definition: (job) => this.#jobRoles.known(job.executionId)?.definition,
      now: parts.now,
    });
    const started = opened.jobs.records.filter(isStartedChild);
    this.#budget = new SpawnBudget(
      parts.spawnLimits,
      opened.forgottenChildren + started.length,
      started.map(({ at }) => at),
    );
    this.overflow = new OverflowStore(overflowPlaces(parts.dataRoot));
    this.continuity = jobContinuity(this.#continuityParts());
    this.worktrees = new ConversationWorktrees({
      conversationId: this.id,
      machine: parts.worktrees,
      root: worktreesDirectory(parts.dataRoot),
      tasksDirectory: this.publication.tasksDirectory,
    });
    this.registry = this.#createRegistry();
    this.children = this.#createChildren();
    const { table, keys } = opened.jobs;
    this.supervisor.adopt({ conversationId: this.id, journal: this.journal, table }, keys);
  }

  /**
   * Takes over a conversation that this process may write: recovers the jobs that `records` and its job journal know of. Nothing is
   * enqueued before the supervisor starts or is asked to resume the conversation.
   */
  static async open(
    parts: ConversationHostParts,
    supervisor: Supervisor,
    conversation: Conversation,
    rootRecords: readonly StoredRecord[],
  ): Promise<ConversationHost> {
    const opened = await openJobJournal(jobJournalPath(conversationsDirectory(parts), conversation.id), {
      onSyncFailure: syncReporter(parts),
    });
    const { records, forgottenChildren } = opened;
    const places = publicationPlaces(parts);
    const completionFiles = new CompletionFiles(`${places.tasksDirectory}/${conversation.id}`, (error) =>
      parts.report(failureOf(error)),
    );
    const journal = completionFiles.follow(opened.journal, records);
    const earlier = await recoverConversation({
      conversationId: conversation.id,
      rootRecords,
      records,
      journal,
      places,
    });
    const mail = await ConversationMail.open({
      conversationId: conversation.id,
      conversationsDirectory: conversationsDirectory(parts),
      rootRecords,
      supervisor,
      transport: parts.mail,
      report: (error) => parts.report(failureOf(error)),
      now: parts.now,
    });
    const host = new ConversationHost(parts, {
      ...{ supervisor, conversation, journal, mail, forgottenChildren },
      ...earlier,
    });
    mail.resumed();
    return host;
  }

  get id(): ConversationId {
    return this.conversation.id;
  }

  /** The role called `name`, usable with the tools of this conversation. */
  async findRole(name: string): Promise<RunnableRole> {
    return this.#roles().find(name);
  }

  jobs(): readonly Job[] {
    return this.supervisor.jobs(this.id);
  }

  isRegisteredTool(name: string): boolean {
    return name === "yield.submit" || this.registry.get(name) !== undefined;
  }

  async prepareRun(job: JobExecution<"agent">): Promise<ChildRun> {
    return this.children.prepareRun(job);
  }

  announce(announcement: JobAnnouncement): void {
    this.#parts.announce(announcement);
    if (announcement.kind !== "settled") return;
    this.children.completed(this.views.completionOf(announcement.job, announcement.outcome));
    this.mail.ended(announcement.job);
    if (announcement.job.kind === "agent")
      this.#parts.lisp.repls
        .agentEnded(conversationOf(announcement.job))
        .catch((error: unknown) => this.#parts.report(failureOf(error)));
    if (!announcement.job.detached) this.#parts.handedOver(announcement.job);
  }

  /** Rejects with `no-active-image` where nobody sits before an image. */
  async evaluateForm(job: JobExecution<"lisp">): ReturnType<Executor<"lisp">> {
    if (this.#parts.evaluateForm === undefined)
      throw new AutolithError(
        "no-active-image",
        "There is no image before a person in this run, so the form was not evaluated.",
      );
    return this.#parts.evaluateForm(job);
  }

  /** The primary sees every execution; a child its own and those below it. */
  mayInspect(caller: ToolCaller, executionId: string): boolean {
    if (caller.executionId === undefined || caller.executionId === executionId) return true;
    return visibleJobs(this.supervisor, caller).some((job) => job.executionId === executionId);
  }

  /** Ends the primary's REPLs, and closes journal and record. */
  async close(): Promise<void> {
    await this.#parts.lisp.repls.endAgent(this.id);
    await this.mail.close();
    await this.journal.close();
    await this.conversation.close();
  }

  #roles(): ReturnType<typeof roleDirectory> {
    return roleDirectory(
      () => this.#catalog(),
      () => this.registry.names(),
    );
  }

  /** Everybody who asks within one turn of the event loop shares it: the items of a batch. */
  #catalog(): RoleCatalog {
    if (this.#roleCatalog === undefined) setImmediate(() => (this.#roleCatalog = undefined));
    this.#roleCatalog ??= this.#parts.roles();
    return this.#roleCatalog;
  }

  #createRegistry(): ToolRegistry {
    const parts = this.#parts;
    return new ToolRegistry([
      ...resourceTools([
        ...parts.schemes((caller, executionId) => this.mayInspect(caller, executionId)),
        contextScheme(this.overflow),
      ]),
      ...parts.machineTools,
      ...workTools({
        ...parts,
        supervisor: this.supervisor,
        views: this.views,
        continuity: this.continuity,
        children: () => this.children,
        budget: this.#spawning(),
        artifactRoot: `${this.publication.tasksDirectory}/${this.id}`,
      }),
      jobContinuityTool(this.continuity, this.#continuityParts()),
      ...this.mail.tools(),
      worktreeTool({
        supervisor: this.supervisor,
        worktrees: this.worktrees,
        machine: parts.worktrees,
        retained: (caller) => this.continuity.retainedJobs(caller),
        report: (error) => parts.report(failureOf(error)),
      }),
    ]);
  }

  #continuityParts(): JobContinuityParts {
    return {
      conversationId: this.id,
      tasksDirectory: this.publication.tasksDirectory,
      journal: this.journal,
      supervisor: this.supervisor,
      views: this.views,
      children: () => this.children,
      budget: this.#spawning(),
      images: checkpointImages(this.#parts.lisp.repls),
      now: this.#parts.now,
    };
  }

  #spawning(): JobContinuityParts["budget"] {
    return {
      take: (count) => this.#budget.take(count, this.#parts.now(), this.#parts.hurryUp()),
      giveBack: (count) => this.#budget.giveBack(count),
    };
  }

  #createChildren(): ChildService {
    const parts = this.#parts;
    return new ChildService({
      rootConversationId: this.id,
      supervisor: this.supervisor,
      journal: this.journal,
      tools: this.registry,
      roles: this.#roles(),
      jobRoles: this.#jobRoles,
      models: parts.models,
      authority: parts.authority,
      worktrees: this.worktrees,
      mail: this.mail,
      permissionNote: parts.permissionNote,
      primaryModel: parts.primaryModel,
      overflow: this.overflow,
      withoutSecrets: parts.withoutSecrets,
      openTranscript: (job) => this.#openTranscript(job),
      replay: parts.replay,
      maxDepth: parts.maxDepth,
      childTimeoutMs: parts.childTimeoutMs,
      now: parts.now,
      observe: parts.observe,
      delivered: parts.handedOver,
      replied: parts.replied,
      recordActivity: (executionId, record) => this.views.directory(executionId).writeActivity(record),
      report: (error) => parts.report(failureOf(error)),
    });
  }

  async #openTranscript(job: JobExecution<"agent">): Promise<AgentTranscript> {
    const conversation = await createConversation(storeOptions(this.#parts), {
      id: conversationOf(job),
      directory: job.payload.workspace,
      promptCacheKey: job.executionId,
      model: job.payload.model,
      reasoningEffort: job.payload.reasoningEffort,
    });
    return conversationTranscript(new RecordLog(conversation, [], this.#parts.now));
  }
}
