/** Messages for a running child: durable before they are accepted, drained at its next safe boundary (facts C.13, K). */
import { randomUUID } from "node:crypto";
import { AutolithError } from "../contract/failure.ts";

/** Most messages waiting for one child. */
export const steeringMessageLimit = 32;
/** Longest message, in characters. */
export const steeringMessageCharacters = 131_072;
/** Characters of all waiting messages together. */
export const steeringTotalCharacters = 262_144;

export type SteeringMessage = {
  /** Its receipt in the child's conversation. */
  readonly id: string;
  readonly text: string;
  readonly from: "parent" | "person";
};

type Waiting = { readonly message: SteeringMessage; recorded: boolean };

export class SteeringMailbox {
  readonly #record: (message: SteeringMessage) => Promise<void>;
  #waiting: Waiting[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  /** `record` makes a message durable. */
  constructor(record: (message: SteeringMessage) => Promise<void>) {
    this.#record = record;
  }

  /** Accepted messages that the child has not read, those included that are just being recorded. */
  get pendingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Accepts one message; it is durable when this resolves, with how many wait. Rejects with `steering-closed`, `steering-empty`,
   * `steering-limit` with the bound, and what `record` rejects with.
   */
  async push(text: string, from: SteeringMessage["from"]): Promise<number> {
    this.#check(text);
    const entry: Waiting = { message: { id: `steer:${randomUUID()}`, text, from }, recorded: false };
    // It counts from now on, so that the child does not end past it.
    this.#waiting.push(entry);
    try {
      await this.#record(entry.message);
    } catch (error) {
      this.#waiting = this.#waiting.filter((each) => each !== entry);
      throw error;
    } finally {
      entry.recorded = true;
      this.#wake?.();
    }
    if (this.#closed)
      throw new AutolithError(
        "steering-closed",
        "This child ended before it could read the message; it counts as undelivered.",
      );
    return this.#waiting.length;
  }

  /** The waiting messages, oldest first, all durable; they count as pending until {@link acknowledge}. */
  async read(signal: AbortSignal): Promise<readonly SteeringMessage[]> {
    while (!signal.aborted && this.#waiting.some(({ recorded }) => !recorded)) await this.#change(signal);
    return this.#waiting.filter(({ recorded }) => recorded).map(({ message }) => message);
  }

  /** Resolves when a message waits, or when `signal` aborts. */
  async arrival(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#waiting.length === 0) await this.#change(signal);
  }

  /** These messages are in the child's durable record. */
  acknowledge(read: readonly SteeringMessage[]): void {
    this.#waiting = this.#waiting.filter(({ message }) => !read.includes(message));
  }

  /** No more messages; answers how many were never delivered. */
  close(): number {
    this.#closed = true;
    return this.#waiting.length;
  }

  #check(text: string): void {
    if (this.#closed)
      throw new AutolithError("steering-closed", "This child has ended and takes no more messages.");
    if (text.trim() === "") throw new AutolithError("steering-empty", "The message is empty.");
    const total = this.#waiting.reduce((sum, { message }) => sum + message.text.length, text.length);
    if (text.length > steeringMessageCharacters || total > steeringTotalCharacters)
      throw new AutolithError(
        "steering-limit",
        `The message has ${text.length} characters (${total} waiting in all); at most ${steeringMessageCharacters} each and ${steeringTotalCharacters} in all.`,
      );
    if (this.#waiting.length >= steeringMessageLimit)
      throw new AutolithError(
        "steering-limit",
        `${this.#waiting.length} messages wait already; at most ${steeringMessageLimit} may.`,
      );
  }

  /** Resolves when a message came or was recorded, or when `signal` aborts. One waits at a time: the child's boundary. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        this.#wake = undefined;
        resolve();
      };
      signal.addEventListener("abort", done, { once: true });
      this.#wake = done;
    });
  }
}
