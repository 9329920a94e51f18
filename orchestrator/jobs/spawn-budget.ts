/** How many children one conversation may start: in all, within a minute, and while its person is in a hurry. Pure accounting. */
import { AutolithError } from "../contract/failure.ts";

export type SpawnLimits = {
  /** Children of one conversation, those of children included. */
  readonly total: number;
  /** Children within any minute. */
  readonly perMinute: number;
};

/** Children that hurry-up mode admits until it is turned off (facts C.3). */
export const hurryUpAdmissions = 2;

const minuteMs = 60_000;

export class SpawnBudget {
  readonly #limits: SpawnLimits;
  #total: number;
  /** Instants of the admissions of the last minute, oldest first. */
  #recent: number[] = [];
  #hurried = 0;

  /** `started`: how many children the conversation has started before; `startedAt`: when the latest of them, in order. */
  constructor(limits: SpawnLimits, started = 0, startedAt: readonly number[] = []) {
    this.#limits = limits;
    this.#total = started;
    this.#recent = [...startedAt];
  }

  /**
   * Takes `count` admissions at the epoch millisecond `now`, all or none. Throws `spawn-total-limit`, `spawn-rate-limit` (retryable, with
   * the time to wait) or `hurry-up-limit`.
   */
  take(count: number, now: number, hurryUp: boolean): void {
    if (!hurryUp) this.#hurried = 0;
    // What a clock that was set back puts into the future holds nobody up.
    this.#recent = this.#recent.filter((at) => at > now - minuteMs && at <= now);
    this.#check(count, now, hurryUp);
    this.#total += count;
    this.#recent.push(...Array.from({ length: count }, () => now));
    if (hurryUp) this.#hurried += count;
  }

  /** Admissions that were taken and refused afterwards. */
  giveBack(count: number): void {
    this.#total -= count;
    this.#recent = this.#recent.slice(0, Math.max(0, this.#recent.length - count));
    this.#hurried = Math.max(0, this.#hurried - count);
  }

  #check(count: number, now: number, hurryUp: boolean): void {
    const { total, perMinute } = this.#limits;
    if (hurryUp && this.#hurried + count > hurryUpAdmissions)
      throw new AutolithError(
        "hurry-up-limit",
        `Hurry-up mode is on: ${this.#hurried} children were started under it and ${count} more were asked for; at most ${hurryUpAdmissions} may be until it is turned off. Do the work yourself.`,
      );
    if (this.#total + count > total)
      throw new AutolithError(
        "spawn-total-limit",
        `This conversation has started ${this.#total} children and ${count} more were asked for; at most ${total} may be in all (AUTOLITH_TASK_MAX_TOTAL). Do the work yourself.`,
      );
    if (this.#recent.length + count <= perMinute) return;
    // The one that must be a minute old before as many as asked for fit.
    const freeing = this.#recent[Math.min(this.#recent.length, this.#recent.length + count - perMinute) - 1];
    const waitMs = freeing === undefined ? minuteMs : Math.max(1, freeing + minuteMs - now);
    throw new AutolithError(
      "spawn-rate-limit",
      `Children are started too fast: ${this.#recent.length} within the last minute and ${count} more were asked for; at most ${perMinute} a minute may be (AUTOLITH_TASK_MAX_PER_MINUTE). Do the work yourself, or go on in ${Math.ceil(waitMs / 1_000)} s.`,
      { retry: "retryable", retryAfterMs: waitMs },
    );
  }
}
