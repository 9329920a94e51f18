/** Notices about prompt caches: reads that fell, or did not grow with the shared history (manual, cache-misses). Pure but for its memory. */
import type { ModelUsage } from "../../contract/model.ts";

/** Lost reads from which a miss is told, in tokens. */
const missTokens = 128;
/** Growth of the shared history from which flat reads are told, in characters, and as a part of the reference. */
const stallCharacters = 16_384;
const stallPart = 16;

export class CacheWatch {
  #reference: { readonly cached: number; readonly characters: number } | undefined;
  #lost = 0;

  /** The next request is a new beginning: after a resume, a compaction, a change of the model. */
  reset(): void {
    this.#reference = undefined;
    this.#lost = 0;
  }

  /** Takes one answered request whose history had so many characters; answers the notice, if there is one. */
  answered(usage: ModelUsage, historyCharacters: number): string | undefined {
    const { cachedInputTokens: cached, inputTokens: input } = usage;
    const reference = this.#reference;
    if (cached === undefined || input === undefined) return undefined;
    this.#reference = { cached, characters: historyCharacters };
    if (reference === undefined) return undefined;
    if (cached < reference.cached) {
      this.#lost += reference.cached - cached;
      if (this.#lost < missTokens) return undefined;
      const lost = this.#lost;
      this.#lost = 0;
      return `! cache miss: ${lost} tokens that were read from the cache before were not (${cached} of ${input} input tokens cached)`;
    }
    const growth = historyCharacters - reference.characters;
    if (cached > reference.cached) {
      this.#lost = 0;
      return undefined;
    }
    if (growth < stallCharacters || growth * stallPart < reference.characters) {
      // Flat for now: the reference stays, so that slow growth adds up.
      this.#reference = reference;
      return undefined;
    }
    return `! cache stall: the shared history grew by ${growth} characters and cached reads did not (${cached} of ${input} input tokens cached)`;
  }
}
