import type { ExecutionId } from "../contract/identifiers.ts";

/** How many executions are remembered; the oldest are forgotten first. */
export const rememberedExecutions = 10_000;

/** The executions a queue has seen lately, so that none is taken twice. */
export class RecentExecutions {
  readonly #seen = new Set<ExecutionId>();

  /** Remembers the execution; false when it was remembered already. */
  add(executionId: ExecutionId): boolean {
    if (this.#seen.has(executionId)) return false;
    this.#seen.add(executionId);
    const oldest = this.#seen.values().next().value;
    if (this.#seen.size > rememberedExecutions && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }
}
