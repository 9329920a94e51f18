/**
 * A host without a front end: one root conversation, its supervisor, its tools and its children. `run-job` composes one inside its
 * own process; nothing in it knows about arguments, streams or terminals.
 */
import type { RunnableRole } from "../agents/child-role.ts";
import type { RootChild } from "../agents/child-service.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Settlement } from "../jobs/settlements.ts";
import { type Conversation, createConversation, openConversation } from "../record/conversation.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import type { JobInventory } from "../recovery/job-inventory.ts";
import { ConversationHost, type ConversationHostParts } from "./conversation-host.ts";
import { storeOptions } from "./conversation-places.ts";
import { JobHost, type JobHostParts } from "./job-host.ts";

export type HeadlessHostParts = Omit<ConversationHostParts, "primaryModel"> &
  JobHostParts & {
    /** Absolute real path of the directory the root child works in. */
    readonly workspace: string;
  };

/** The record of a new root conversation; it needs nothing else of the host. */
export function createRootConversation(
  parts: Pick<HeadlessHostParts, "dataRoot" | "workspace" | "now" | "report">,
): Promise<Conversation> {
  return createConversation(storeOptions(parts), {
    directory: parts.workspace,
    promptCacheKey: "headless",
    model: "none",
    reasoningEffort: "medium",
  });
}

export class HeadlessHost {
  readonly #jobs: JobHost;
  readonly #host: ConversationHost;

  private constructor(jobs: JobHost, host: ConversationHost) {
    this.#jobs = jobs;
    this.#host = host;
  }

  /**
   * Creates the job journal of the root conversation and begins claiming. The conversation, made here unless it is given, is closed
   * with the host, or when this rejects.
   */
  static async open(parts: HeadlessHostParts, root?: Conversation): Promise<HeadlessHost> {
    return HeadlessHost.#start(parts, root ?? (await createRootConversation(parts)), []);
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
      const jobs = new JobHost(parts);
      const host = await ConversationHost.open(
        { ...parts, primaryModel: () => "" },
        jobs.supervisor,
        conversation,
        rootRecords,
      );
      jobs.add(host);
      const starting = jobs.supervisor.start();
      // The first agent needs these; they are made while the queue is waited for.
      host.registry.schemas();
      await starting;
      return new HeadlessHost(jobs, host);
    } catch (error) {
      await conversation.close();
      throw error;
    }
  }

  get conversationId(): ConversationId {
    return this.#host.id;
  }

  /** What a dead host left of this conversation, as it was when this one opened it. */
  get inventory(): JobInventory {
    return this.#host.inventory;
  }

  /** The role called `name`, usable with the tools of this host. Rejects with `unknown-role` or `task-agent-definition-error`. */
  async findRole(name: string): Promise<RunnableRole> {
    return this.#host.findRole(name);
  }

  /** Starts the root child; the job is durable when this resolves. */
  async startRoot(root: RootChild): Promise<Job> {
    const [job] = await this.#jobs.supervisor.admit(this.conversationId, [
      this.#host.children.rootRequest(root),
    ]);
    return job as Job;
  }

  /** The jobs of this conversation that are in memory. */
  jobs(): readonly Job[] {
    return this.#host.jobs();
  }

  /** Resolves when the job has settled; its result is on disk then. Rejects with `outcome-unknown` for an interrupted one. */
  settled(job: Job): Promise<Settlement> {
    return this.#jobs.supervisor.settled(job.executionId);
  }

  /** Cancels the whole tree below the job; the first reason wins. */
  async cancel(job: Job, reason: "user" | "signal" | "timeout"): Promise<void> {
    await this.#jobs.supervisor.cancel(job, reason);
  }

  isRegisteredTool(name: string): boolean {
    return this.#host.isRegisteredTool(name);
  }

  /** The durable result file of an execution of this conversation, absolute: a child's result, else the terminal record. */
  resultPath(executionId: string): string {
    return this.#host.views.resultPath(executionId);
  }

  /** Cancels what is live, waits for it at most `deadlineMs`, and closes the records. */
  async shutdown(deadlineMs: number): Promise<void> {
    await this.#jobs.supervisor.shutdown(deadlineMs);
    await this.#host.close();
  }
}
