/**
 * A host without a front end: one root conversation, its supervisor, its tools and its children. `run-job` composes one inside its
 * own process; nothing in it knows about arguments, streams or terminals.
 */
import type { AgentRunner, ReplayReply, ReplayRequest } from "../contract/agent-thread.ts";
import { agentExecutor } from "../agents/agent-executor.ts";
import {
  type ChildObservation,
  ChildService,
  type RootChild,
  type RunnableRole,
  conversationOf,
} from "../agents/child-service.ts";
import { conversationTranscript } from "../agents/conversation-transcript.ts";
import { agentEntries, roleDirectory } from "../agents/role-directory.ts";
import type { AgentTranscript } from "../agents/transcript.ts";
import type { RoleCatalog } from "../../roles/index.ts";
import type { ToolCaller } from "../contract/caller.ts";
import { type Failure, failureOf } from "../contract/failure.ts";
import { type ConversationId, type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import type { ConcurrencyClass } from "../contract/job-catalog.ts";
import type { Authority } from "../contract/permissions.ts";
import type { QueuePort } from "../contract/queue.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import { shellTool } from "../executions/shell-tool.ts";
import type { Job } from "../jobs/job-table.ts";
import { isTerminal } from "../jobs/lifecycle.ts";
import type { Settlement } from "../jobs/settlements.ts";
import { type Executor, type JobAnnouncement, type JobExecution, Supervisor } from "../jobs/supervisor.ts";
import type { ModelDirectory } from "../models/model-directory.ts";
import {
  type Conversation,
  type ConversationStoreOptions,
  createConversation,
  openConversation,
} from "../record/conversation.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import { type OpenedJobJournal, jobJournalPath, openJobJournal } from "../record/job-journal.ts";
import { ExecutionDirectory } from "../record/execution-directory.ts";
import { OverflowStore } from "../record/overflow-store.ts";
import type { JobInventory } from "../recovery/job-inventory.ts";
import type { RecoveredJobs } from "../recovery/recover-jobs.ts";
import { recoverConversation } from "../recovery/recover-conversation.ts";
import type { JobView } from "../tasks/job-record.ts";
import { jobTools, visibleJobs } from "../tasks/job-tools.ts";
import { contextScheme } from "../resources/context-scheme.ts";
import type { ResourceScheme } from "../resources/resource-scheme.ts";
import { resourceTools } from "../resources/resource-tools.ts";
import {
  type PublicationParts,
  type PublicationPlaces,
  prepareJob,
  publishOutcome,
} from "../tasks/result-publication.ts";
import { taskTools } from "../tasks/task-tools.ts";
import { ToolRegistry } from "../tools/registry.ts";

/** Time a blocking tool call waits before its job is handed off (facts C.3). */
const blockingGraceMs = 10_000;

export type HeadlessHostParts = {
  /** Absolute directories of the data root. */
  readonly dataRoot: string;
  /** Absolute real path of the directory the root child works in. */
  readonly workspace: string;
  readonly queue: QueuePort;
  readonly runner: AgentRunner;
  readonly shellExecutor: Executor<"shell">;
  /** Resource schemes of the machine. `mayInspect` tells whether a caller may look at an execution of its root conversation. */
  readonly schemes: (
    mayInspect: (caller: ToolCaller, executionId: string) => boolean,
  ) => readonly ResourceScheme[];
  /** Further tools of the machine, such as search. */
  readonly machineTools: readonly ToolDeclaration[];
  readonly roles: () => RoleCatalog;
  readonly models: ModelDirectory;
  readonly authority: Authority;
  readonly permissionNote: string;
  readonly limits: Readonly<Record<ConcurrencyClass, number>>;
  readonly maxDepth: number;
  readonly childTimeoutMs: number | undefined;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  readonly announce: (announcement: JobAnnouncement) => void;
  readonly observe: (observation: ChildObservation) => void;
  /** Told of each job whose outcome was handed over: its evidence needs no protection from pruning any more. */
  readonly handedOver: (job: Job) => void;
  readonly report: (failure: Failure) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export class HeadlessHost {
  readonly conversationId: ConversationId;
  readonly #parts: HeadlessHostParts;
  readonly #conversation: Conversation;
  readonly #journal: OpenedJobJournal["journal"];
  readonly #supervisor: Supervisor;
  readonly #children: ChildService;
  readonly #roleOf = new Map<ExecutionId, RunnableRole>();
  readonly #publication: PublicationParts;
  readonly #registry: ToolRegistry;
  readonly #overflow: OverflowStore;

  /** What a dead host left of this conversation, as it was when this one opened it. */
  readonly inventory: JobInventory;

  private constructor(
    parts: HeadlessHostParts,
    conversation: Conversation,
    journal: OpenedJobJournal["journal"],
    earlier: { readonly jobs: RecoveredJobs; readonly inventory: JobInventory },
  ) {
    this.#parts = parts;
    this.#conversation = conversation;
    this.#journal = journal;
    this.conversationId = conversation.id;
    this.inventory = earlier.inventory;
    this.#publication = {
      ...publicationPlaces(parts),
      namesOf: (job) => this.#namesOf(job),
      roleOf: (job) => this.#roleOf.get(job.executionId),
    };
    this.#overflow = new OverflowStore(this.#directory("context"));
    this.#supervisor = this.#createSupervisor();
    this.#registry = this.#createRegistry();
    this.#children = this.#createChildren();
    const { table, keys } = earlier.jobs;
    this.#supervisor.adopt({ conversationId: conversation.id, journal, table }, keys);
  }

  /** Creates the root conversation and its job journal, and begins claiming. */
  static async open(parts: HeadlessHostParts): Promise<HeadlessHost> {
    const conversation = await createConversation(storeOptions(parts), {
      directory: parts.workspace,
      promptCacheKey: "headless",
      model: "none",
      reasoningEffort: "medium",
    });
    return HeadlessHost.#start(parts, conversation, []);
  }

  /**
   * Opens a conversation again whose host died. Jobs that never began run now; those that had begun are interrupted and stay so.
   *
   * @throws RecordError `not-found`, `locked` while another host serves it, `malformed`.
   */
  static async reopen(parts: HeadlessHostParts, id: ConversationId): Promise<HeadlessHost> {
    const { conversation, loaded } = await openConversation(storeOptions(parts), id);
    return HeadlessHost.#start(parts, conversation, loaded.records);
  }

  static async #start(
    parts: HeadlessHostParts,
    conversation: Conversation,
    rootRecords: readonly StoredRecord[],
  ): Promise<HeadlessHost> {
    try {
      const directory = conversationsDirectory(parts);
      const { journal, records } = await openJobJournal(jobJournalPath(directory, conversation.id), {
        onSyncFailure: syncReporter(parts),
      });
      const earlier = await recoverConversation({
        conversationId: conversation.id,
        rootRecords,
        records,
        journal,
        places: publicationPlaces(parts),
      });
      const host = new HeadlessHost(parts, conversation, journal, earlier);
      await host.#supervisor.start();
      return host;
    } catch (error) {
      await conversation.close();
      throw error;
    }
  }

  /** The role called `name`, usable with the tools of this host. Rejects with `unknown-role` or `task-agent-definition-error`. */
  async findRole(name: string): Promise<RunnableRole> {
    return this.#roles().find(name);
  }

  /** Starts the root child; the job is durable when this resolves. */
  async startRoot(root: RootChild): Promise<Job> {
    const [job] = await this.#supervisor.admit(this.conversationId, [this.#children.rootRequest(root)]);
    return job as Job;
  }

  /** The jobs of this conversation that are in memory. */
  jobs(): readonly Job[] {
    return this.#supervisor.jobs(this.conversationId);
  }

  /** Resolves when the job has settled; its result is on disk then. Rejects with `outcome-unknown` for an interrupted one. */
  settled(job: Job): Promise<Settlement> {
    return this.#supervisor.settled(job.executionId);
  }

  /** Cancels the whole tree below the job; the first reason wins. */
  async cancel(job: Job, reason: "user" | "signal" | "timeout"): Promise<void> {
    await this.#supervisor.cancel(job, reason);
  }

  isRegisteredTool(name: string): boolean {
    return name === "yield.submit" || this.#registry.get(name) !== undefined;
  }

  /** The durable result file of an execution of this conversation, absolute: a child's result, else the terminal record. */
  resultPath(executionId: string): string {
    const id = executionIdSchema.parse(executionId);
    const isChild = this.#supervisor.find(this.conversationId, id)?.kind === "agent";
    const directory = new ExecutionDirectory(this.#publication.tasksDirectory, this.conversationId, id);
    return directory.pathOf(isChild ? "result.sexp" : "terminal.sexp");
  }

  /** Cancels what is live, waits for it at most `deadlineMs`, and closes the records. */
  async shutdown(deadlineMs: number): Promise<void> {
    await this.#supervisor.shutdown(deadlineMs);
    await this.#journal.close();
    await this.#conversation.close();
  }

  #directory(name: string): string {
    return directoryOf(this.#parts, name);
  }

  #roles(): ReturnType<typeof roleDirectory> {
    return roleDirectory(this.#parts.roles, () => this.#registry.names());
  }

  #createSupervisor(): Supervisor {
    const { queue, limits, now, report, shellExecutor, runner } = this.#parts;
    return new Supervisor({
      queue,
      limits,
      now,
      report,
      executors: {
        shell: shellExecutor,
        agent: agentExecutor({
          runner,
          now,
          prepare: (job) => this.#prepareRun(job),
          ended: (job) => this.#children.runEnded(job),
        }),
      },
      prepare: (job) => prepareJob(job, this.#publication),
      publish: (job, outcome) => publishOutcome(job, outcome, this.#publication),
      announce: (announcement) => this.#announce(announcement),
    });
  }

  #createRegistry(): ToolRegistry {
    const view = (job: Job): Promise<JobView> => Promise.resolve(this.#view(job));
    const supervisor = this.#supervisor;
    return new ToolRegistry([
      ...resourceTools([
        ...this.#parts.schemes((caller, executionId) => this.#mayInspect(caller, executionId)),
        contextScheme(this.#overflow),
      ]),
      ...this.#parts.machineTools,
      shellTool({ supervisor, view, graceMs: blockingGraceMs }),
      ...taskTools({
        supervisor,
        view,
        prepare: (item, context, index) => this.#children.prepareTask(item, context, index),
        agents: (caller) =>
          Promise.resolve(
            agentEntries(this.#parts.roles(), caller.kind === "primary" ? undefined : caller.role),
          ),
        artifactRoot: `${this.#publication.tasksDirectory}/${this.conversationId}`,
        graceMs: blockingGraceMs,
        now: this.#parts.now,
      }),
      ...jobTools({
        supervisor,
        view,
        steer: (job, message) => Promise.resolve().then(() => this.#children.steer(job, message)),
      }),
    ]);
  }

  #createChildren(): ChildService {
    const { models, authority, permissionNote, maxDepth, childTimeoutMs, now, observe, replay, handedOver } =
      this.#parts;
    return new ChildService({
      rootConversationId: this.conversationId,
      supervisor: this.#supervisor,
      journal: this.#journal,
      tools: this.#registry,
      roles: this.#roles(),
      models,
      authority,
      permissionNote,
      overflow: this.#overflow,
      openTranscript: (job) => this.#openTranscript(job),
      replay,
      maxDepth,
      childTimeoutMs,
      now,
      observe,
      delivered: handedOver,
    });
  }

  async #prepareRun(job: JobExecution<"agent">): ReturnType<ChildService["prepareRun"]> {
    this.#roleOf.set(job.executionId, await this.#roles().find(job.payload.role));
    return this.#children.prepareRun(job);
  }

  async #openTranscript(job: JobExecution<"agent">): Promise<AgentTranscript> {
    const conversation = await createConversation(storeOptions(this.#parts), {
      id: conversationOf(job),
      directory: job.payload.workspace,
      promptCacheKey: job.executionId,
      model: job.payload.model,
      reasoningEffort: job.payload.reasoningEffort,
    });
    return conversationTranscript(conversation, []);
  }

  #announce(announcement: JobAnnouncement): void {
    this.#parts.announce(announcement);
    if (announcement.kind !== "settled") return;
    this.#children.completed({ job: announcement.job, outcome: announcement.outcome });
    this.#roleOf.delete(announcement.job.executionId);
    if (!announcement.job.detached) this.#parts.handedOver(announcement.job);
  }

  /** The primary sees every execution; a child its own and those below it. */
  #mayInspect(caller: ToolCaller, executionId: string): boolean {
    if (caller.executionId === undefined || caller.executionId === executionId) return true;
    return visibleJobs(this.#supervisor, caller).some((job) => job.executionId === executionId);
  }

  #namesOf(job: Job): readonly string[] {
    return job.owner.lineage.map(
      (executionId) => this.#supervisor.find(this.conversationId, executionId)?.name ?? executionId,
    );
  }

  #view(job: Job): JobView {
    return {
      job,
      outcome: this.#supervisor.outcomeOf(job.executionId),
      progress: this.#children.progress(job.executionId),
      artifactPath: this.resultPath(job.executionId),
      artifactAvailable: isTerminal(job.life.state) && job.kind === "agent",
      ownerName: this.#namesOf(job).at(-1) ?? "primary",
      now: this.#parts.now(),
    };
  }
}

function directoryOf({ dataRoot }: Pick<HeadlessHostParts, "dataRoot">, name: string): string {
  return `${dataRoot}/${name}`;
}

function conversationsDirectory(parts: Pick<HeadlessHostParts, "dataRoot">): string {
  return directoryOf(parts, "conversations");
}

function publicationPlaces(parts: HeadlessHostParts): PublicationPlaces {
  return {
    tasksDirectory: directoryOf(parts, "tasks"),
    conversationsDirectory: conversationsDirectory(parts),
    now: parts.now,
  };
}

type StoreParts = Pick<HeadlessHostParts, "dataRoot" | "now" | "report">;

/** A background sync that failed is told; the next one repairs it, and nothing acknowledged is lost while the machine runs. */
function syncReporter(parts: Pick<HeadlessHostParts, "report">): (error: unknown) => void {
  return (error) => parts.report(failureOf(error));
}

function storeOptions(parts: StoreParts): ConversationStoreOptions {
  return {
    directory: conversationsDirectory(parts),
    now: parts.now,
    onSyncFailure: syncReporter(parts),
  };
}
