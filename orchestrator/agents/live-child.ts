/** What is kept of a running child beside its run: its mailbox, its progress, the completions on their way to it. */
import type { ToolCallItem } from "../contract/model.ts";
import type { AgentEvent } from "../contract/agent-thread.ts";
import type { ConversationId, ExecutionId } from "../contract/identifiers.ts";
import type { Job } from "../jobs/job-table.ts";
import type { JobJournal } from "../jobs/journal-records.ts";
import { conversationOf } from "../jobs/ownership.ts";
import type { JobExecution, Supervisor } from "../jobs/supervisor.ts";
import { ActivityLog, type ActivityLogParts } from "../tasks/activity-log.ts";
import { ChildProgress } from "../tasks/child-progress.ts";
import { CompletionInbox, completionWindowMs } from "../tasks/completions.ts";
import type { SettledCall } from "../tools/dispatcher.ts";
import type { CompletionSource } from "./child-boundary.ts";
import { PromptReplies } from "./prompt-replies.ts";
import { SteeringMailbox } from "./steering.ts";

/** What a child answered to a person. */
export type ChildReply = {
  readonly job: Pick<Job, "name" | "executionId">;
  readonly promptIds: readonly string[];
  readonly text: string;
};

export type LiveChildParts = {
  readonly rootConversationId: ConversationId;
  readonly supervisor: Supervisor;
  readonly journal: JobJournal;
  readonly now: () => number;
  /** Told of each job whose completion is in the durable record of its owner. */
  readonly delivered: (job: Job) => void;
  /** Told of a child's answer to prompts of a person. */
  readonly replied: (reply: ChildReply) => void;
  /** Keeps a child's latest sign of life. */
  readonly recordActivity: (
    executionId: ExecutionId,
    ...record: Parameters<ActivityLogParts["write"]>
  ) => Promise<void>;
  readonly report: (error: unknown) => void;
};

export class LiveChild {
  readonly steering: SteeringMailbox;
  readonly replies: PromptReplies;
  readonly progress: ChildProgress;
  readonly inbox: CompletionInbox;
  readonly #parts: LiveChildParts;
  readonly #job: JobExecution<"agent">;
  readonly #activity: ActivityLog;

  constructor(job: JobExecution<"agent">, parts: LiveChildParts) {
    this.#parts = parts;
    this.#job = job;
    const { supervisor, rootConversationId, now, report } = parts;
    this.progress = new ChildProgress(now);
    this.inbox = new CompletionInbox(conversationOf(job), () => supervisor.jobs(rootConversationId));
    this.replies = new PromptReplies((promptIds, text) => parts.replied({ job, promptIds, text }));
    this.steering = new SteeringMailbox(({ id, text, from }) =>
      parts.journal.append([
        { kind: "steered", at: now(), executionId: job.executionId, messageId: id, from, text },
      ]),
    );
    this.#activity = new ActivityLog({
      write: (record) => parts.recordActivity(job.executionId, record),
      snapshot: () => this.progress.snapshot(),
      report,
      now,
    });
  }

  event(event: AgentEvent): void {
    this.progress.event(event);
    if (event.event === "request-started") this.#activity.note();
  }

  toolStarted(call: ToolCallItem): void {
    this.progress.toolStarted(call.tool);
    this.#activity.note();
  }

  toolFinished({ call }: SettledCall): void {
    this.progress.toolFinished(call.tool);
    this.#activity.note();
  }

  /** Resolves when nothing of it is written any more. */
  close(): Promise<void> {
    return this.#activity.close();
  }

  /** The completions of the child's own detached jobs. */
  completions(): CompletionSource {
    const { supervisor } = this.#parts;
    const { inbox } = this;
    const { executionId } = this.#job;
    return {
      ready: () => inbox.peek().map(({ job, text }) => ({ text, executionId: job.executionId })),
      awaiting: () => inbox.awaited().length > 0,
      arrival: (signal, steering) =>
        supervisor.lending(executionId, joinedArrival(inbox, steering, signal), signal),
      delivered: (count) => this.#delivered(count),
    };
  }

  async #delivered(count: number): Promise<void> {
    const delivered = this.inbox.peek().slice(0, count);
    this.inbox.acknowledge(count);
    if (delivered.length === 0) return;
    await this.#parts.journal.append(
      delivered.map(({ job }) => ({
        kind: "delivered",
        at: this.#parts.now(),
        executionId: job.executionId,
        conversationId: job.completionOwner,
      })),
    );
    for (const { job } of delivered) {
      job.delivered = true;
      this.#parts.delivered(job);
    }
  }
}

/** A message is read at once; completions wait for those that follow them closely. */
async function joinedArrival(
  inbox: CompletionInbox,
  steering: Pick<SteeringMailbox, "arrival" | "pendingCount">,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  await Promise.race([inbox.arrival(either), steering.arrival(either)]);
  enough.abort();
  if (steering.pendingCount === 0) await window(inbox, signal);
}

/** Completions that land within the window after the first share its boundary; none is waited for when nothing else runs. */
async function window(inbox: CompletionInbox, signal: AbortSignal): Promise<void> {
  if (signal.aborted || inbox.awaited().length === 0) return;
  const timer = AbortSignal.any([AbortSignal.timeout(completionWindowMs), signal]);
  await new Promise<void>((resolve) => timer.addEventListener("abort", () => resolve(), { once: true }));
}
