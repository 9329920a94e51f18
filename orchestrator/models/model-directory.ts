/** Which models there are for agents, and how the chosen one is reached. */
import type { ModelSource } from "../contract/agent-thread.ts";

/** A model that was chosen, and how it is reached. */
export type ModelChoice = {
  /** The id as people write it; kept in records. */
  readonly id: string;
  /** The id the server knows. */
  readonly model: string;
  readonly source: ModelSource;
};

export interface ModelDirectory {
  /** The first resolvable of a role's candidates (ids and aliases), else the parent's model. */
  choose(candidates: readonly string[], parentModel: string): string;
  /** False for an id that nothing configured here could serve, with or without a credential. */
  knows(id: string): boolean;
  /** Throws a typed error when the model cannot be reached: unknown id, no credential. Nothing has been sent then. */
  reach(id: string): ModelChoice;
}
