import { outputEventCharacterLimit } from "../../orchestrator/contract/agent-limits.ts";
import type { AgentEvent } from "../../orchestrator/contract/agent-thread.ts";
import type { OutputDelta } from "../model/stream-assembly.ts";

/** Interval of `output` events in ms: what a person sees as continuous. */
const outputIntervalMs = 50;
/** Interval of `progress` events in ms. */
const progressIntervalMs = 250;

type OutputChannel = "text" | "reasoning";

interface PendingOutput {
  channel: OutputChannel;
  text: string;
  omittedCharacters: number;
}

/**
 * The events of one run on their way to the host. Streamed output is coalesced and bounded; every other event first
 * sends what is pending, so that the order holds.
 */
export class EventStream {
  readonly #send: (event: AgentEvent) => void;
  readonly #streamOutput: boolean;
  #requestNumber = 0;
  #characters = { reasoning: 0, text: 0, arguments: 0 };
  #pending: PendingOutput | undefined;
  #outputTimer: NodeJS.Timeout | undefined;
  #progressTimer: NodeJS.Timeout | undefined;

  constructor(send: (event: AgentEvent) => void, streamOutput: boolean) {
    this.#send = send;
    this.#streamOutput = streamOutput;
  }

  /** Sends an event behind the output that is pending. */
  emit(event: AgentEvent): void {
    this.#flushOutput();
    if (event.event === "request-started") {
      this.#requestNumber = event.requestNumber;
      this.#characters = { reasoning: 0, text: 0, arguments: 0 };
    }
    if (event.event !== "progress") this.#stopProgress();
    this.#send(event);
  }

  /** True when text or reasoning of the current attempt has been sent or waits. */
  get hasShownOutput(): boolean {
    return this.#streamOutput && this.#characters.reasoning + this.#characters.text > 0;
  }

  /** Takes streamed output of the current attempt. */
  output(delta: OutputDelta): void {
    this.#characters[delta.channel] += delta.text.length;
    this.#progressTimer ??= setTimeout(() => this.#emitProgress(), progressIntervalMs);
    if (!this.#streamOutput || delta.channel === "arguments") return;
    if (this.#pending !== undefined && this.#pending.channel !== delta.channel) this.#flushOutput();
    this.#pending ??= { channel: delta.channel, text: "", omittedCharacters: 0 };
    this.#pending.text += delta.text;
    dropOldest(this.#pending);
    this.#outputTimer ??= setTimeout(() => this.#flushOutput(), outputIntervalMs);
  }

  /** Sends what is pending and stops the timers. */
  close(): void {
    this.#flushOutput();
    this.#stopProgress();
  }

  #flushOutput(): void {
    clearTimeout(this.#outputTimer);
    this.#outputTimer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined)
      this.#send({ event: "output", requestNumber: this.#requestNumber, ...pending });
  }

  #emitProgress(): void {
    this.#progressTimer = undefined;
    this.#send({
      event: "progress",
      requestNumber: this.#requestNumber,
      reasoningCharacters: this.#characters.reasoning,
      textCharacters: this.#characters.text,
      argumentCharacters: this.#characters.arguments,
    });
  }

  #stopProgress(): void {
    clearTimeout(this.#progressTimer);
    this.#progressTimer = undefined;
  }
}

/** Keeps the newest characters of one interval, and counts the others; never splits a surrogate pair. */
function dropOldest(pending: PendingOutput): void {
  const excess = pending.text.length - outputEventCharacterLimit;
  if (excess <= 0) return;
  const isInsidePair = (pending.text.charCodeAt(excess) & 0xfc00) === 0xdc00;
  const dropped = isInsidePair ? excess + 1 : excess;
  pending.omittedCharacters += dropped;
  pending.text = pending.text.slice(dropped);
}
