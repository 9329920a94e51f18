/**
 * Child agents of one root conversation: resolves role, model and policy at admission, prepares each run, and keeps what is known of
 * the running ones (steering, progress, completions).
 */
import type { SecretRemover } from "../secrets/secret-removal.ts";
import type { AgentEvent, ReplayReply, ReplayRequest } from "../contract/agent-thread.ts";
import { defaultAgentLimits } from "../contract/agent-limits.ts";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { type ExecutionId, newExecutionId } from "../contract/identifiers.ts";
import type { ReasoningEffort, ToolCallItem } from "../contract/model.ts";
import type { Authority } from "../contract/permissions.ts";
import type { ToolContext } from "../contract/tool.ts";
import { type Job, isActive, standingOf } from "../jobs/job-table.ts";
import type { JobRequest } from "../jobs/admissions.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import { ownerOf } from "../jobs/ownership.ts";
import { withinDeadline } from "../queue/deadline.ts";
import type { ModelDirectory } from "../models/model-directory.ts";
import type { ProgressSnapshot } from "../tasks/child-progress.ts";
import type { Completion } from "../tasks/completions.ts";
import type { TaskItem } from "../tasks/task-arguments.ts";
import { type PreparedTask, checkSpawn, depthRefusal } from "../tasks/task-tools.ts";
import { recordedAudit } from "../tools/nested-calls.ts";
import type { OverflowSink, SettledCall } from "../tools/dispatcher.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ChildRun } from "./agent-executor.ts";
import { callerOf } from "./child-caller.ts";
import { type RunnableRole, boundedRole } from "./child-role.ts";
import { RoleTools } from "./role-tools.ts";
import type { JobRoles } from "./job-roles.ts";
import type { ConversationMail } from "../peers/conversation-mail.ts";
import type { ConversationWorktrees } from "../worktrees/conversation-worktrees.ts";
import { type IsolationNote, childInstructions } from "./instructions.ts";
import { LiveChild, type LiveChildParts } from "./live-child.ts";
import { outstandingPromptLimit } from "./prompt-replies.ts";
import { withSecuredWork } from "./secured-outcome.ts";
import type { AgentTranscript } from "./transcript.ts";
import { YieldState } from "./yield.ts";

/** The roles there are at this moment. */
export interface RoleDirectory {
  /** Rejects with `unknown-role` (listing the roles) or `role-definition` for a malformed file that claims the name. */
  find(name: string): Promise<RunnableRole>;
  /** A role whose output contract is replaced, for one run. */
  withContract(role: RunnableRole, contract: string): RunnableRole;
}

/** What observers learn of running children, in order for each child. */
export type ChildObservation =
  | { readonly kind: "agent-event"; readonly job: JobExecution<"agent">; readonly event: AgentEvent }
  | { readonly kind: "tool-started"; readonly job: JobExecution<"agent">; readonly call: ToolCallItem }
  | { readonly kind: "tool-finished"; readonly job: JobExecution<"agent">; readonly settled: SettledCall };

export type ChildServiceParts = LiveChildParts & {
  readonly tools: ToolRegistry;
  readonly roles: RoleDirectory;
  readonly jobRoles: JobRoles;
  readonly models: ModelDirectory;
  readonly authority: Authority;
  readonly worktrees: ConversationWorktrees;
  /** Mail that is handed over at boundaries. */
  readonly mail: Pick<ConversationMail, "waitsFor" | "arrival" | "deliver">;
  /** Said to children about how commands run. */
  readonly permissionNote: () => string;
  /** The primary's model: what its children run on when their role names none. Empty where there is no primary. */
  readonly primaryModel: () => string;
  readonly overflow: OverflowSink;
  /** Removes the secrets of the environment from what tools return. */
  readonly withoutSecrets: SecretRemover;
  readonly openTranscript: (job: JobExecution<"agent">) => Promise<AgentTranscript>;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  /** Depth below the primary at which children may exist. */
  readonly maxDepth: number;
  /** Default deadline of children started by tools, in milliseconds; undefined: none. */
  readonly childTimeoutMs: number | undefined;
  readonly observe: (observation: ChildObservation) => void;
};

