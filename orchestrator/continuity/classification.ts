/** What can be done about a retained job: a pure decision over what its files and the job table say (facts C.9). */

export const continuityClasses = [
  /** Queued or running under this host. */
  "live-owned-detached",
  "completed",
  /** A saved worker image of it exists, and its REPL can be started from it. */
  "reconstructible-checkpoint",
  /** Its owner declared that it may be started again, and its specification is whole. */
  "safe-restartable-specification",
  "abandoned",
  /** Nothing is known to be safe: somebody has to decide. */
  "dead-needing-decision",
] as const;
export type ContinuityClass = (typeof continuityClasses)[number];

export type ContinuityFacts = {
  readonly live: boolean;
  /** A terminal record or result is there and cannot be read. */
  readonly unreadable: boolean;
  /** A terminal record or a result is there. */
  readonly ended: boolean;
  readonly abandoned: boolean;
  /** A revival was claimed; what came of it is recorded or unknown. */
  readonly reviveClaimed: boolean;
  /** A checkpoint was declared and can be started here. */
  readonly checkpointUsable: boolean;
  /** It was declared safe to start again. */
  readonly restartSafe: boolean;
  /** A child's specification in the shared workspace: one in a worktree of its own cannot be started again as it was. */
  readonly restartable: boolean;
};

/** The class; the order of the questions is part of its meaning. */
export function classify(facts: ContinuityFacts): ContinuityClass {
  if (facts.live) return "live-owned-detached";
  if (facts.unreadable) return "dead-needing-decision";
  if (facts.ended) return "completed";
  if (facts.abandoned) return "abandoned";
  if (facts.reviveClaimed) return "dead-needing-decision";
  if (facts.checkpointUsable) return "reconstructible-checkpoint";
  if (facts.restartSafe && facts.restartable) return "safe-restartable-specification";
  return "dead-needing-decision";
}
