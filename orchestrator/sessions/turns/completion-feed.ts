/** Completions of the primary's detached jobs: each reaches the conversation exactly once, by the receipt in its record. */
import { completionReceipt } from "../../agents/conversation-transcript.ts";
import type { AgentTranscript } from "../../agents/transcript.ts";
import type { HostItem } from "../../contract/model.ts";
import type { ConversationHost } from "../../host/conversation-host.ts";
import type { Job } from "../../jobs/job-table.ts";
import { isTerminal } from "../../jobs/lifecycle.ts";
import type { Settlement } from "../../jobs/settlements.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";
import { publishedOutcome } from "../../recovery/published-outcome.ts";
import { CompletionInbox, type CompletionOutcome } from "../../tasks/completions.ts";
import { executionDirectoryOf } from "../../tasks/result-publication.ts";

type UserMessage = Extract<HostItem, { type: "user-message" }>;

export class CompletionFeed {
  readonly #host: ConversationHost;
  readonly #inbox: CompletionInbox;
  readonly #handedOver: (job: Job) => void;
  readonly #now: () => number;

  constructor(host: ConversationHost, handedOver: (job: Job) => void, now: () => number) {
    this.#host = host;
    this.#handedOver = handedOver;
    this.#now = now;
    this.#inbox = new CompletionInbox(host.id, () => host.jobs());
  }

  /** Takes what a dead host left: ended detached jobs whose completion has no receipt. Those with one are marked delivered. */
  async adopt(records: readonly StoredRecord[]): Promise<void> {
    const receipts = new Set(
      records.flatMap(({ record }) => (record.kind === "message" ? (record.jobCompletion ?? []) : [])),
    );
    for (const job of this.#host.jobs()) {
      const ended = isTerminal(job.life.state) || job.interrupted;
      if (!ended || !job.detached || job.delivered || job.completionOwner !== this.#host.id) continue;
      if (receipts.has(completionReceipt(job.executionId))) {
        await this.#markDelivered([job]);
        continue;
      }
      this.#inbox.offer(this.#host.views.completionOf(job, await this.#endOf(job)));
    }
  }

  /** Takes a settled job. True when it is this conversation's and shall continue it. */
  offer({ job, outcome }: Settlement): boolean {
    return (
      this.#inbox.offer(this.#host.views.completionOf(job, outcome)) && job.completionPolicy === "continue"
    );
  }

  get readyCount(): number {
    return this.#inbox.all.length;
  }

  /** True while ready completions ask for a turn by themselves. */
  get wantsTurn(): boolean {
    return this.#inbox.all.some(({ job }) => job.completionPolicy === "continue");
  }

  async #endOf(job: Job): Promise<CompletionOutcome> {
    if (job.interrupted) return { state: "interrupted" };
    const found = await publishedOutcome(job, executionDirectoryOf(this.#host.publication, job));
    return found?.outcome ?? unknownOutcome(job);
  }

  /** Puts one boundary's worth of completions into the record; answers them as the model reads them. */
  async deliver(transcript: AgentTranscript): Promise<readonly UserMessage[]> {
    const ready = this.#inbox.peek();
    const messages: UserMessage[] = [];
    for (const { job, text } of ready) {
      await transcript.userMessage(text, { automatic: true, completionOf: job.executionId });
      messages.push({ type: "user-message", text });
    }
    this.#inbox.acknowledge(ready.length);
    await this.#markDelivered(ready.map(({ job }) => job));
    return messages;
  }

  async #markDelivered(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.#host.journal.append(
      jobs.map(({ executionId, completionOwner }) => ({
        kind: "delivered",
        at: this.#now(),
        executionId,
        conversationId: completionOwner,
      })),
    );
    for (const job of jobs) {
      job.delivered = true;
      this.#handedOver(job);
    }
  }
}

function unknownOutcome(job: Job): CompletionOutcome {
  return {
    state: "failed",
    failure: {
      code: "result-unavailable",
      message: `${job.name} ended as ${job.life.state} before this host started, and its result cannot be read.`,
      retry: "terminal",
    },
  };
}
