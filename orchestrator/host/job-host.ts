/** The supervisor of one host process and the conversations it serves: jobs run, are prepared and are announced where they belong. */
import { agentExecutor } from "../agents/agent-executor.ts";
import type { OutputLimits } from "../agents/retained-output.ts";
import type { AgentRunner } from "../contract/agent-thread.ts";
import { AutolithError, type Failure } from "../contract/failure.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { ConcurrencyClass } from "../contract/job-catalog.ts";
import type { QueuePort } from "../contract/queue.ts";
import { type Executor, Supervisor } from "../jobs/supervisor.ts";
import { type HostLisp, lispExecutor } from "../repls/lisp-executor.ts";
import { retainedSettlement } from "../tasks/retained-outcome.ts";
import { prepareJob, publishOutcome } from "../tasks/result-publication.ts";
import type { ConversationHost } from "./conversation-host.ts";

export type JobHostParts = {
  readonly queue: QueuePort;
  readonly runner: AgentRunner;
  readonly shellExecutor: Executor<"shell">;
  readonly lisp: HostLisp;
  readonly limits: Readonly<Record<ConcurrencyClass, number>>;
  readonly outputLimits: OutputLimits;
  readonly report: (failure: Failure) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export class JobHost {
  readonly supervisor: Supervisor;
  readonly #conversations = new Map<ConversationId, ConversationHost>();

  constructor({ queue, limits, outputLimits, now, report, shellExecutor, lisp, runner }: JobHostParts) {
    this.supervisor = new Supervisor({
      queue,
      limits,
      now,
      report,
      executors: {
        shell: shellExecutor,
        lisp: lispExecutor({
          ...lisp,
          overflow: (job) => this.#of(job).overflow,
          evaluateForm: (job) => this.#of(job).evaluateForm(job),
        }),
        agent: agentExecutor({
          runner,
          outputLimits,
          now,
          prepare: (job) => this.#of(job).prepareRun(job),
          ended: (job) => this.#of(job).children.runEnded(job),
        }),
      },
      prepare: (job) => prepareJob(job, this.#of(job).publication),
      publish: (job, outcome) => publishOutcome(job, outcome, this.#of(job).publication),
      retain: retainedSettlement,
      announce: (announcement) => this.#of(announcement.job).announce(announcement),
    });
  }

  /** Serves one more conversation, opened with this host's supervisor. */
  add(conversation: ConversationHost): void {
    this.#conversations.set(conversation.id, conversation);
  }

  /** Serves it no more. Its jobs have ended and its journal may be closed. */
  remove(id: ConversationId): void {
    this.supervisor.release(id);
    this.#conversations.delete(id);
  }

  #of({ conversationId }: { readonly conversationId: ConversationId }): ConversationHost {
    const host = this.#conversations.get(conversationId);
    if (host === undefined)
      throw new AutolithError(
        "unknown-conversation",
        `This host does not serve conversation ${conversationId}.`,
      );
    return host;
  }
}
