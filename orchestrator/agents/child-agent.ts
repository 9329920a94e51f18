/**
 * The host side of one child agent: makes each turn durable, executes its tool calls, delivers steering and decides when the run is
 * over. The model loop itself runs in a pool thread and meets this object at its boundaries only.
 */
import type {
  AgentEvent,
  AgentHostPort,
  Boundary,
  BoundaryReply,
  ReplayReply,
  ReplayRequest,
} from "../contract/agent-thread.ts";
import type { HostItem, ModelUsage, ToolCallItem } from "../contract/model.ts";
import type { ToolContext } from "../contract/tool.ts";
import { type DispatchOptions, type SettledCall, dispatchCalls } from "../tools/dispatcher.ts";
import type { SteeringMailbox } from "./steering.ts";
import type { AgentTranscript } from "./transcript.ts";
import type { YieldState } from "./yield.ts";

/** Said to a child whose turn ended without a tool call and without a submission; once, then the run ends as failed. */
export const yieldReminder =
  "You ended your turn without calling yield.submit. Finish now with one yield.submit call: status success with your result, or failed with error.";

/** Reminders a child gets before it counts as stopped without a submission. */
const yieldReminderLimit = 1;

export type ChildAgentParts = {
  readonly transcript: AgentTranscript;
  readonly dispatch: DispatchOptions;
  readonly context: Omit<ToolContext, "callId">;
  readonly steering: SteeringMailbox;
  readonly yielding: YieldState;
  /** Detached jobs of this agent, and the text of each completion that is ready. */
  readonly completions: CompletionSource;
  /** Wraps a steering message for the model. */
  readonly steeringText: (message: string) => string;
  readonly observe: (event: AgentEvent) => void;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
};

/** Completions of the agent's own detached jobs. */
export type CompletionSource = {
  /** Texts of completions that are ready, at most one boundary's worth. */
  ready(): readonly string[];
  /** The first `count` ready ones are in the durable record. */
  delivered(count: number): Promise<void>;
  /** True while detached jobs run whose completion continues this agent. */
  awaiting(): boolean;
  /** Resolves when completions are ready, or on abort. The agent's slot is lent meanwhile. */
  arrival(signal: AbortSignal): Promise<void>;
};

export class ChildAgent implements AgentHostPort {
  readonly #parts: ChildAgentParts;
  readonly #usages: ModelUsage[] = [];
  #requests = 0;
  #lastRequestNumber = 0;
  #reminders = 0;
  #lastText = "";
  #toolCalls = 0;
  /** Appends that events began; a boundary and the end of the run wait for them. */
  #recording: Promise<void> = Promise.resolve();

  constructor(parts: ChildAgentParts) {
    this.#parts = parts;
  }

  /** Requests completed so far, with the usage of each. */
  get usages(): readonly ModelUsage[] {
    return this.#usages;
  }

  /** Requests sent so far, failed ones included. */
  get requestCount(): number {
    return this.#requests;
  }

  /** Number of the last answered request; a continued run goes on after it. */
  get lastRequestNumber(): number {
    return this.#lastRequestNumber;
  }

  /** The last text the model produced; empty while there was none. */
  get lastText(): string {
    return this.#lastText;
  }

  get toolCallCount(): number {
    return this.#toolCalls;
  }

  /** Resolves when all that events told is in the record; rejects when it could not be written. */
  recorded(): Promise<void> {
    return this.#recording;
  }

  async boundary(boundary: Boundary): Promise<BoundaryReply> {
    const { transcript, yielding } = this.#parts;
    await this.recorded();
    this.#usages.push(boundary.usage);
    this.#lastRequestNumber = boundary.requestNumber;
    await transcript.response(boundary.items, boundary.usage, {
      requestNumber: boundary.requestNumber,
      responseId: boundary.responseId,
    });
    const text = boundary.items
      .flatMap((item) => (item.type === "assistant-message" ? [item.text] : []))
      .join("\n");
    if (text !== "") this.#lastText = text;
    const calls = boundary.items.filter((item) => item.type === "tool-call");
    const results = await this.#runCalls(calls);
    if (yielding.accepted !== undefined) return { next: "finish" };
    const messages = await this.#nextMessages(calls.length === 0);
    const items: HostItem[] = [...results, ...messages];
    return items.length === 0 ? { next: "finish" } : { next: "continue", items };
  }

  async replay(request: ReplayRequest): Promise<ReplayReply> {
    return this.#parts.replay(request);
  }

  event(event: AgentEvent): void {
    if (event.event === "request-started") this.#requests += 1;
    if (event.event === "attempt-failed") this.#record(this.#parts.transcript.failedAttempt(event));
    this.#parts.observe(event);
  }

  #record(append: Promise<void>): void {
    this.#recording = Promise.all([this.#recording, append]).then(() => undefined);
    // The rejection is met by whoever waits next; until then it must not count as unhandled.
    this.#recording.catch(() => undefined);
  }

  async #runCalls(calls: readonly ToolCallItem[]): Promise<readonly HostItem[]> {
    if (calls.length === 0) return [];
    this.#toolCalls += calls.length;
    const settled: readonly SettledCall[] = await dispatchCalls(
      calls,
      this.#parts.context,
      this.#parts.dispatch,
    );
    await this.#parts.transcript.toolResults(settled);
    return settled.map(({ result }) => result);
  }

  /** Steering, completions, or the reminder to submit; each is in the record before it is acknowledged. */
  async #nextMessages(turnEnded: boolean): Promise<readonly HostItem[]> {
    const { steering, completions, context } = this.#parts;
    if (
      turnEnded &&
      steering.pendingCount === 0 &&
      completions.ready().length === 0 &&
      completions.awaiting()
    )
      await completions.arrival(context.signal);
    const waiting = steering.peek();
    const ready = completions.ready();
    const texts = [...waiting.map((message) => this.#parts.steeringText(message)), ...ready];
    if (texts.length === 0 && turnEnded && !context.signal.aborted && this.#reminders < yieldReminderLimit) {
      this.#reminders += 1;
      texts.push(yieldReminder);
    }
    for (const text of texts) await this.#parts.transcript.userMessage(text, { automatic: true });
    steering.acknowledge(waiting.length);
    await completions.delivered(ready.length);
    return texts.map((text) => ({ type: "user-message", text }));
  }
}
