/**
 * What the running turn has shown that is not in the record yet: streamed text of the request in flight, and the state of calls that
 * have no recorded result. Clients that attach get it behind the history.
 */
import { isDeepStrictEqual } from "node:util";
import type { SessionUpdate } from "../../contract/session/updates.ts";
import { chunkId } from "./record-updates.ts";

type ToolNews = Extract<SessionUpdate, { type: "tool-call-update" }>;
type Chunk = Extract<SessionUpdate, { type: "message-chunk" | "thought-chunk" }>;

/** Streamed characters of one channel that are shown, and kept for clients that attach meanwhile; the recorded text brings the rest. */
export const keptCharacters = 1_048_576;

export class LiveOutput {
  /** What was streamed of the first text and reasoning of the request in flight. */
  #streamed = { text: "", reasoning: "" };
  /** Channels of the request in flight of which something was left out: what follows is shown with the recorded text. */
  #broken = { text: false, reasoning: false };
  #request = 0;
  readonly #calls = new Map<string, ToolNews>();

  /** Number of the request in flight, or of the last one. */
  get request(): number {
    return this.#request;
  }

  /** A request begins. */
  begin(request: number): void {
    this.#request = request;
    this.#restart();
  }

  /**
   * Streamed text behind `omitted` characters that were left out: the update that shows it. Undefined when it cannot be shown where it stands,
   * because something before it is missing; the recorded text brings it.
   */
  stream(
    channel: "text" | "reasoning",
    text: string,
    omitted: number,
    at: number,
  ): SessionUpdate | undefined {
    const isFull = this.#streamed[channel].length + text.length > keptCharacters;
    this.#broken[channel] ||= omitted > 0 || isFull;
    if (this.#broken[channel]) return undefined;
    this.#streamed[channel] += text;
    return this.#chunk(channel, text, at);
  }

  /** What was streamed is void. */
  discard(at: number): SessionUpdate {
    this.#restart();
    return { type: "output-discarded", prefix: `r:${this.#request}:`, at };
  }

  /** The updates that turn what was streamed of a chunk into the recorded one: its rest, or all of it again. */
  reconcile(recorded: Chunk): readonly SessionUpdate[] {
    const channel = recorded.type === "message-chunk" ? "text" : "reasoning";
    if (recorded.messageId !== chunkId(this.#request, channel, 1)) return [recorded];
    const streamed = this.#streamed[channel];
    this.#streamed[channel] = "";
    this.#broken[channel] = false;
    if (recorded.text.startsWith(streamed))
      return [{ ...recorded, text: recorded.text.slice(streamed.length) }];
    return [{ type: "output-discarded", prefix: recorded.messageId, at: recorded.at }, recorded];
  }

  /** News of a call without a recorded result. */
  call(update: ToolNews): void {
    this.#calls.set(update.callId, { ...this.#calls.get(update.callId), ...update });
  }

  /** True while the call runs as far as is shown. */
  isRunning(callId: string): boolean {
    const status = this.#calls.get(callId)?.status;
    return status === "running" || status === "pending";
  }

  /** The call's result is in the record. True when the same result was shown already. */
  callRecorded({ callId, status, content }: ToolNews): boolean {
    const shown = this.#calls.get(callId);
    this.#calls.delete(callId);
    return shown?.status === status && isDeepStrictEqual(shown?.content, content);
  }

  /** Everything that a client must be shown behind the history. */
  updates(at: number): readonly SessionUpdate[] {
    const channels = ["reasoning", "text"] as const;
    return [
      ...channels.flatMap((channel) =>
        this.#streamed[channel] === "" ? [] : [this.#chunk(channel, this.#streamed[channel], at)],
      ),
      ...this.#calls.values(),
    ];
  }

  /** The turn is over: what was streamed and never recorded is shown no more to those who attach. */
  end(): void {
    this.#restart();
    this.#calls.clear();
  }

  #restart(): void {
    this.#streamed = { text: "", reasoning: "" };
    this.#broken = { text: false, reasoning: false };
  }

  #chunk(channel: "text" | "reasoning", text: string, at: number): SessionUpdate {
    const type = channel === "text" ? ("message-chunk" as const) : ("thought-chunk" as const);
    return { type, messageId: chunkId(this.#request, channel, 1), text, at };
  }
}
