/**
 * Compaction of an idle session shortly before the provider's prompt cache is estimated to expire (manual). One opportunity after each large
 * request, used once whatever comes of it.
 */

/** Tokens of the last prompt, and characters that could be summarised, from which it is worth while. */
export const idlePromptTokens = 32_768;
export const idleHistoryCharacters = 131_072;
/** Time before the estimated expiry, in milliseconds. */
const leadMs = 120_000;

/** What the last completed request of a turn was like. */
export type CompletedRequest = {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly promptTokens: number;
  readonly summarizableCharacters: number;
};

export type IdleCompactionParts = {
  /** How long the provider keeps a prompt cache after a request, in milliseconds; undefined when nobody says so. */
  readonly retentionMs: () => number | undefined;
  readonly isEnabled: () => boolean;
  /** True when somebody or something else comes first: work, waiting input, a draft, the end of the session. */
  readonly isBusy: () => boolean;
  readonly compact: () => Promise<unknown>;
  readonly failed: (error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** When the opportunity comes, in epoch milliseconds; undefined when there is none. Pure. */
export function idleCompactionAt(
  { startedAt, promptTokens, summarizableCharacters }: CompletedRequest,
  retentionMs: number | undefined,
): number | undefined {
  const isLarge = promptTokens >= idlePromptTokens && summarizableCharacters >= idleHistoryCharacters;
  return isLarge && retentionMs !== undefined && retentionMs > leadMs
    ? startedAt + retentionMs - leadMs
    : undefined;
}

export class IdleCompaction {
  readonly #parts: IdleCompactionParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: IdleCompactionParts) {
    this.#parts = parts;
  }

  /** A turn is over: the opportunity of its last request is planned. */
  turnEnded(request: CompletedRequest | undefined): void {
    this.cancel();
    const { isEnabled, retentionMs, now } = this.#parts;
    const at = request === undefined || !isEnabled() ? undefined : idleCompactionAt(request, retentionMs());
    if (at === undefined || at <= now()) return;
    this.#timer = setTimeout(() => this.#use(), at - now()).unref();
  }

  /** Something came first. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #use(): void {
    this.#timer = undefined;
    const { isEnabled, isBusy, compact, failed } = this.#parts;
    if (isEnabled() && !isBusy()) compact().catch(failed);
  }
}
