/**
 * The host side of one agent, child or primary: makes each turn durable, executes its tool calls and asks its policy what follows. The
 * model loop itself runs in a pool thread and meets this object at its boundaries only.
 */
import type {
  AdviceEntry,
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
import type { AgentTranscript } from "./transcript.ts";

/** What a policy knows when a response and the results of its calls are in the record. */
export type TurnEnd = {
  /** False: the model ended its turn with text. */
  readonly calledTools: boolean;
  /** The calls of the turn, in wire order. */
  readonly settled: readonly SettledCall[];
  readonly usage: ModelUsage;
};

/** What follows a boundary: the end of the run, or user messages (all in the record) behind the results. Nothing at all ends it, too. */
export type Continuation = "finish" | readonly Extract<HostItem, { type: "user-message" }>[];

export type AgentHostParts = {
  readonly transcript: AgentTranscript;
  readonly dispatch: DispatchOptions;
  readonly context: Omit<ToolContext, "callId">;
  readonly observe: (event: AgentEvent) => void;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  /** Decides what follows. Whatever it answers is in the durable record. */
  readonly next: (turn: TurnEnd) => Promise<Continuation>;
  /** Told of each response when it is in the record and its calls have not begun. */
  readonly responded?: (boundary: Boundary) => void;
  /** What the next request carries besides the conversation, which has `itemCount` items then. Must not reject. */
  readonly advice?: (itemCount: number) => Promise<readonly AdviceEntry[]>;
};

export class AgentHost implements AgentHostPort {
  readonly #parts: AgentHostParts;
  readonly #usages: ModelUsage[] = [];
  #requests = 0;
  #attempts = 0;
  #itemCount = 0;
  #lastText = "";
  /** Appends that events began; a boundary and the end of the run wait for them. */
  #recording: Promise<void> = Promise.resolve();
  #serving: Promise<void> = Promise.resolve();

  constructor(parts: AgentHostParts) {
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

  /** Attempts of the last request so far. */
  get lastAttempts(): number {
    return this.#attempts;
  }

  /** The last text the model produced; empty while there was none. */
  get lastText(): string {
    return this.#lastText;
  }

  /** Advice for the first request of a run over so many items. */
  async begin(itemCount: number): Promise<readonly AdviceEntry[]> {
    this.#itemCount = itemCount;
    return (await this.#parts.advice?.(itemCount)) ?? [];
  }

  /** Resolves when all that events told is in the record; rejects when it could not be written. */
  recorded(): Promise<void> {
    return this.#recording;
  }

  /** Resolves when no boundary is being served: its tool calls have ended and their results are in the record. */
  async idle(): Promise<void> {
    await this.#serving;
  }

  boundary(boundary: Boundary): Promise<BoundaryReply> {
    const serving = this.#serve(boundary);
    this.#serving = serving.then(
      () => undefined,
      () => undefined,
    );
    return serving;
  }

  async #serve(boundary: Boundary): Promise<BoundaryReply> {
    const { transcript, responded, next } = this.#parts;
    await this.recorded();
    this.#usages.push(boundary.usage);
    await transcript.response(boundary.items, boundary.usage, {
      requestNumber: boundary.requestNumber,
      responseId: boundary.responseId,
    });
    const text = boundary.items
      .flatMap((item) => (item.type === "assistant-message" ? [item.text] : []))
      .join("\n");
    if (text !== "") this.#lastText = text;
    responded?.(boundary);
    const calls = boundary.items.filter((item) => item.type === "tool-call");
    const settled = await this.#runCalls(calls);
    const pictures = await this.#showPictures(settled);
    const messages = await next({ calledTools: calls.length > 0, settled, usage: boundary.usage });
    if (messages === "finish") return { next: "finish" };
    const items: HostItem[] = [...settled.map(({ result }) => result), ...pictures, ...messages];
    if (items.length === 0) return { next: "finish" };
    this.#itemCount += boundary.items.length + items.length;
    const advice = (await this.#parts.advice?.(this.#itemCount)) ?? [];
    return { next: "continue", items, ...(advice.length === 0 ? {} : { advice: [...advice] }) };
  }

  async replay(request: ReplayRequest): Promise<ReplayReply> {
    return this.#parts.replay(request);
  }

  event(event: AgentEvent): void {
    if (event.event === "request-started") {
      this.#requests += 1;
      this.#attempts = event.attempt;
    }
    if (event.event === "attempt-failed") this.#record(this.#parts.transcript.failedAttempt(event));
    this.#parts.observe(event);
  }

  #record(append: Promise<void>): void {
    this.#recording = Promise.all([this.#recording, append]).then(() => undefined);
    // The rejection is met by whoever waits next; until then it must not count as unhandled.
    this.#recording.catch(() => undefined);
  }

  /** Pictures that calls gave: a message of their own each, because a result is text on every wire. */
  async #showPictures(
    settled: readonly SettledCall[],
  ): Promise<readonly Extract<HostItem, { type: "user-message" }>[]> {
    const shown: Extract<HostItem, { type: "user-message" }>[] = [];
    for (const { call, images = [] } of settled) {
      if (images.length === 0) continue;
      const text = `The picture of ${call.tool} (call ${call.callId}).`;
      await this.#parts.transcript.userMessage(text, { automatic: true, images });
      shown.push({ type: "user-message", text, images: [...images] });
    }
    return shown;
  }

  async #runCalls(calls: readonly ToolCallItem[]): Promise<readonly SettledCall[]> {
    if (calls.length === 0) return [];
    const settled: readonly SettledCall[] = await dispatchCalls(
      calls,
      this.#parts.context,
      this.#parts.dispatch,
    );
    await this.#parts.transcript.toolResults(settled);
    return settled;
  }
}
