/** Messages for a running child: durable before they are accepted, drained at its next safe boundary (facts C.13, K). */
import { AutolithError } from "../contract/failure.ts";

/** Most messages waiting for one child. */
export const steeringMessageLimit = 32;
/** Longest message, in characters. */
export const steeringMessageCharacters = 131_072;
/** Characters of all waiting messages together. */
export const steeringTotalCharacters = 262_144;

export class SteeringMailbox {
  #waiting: string[] = [];
  #closed = false;

  get pendingCount(): number {
    return this.#waiting.length;
  }

  /** Accepts one message; answers how many wait. Throws `steering-closed`, `steering-empty` or `steering-limit` with the bound. */
  push(message: string): number {
    if (this.#closed)
      throw new AutolithError("steering-closed", "This child has ended and takes no more messages.");
    if (message.trim() === "") throw new AutolithError("steering-empty", "The message is empty.");
    const total = this.#waiting.reduce((sum, text) => sum + text.length, message.length);
    if (message.length > steeringMessageCharacters || total > steeringTotalCharacters)
      throw new AutolithError(
        "steering-limit",
        `The message has ${message.length} characters (${total} waiting in all); at most ${steeringMessageCharacters} each and ${steeringTotalCharacters} in all.`,
      );
    if (this.#waiting.length >= steeringMessageLimit)
      throw new AutolithError(
        "steering-limit",
        `${this.#waiting.length} messages wait already; at most ${steeringMessageLimit} may.`,
      );
    this.#waiting.push(message);
    return this.#waiting.length;
  }

  /** The waiting messages, oldest first; they count as pending until {@link acknowledge}. */
  peek(): readonly string[] {
    return [...this.#waiting];
  }

  /** The first `count` messages are in the child's durable record. */
  acknowledge(count: number): void {
    this.#waiting = this.#waiting.slice(count);
  }

  /** No more messages; answers how many were never delivered. */
  close(): number {
    this.#closed = true;
    return this.#waiting.length;
  }
}
