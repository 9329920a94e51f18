/** Which prompts of a person a child has read and not answered yet: its next words are the answer (facts C.13). */

/** Prompts of a person that may be unanswered at once, over all children of a conversation. */
export const outstandingPromptLimit = 32;

export class PromptReplies {
  readonly #promote: (promptIds: readonly string[], text: string) => void;
  /** Accepted and not answered. */
  #outstanding = 0;
  /** Read by the child and not answered. */
  #read: string[] = [];
  #answered = false;

  /** `promote` shows an answer to the person. */
  constructor(promote: (promptIds: readonly string[], text: string) => void) {
    this.#promote = promote;
  }

  get outstanding(): number {
    return this.#outstanding;
  }

  /** The last response answered a prompt: it needed no tool call. */
  get answeredNow(): boolean {
    return this.#answered;
  }

  accepted(): void {
    this.#outstanding += 1;
  }

  read(promptIds: readonly string[]): void {
    this.#read.push(...promptIds);
  }

  /** Takes the text of a response; one text answers everything that was read before it. */
  said(text: string): void {
    this.#answered = text.trim() !== "" && this.#read.length > 0;
    if (!this.#answered) return;
    const answered = this.#read.splice(0);
    this.#outstanding = Math.max(0, this.#outstanding - answered.length);
    this.#promote(answered, text);
  }
}