/** A message to a child that was admitted a moment ago waits so long for its run to begin, in ms. */
const startWaitMs = 2_000;

/** A running child, and what its own children are started by. */
type Running = {
  readonly child: LiveChild;
  readonly role: RunnableRole;
  readonly model: string;
  /** Roles of the agents above it. */
  readonly above: readonly string[];
};

/** What starts the root of a headless run. */
export type RootChild = {
  readonly role: RunnableRole;
  readonly assignment: string;
  readonly outputContract: string;
  readonly model: string;
  readonly workspace: string;
  readonly timeoutMs: number;
};

export class ChildService {
  readonly #parts: ChildServiceParts;
  readonly #tools: RoleTools;
  readonly #live = new Map<ExecutionId, Running>();
  /** Told when the run of a child has been prepared, or has come to nothing. */
  readonly #begun = new Map<ExecutionId, PromiseWithResolvers<void>>();
  readonly #told = new Set<string>();

  constructor(parts: ChildServiceParts) {
    this.#parts = parts;
    this.#tools = new RoleTools(parts.tools);
  }

  /** The request that starts the root child of a headless run; it is waited for, so it is not detached. */
  rootRequest(root: RootChild): JobRequest<"agent"> {
    return {
      kind: "agent",
      payload: {
        role: root.role.name,
        assignment: root.assignment,
        outputContract: root.outputContract,
        model: root.model,
        reasoningEffort: root.role.effort,
        position: "root",
        depth: 1,
        workspace: root.workspace,
      },
      owner: { lineage: [] },
      requestedName: root.role.name,
      detached: false,
      completionPolicy: "continue",
      completionOwner: this.#parts.rootConversationId,
      timeoutMs: root.timeoutMs,
    };
  }

