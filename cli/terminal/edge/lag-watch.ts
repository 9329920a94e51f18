/**
 * Tells whether the program was too busy to read its keys. What was typed meanwhile is read as one piece, and looks like the paste of a
 * terminal that does not mark pastes: only the delay tells them apart.
 */

/** Time between two looks, in milliseconds. */
const lookMs = 25;
/** A look that comes so much later than it should, in milliseconds, means that keys waited. */
const lagMs = 80;
/** Time after a delay in which what is read was typed during it, in milliseconds. */
const readingMs = 60;

export class LagWatch {
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #lagEndedAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Looks only while there is something that could delay: an idle program does nothing at all. */
  watch(isNeeded: boolean): void {
    if (isNeeded === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#lookedAt = this.#now();
    this.#timer = isNeeded ? setInterval(() => this.look(), lookMs) : undefined;
  }

  /** A look at the time. */
  look(): void {
    const now = this.#now();
    if (now - this.#lookedAt > lookMs + lagMs) this.#lagEndedAt = now;
    this.#lookedAt = now;
  }

  /** True when what is read now may have been typed over some time. */
  get isBehind(): boolean {
    if (this.#timer !== undefined) this.look();
    return this.#now() - this.#lagEndedAt < readingMs;
  }
}