  /** One `task.run` item, ready for admission. `index` is its place in the batch. */
  async prepareTask(item: TaskItem, context: ToolContext, index: number): Promise<PreparedTask> {
    const { caller } = context;
    const parent = caller.executionId === undefined ? undefined : this.#live.get(caller.executionId);
    checkSpawn(item.agent, caller, { spawns: parent?.role.spawns ?? "all", maxDepth: this.#parts.maxDepth });
    const role = await this.#parts.roles.find(item.agent);
    const alwaysBlocking = role.alwaysBlocking;
    const executionId = newExecutionId();
    this.#parts.jobRoles.note(executionId, role);
    const isolated =
      item.isolation === undefined
        ? undefined
        : await this.#parts.worktrees.prepare(item.isolation, context, executionId);
    return {
      alwaysBlocking,
      request: {
        kind: "agent",
        payload: {
          role: role.name,
          assignment: item.task,
          ...(item.context === undefined ? {} : { context: item.context }),
          model: this.#parts.models.choose(role.models, parent?.model ?? this.#parts.primaryModel()),
          reasoningEffort: role.effort,
          position: `${caller.position}/${context.callId}:${index}`,
          depth: caller.depth + 1,
          ...(parent === undefined ? {} : { ancestorRoles: [...parent.above, parent.role.name] }),
          workspace: isolated?.workspace ?? context.workspace,
          ...(isolated === undefined ? {} : { isolation: isolated.checkout }),
        },
        owner: ownerOf(context),
        detached: !(item.blocking || alwaysBlocking),
        completionPolicy: item.completionPolicy,
        completionOwner: caller.conversationId,
        ...(item.name === undefined ? {} : { requestedName: item.name }),
        executionId,
        ...(this.#parts.childTimeoutMs === undefined ? {} : { timeoutMs: this.#parts.childTimeoutMs }),
      },
    };
  }

  /** The request that starts a retained task anew, for the owner who decided so. Rejects as {@link prepareTask} does. */
  async revivedRequest(
    specification: JobExecution<"agent">["payload"],
    completionPolicy: TaskItem["completionPolicy"],
    context: ToolContext,
  ): Promise<JobRequest<"agent">> {
    const item: TaskItem = {
      name: undefined,
      agent: specification.role,
      task: specification.assignment,
      context: specification.context,
      blocking: false,
      completionPolicy,
      isolation: undefined,
    };
    const { request } = await this.prepareTask(item, context, 0);
    const { outputContract } = specification;
    return {
      ...request,
      payload: { ...request.payload, ...(outputContract === undefined ? {} : { outputContract }) },
      detached: true,
    };
  }

  /** Queues a parent's message for a running child; durable when this resolves, with how many wait. Rejects with `steering-…` codes. */
  async steer(job: Job, message: string): Promise<number> {
    return (await this.#running(job)).steering.push(message, "parent");
  }

  /**
   * Queues a person's prompt for a running child; its next words are promoted as the reply. Rejects as {@link steer}, and with
   * `prompt-limit`.
   */
  async prompt(job: Job, message: string): Promise<number> {
    const live = await this.#running(job);
    const outstanding = [...this.#live.values()].reduce(
      (sum, { child }) => sum + child.replies.outstanding,
      0,
    );
    if (outstanding >= outstandingPromptLimit)
      throw new AutolithError(
        "prompt-limit",
        `${outstanding} prompts to children are unanswered; at most ${outstandingPromptLimit} may be. Wait for replies.`,
      );
    const waiting = await live.steering.push(message, "person");
    live.replies.accepted();
    return waiting;
  }

  /** The run of a child; of one that is about to start, once it has. */
  async #running(job: Job): Promise<LiveChild> {
    const { executionId, name } = job;
    if (isActive(job) && !this.#live.has(executionId)) await this.#hasBegun(executionId);
    const live = this.#live.get(executionId);
    if (live !== undefined) return live.child;
    const standing = standingOf(job);
    throw standing === "queued"
      ? new AutolithError(
          "not-steerable",
          `${name} is still queued: all places of children are taken. It takes messages once it runs.`,
          { retry: "retryable" },
        )
      : new AutolithError("steering-closed", `${name} is ${standing} and takes no more messages.`);
  }

  async #hasBegun(executionId: ExecutionId): Promise<void> {
    const begun = this.#begun.get(executionId) ?? Promise.withResolvers<void>();
    this.#begun.set(executionId, begun);
    if ((await withinDeadline(begun.promise, startWaitMs)) === "deadline") this.#begins(executionId);
  }

  #begins(executionId: ExecutionId): void {
    this.#begun.get(executionId)?.resolve();
    this.#begun.delete(executionId);
  }

  progress(executionId: ExecutionId): ProgressSnapshot | undefined {
    return this.#live.get(executionId)?.child.progress.snapshot();
  }

  /** Offers a settled job to the running child that owns it. */
  completed(completion: Completion): void {
    for (const { child } of this.#live.values()) child.inbox.offer(completion);
  }

  /** Prepares the run of an admitted child. */
  async prepareRun(job: JobExecution<"agent">): Promise<ChildRun> {
    const { payload } = job;
    const found = await this.#withinAncestors(await this.#parts.jobRoles.of(job), payload.ancestorRoles);
    const role =
      payload.outputContract === undefined
        ? found
        : this.#parts.roles.withContract(found, payload.outputContract);
    const choice = this.#parts.models.reach(payload.model);
    const isolation = await this.#isolate(job);
    const live = new LiveChild(job, { ...this.#parts, report: (error) => this.#reportOnce(error) });
    const { model, ancestorRoles: above = [] } = payload;
    this.#live.set(job.executionId, { child: live, role, model, above });
    this.#begins(job.executionId);
    const caller = callerOf(job, this.#parts.rootConversationId);
    const yielding = new YieldState(role.contract?.check, () => live.steering.pendingCount);
    const canSpawn = this.#canSpawn(role, payload.depth);
    const spawning = { allowed: canSpawn, refusal: this.#spawnRefusal(role, payload.depth) };
    const { registry, schemas } = this.#tools.of(role, spawning, yielding.tool());
    const transcript = await this.#parts.openTranscript(job);
    return {
      transcript,
      mail: {
        waits: () => this.#parts.mail.waitsFor(job),
        arrival: (signal) => this.#parts.mail.arrival(job, signal),
        deliver: (transcript) => this.#parts.mail.deliver(job, transcript),
      },
      concluded: (outcome) => withSecuredWork(job, outcome, this.#parts),
      steering: live.steering,
      replies: live.replies,
      yielding,
      completions: live.completions(),
      replay: this.#parts.replay,
      streamTail: () => live.progress.snapshot().recentOutput,
      observe: (event) => {
        live.event(event);
        this.#parts.observe({ kind: "agent-event", job, event });
      },
      context: {
        caller,
        workspace: payload.workspace,
        authority: this.#authorityFor(payload.workspace),
        signal: job.signal,
      },
      dispatch: {
        registry,
        journal: this.#parts.journal,
        overflow: this.#parts.overflow,
        withoutSecrets: this.#parts.withoutSecrets,
        now: this.#parts.now,
        audit: recordedAudit((name, fields) => transcript.note(name, fields)),
        observer: this.#toolObserver(job, live),
      },
      spec: {
        executionId: job.executionId,
        lineage: payload.position,
        purpose: "agent",
        source: choice.source,
        model: choice.model,
        reasoningEffort: payload.reasoningEffort as ReasoningEffort,
        promptCacheKey: job.executionId,
        streamOutput: true,
        instructions: childInstructions({
          roleName: role.name,
          roleInstructions: role.instructions,
          workspace: payload.workspace,
          platform: process.platform,
          contractSchema: role.contract?.jsonSchema,
          permissionNote: this.#parts.permissionNote(),
          isolation,
          canSpawn,
        }),
        tools: schemas,
        limits: defaultAgentLimits,
      },
    };
  }

  /** A child has its parent's tools as far as its role grants them (facts C.4). Rejects when the role of an ancestor is no more. */
  async #withinAncestors(role: RunnableRole, above: readonly string[] = []): Promise<RunnableRole> {
    if (above.length === 0) return role;
    const ancestors = await Promise.all(above.map((name) => this.#parts.roles.find(name)));
    return boundedRole(role, ancestors, this.#parts.tools.names());
  }

  /** Forgets a run that has ended. */
  async runEnded(job: JobExecution<"agent">): Promise<void> {
    const live = this.#live.get(job.executionId);
    this.#live.delete(job.executionId);
    this.#begins(job.executionId);
    await live?.child.close();
  }

  /** Signs of life that cannot be written are told once for each reason, not once for each child and second. */
  #reportOnce(error: unknown): void {
    const { code } = failureOf(error);
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#parts.report(error);
  }

  /** Makes the checkout of an isolated child; what it must know of it. */
  async #isolate({ executionId, payload }: JobExecution<"agent">): Promise<IsolationNote | undefined> {
    const { isolation, workspace } = payload;
    if (isolation === undefined) return undefined;
    const notes = await this.#parts.worktrees.create(executionId, isolation, workspace);
    return { ...isolation, ...notes };
  }

  /** In an isolated checkout, that is the workspace: for its child and for the children below it. */
  #authorityFor(workspace: string): Authority {
    const checkout = this.#parts.worktrees.checkoutAround(workspace);
    return checkout === undefined ? this.#parts.authority : this.#parts.authority.within(checkout);
  }

  #canSpawn(role: RunnableRole, depth: number): boolean {
    return depth < this.#parts.maxDepth && (role.spawns === "all" || role.spawns.length > 0);
  }

  /** What a child that may start none is told when it tries. */
  #spawnRefusal(role: RunnableRole, depth: number): string {
    const { maxDepth } = this.#parts;
    return depth >= maxDepth ? depthRefusal(depth, maxDepth) : `The role ${role.name} may start no children.`;
  }

  #toolObserver(job: JobExecution<"agent">, live: LiveChild): ChildRun["dispatch"]["observer"] {
    return {
      started: (call) => {
        live.toolStarted(call);
        this.#parts.observe({ kind: "tool-started", job, call });
      },
      finished: (settled) => {
        live.toolFinished(settled);
        this.#parts.observe({ kind: "tool-finished", job, settled });
      },
    };
  }
}
