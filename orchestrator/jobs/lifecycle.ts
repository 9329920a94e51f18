/**
 * The life of a job as a pure function of its journal records: queued, running, then exactly one of completed, failed, aborted.
 * *Interrupted* is never a state: it is derived for a job that is unsettled under a dead host ({@link interrupted}).
 */
import type { Failure } from "../contract/failure.ts";
import type { ClaimToken, ExecutionId } from "../contract/identifiers.ts";
import type { CancelReason } from "../contract/job-catalog.ts";

export type JobState = "queued" | "running" | "completed" | "failed" | "aborted";

/** How an attempt ended. A result may accompany a failure or an abort (a snapshot of what was reached). */
export type Outcome<Result> =
  | { readonly state: "completed"; readonly result: Result }
  | { readonly state: "failed"; readonly failure: Failure; readonly result?: Result }
  /** `reason` undefined: nobody cancelled it, the child itself reported that the work should not be done. */
  | { readonly state: "aborted"; readonly reason: CancelReason | undefined; readonly result?: Result };

/** What the journal says of one job, folded. */
export type JobLife = {
  readonly executionId: ExecutionId;
  readonly state: JobState;
  /** Number of the last attempt; 0 while never claimed. */
  readonly attempt: number;
  readonly claimToken: ClaimToken | undefined;
  /** The first cancel reason wins. */
  readonly cancelReason: CancelReason | undefined;
};

export type LifeEvent =
  | { readonly kind: "claimed"; readonly claimToken: ClaimToken }
  | { readonly kind: "cancel-requested"; readonly reason: CancelReason }
  /** `claimToken` undefined: settled before any claim (a queued job was cancelled, or could not be dispatched). */
  | {
      readonly kind: "settled";
      readonly claimToken: ClaimToken | undefined;
      readonly state: "completed" | "failed" | "aborted";
    };

/** Why an event changes nothing. `stale-token`: not the token of the current claim. `terminal`: the job has settled. */
export type LifeRefusal = "stale-token" | "terminal" | "already-claimed" | "not-claimed";

export type LifeStep =
  | { readonly accepted: true; readonly life: JobLife }
  | { readonly accepted: false; readonly refusal: LifeRefusal };

/** A job at the moment of its admission. */
export function admittedLife(executionId: ExecutionId): JobLife {
  return { executionId, state: "queued", attempt: 0, claimToken: undefined, cancelReason: undefined };
}

/** Completed, failed or aborted: no event changes it any more. */
export function isTerminal(state: JobState): state is Outcome<unknown>["state"] {
  return state === "completed" || state === "failed" || state === "aborted";
}

/** Queued or running. */
export function isLive(state: JobState): boolean {
  return !isTerminal(state);
}

/** Unsettled although its host is dead: it needs a decision, and its outcome is unknown. */
export function interrupted(life: JobLife, hostAlive: boolean): boolean {
  return !hostAlive && isLive(life.state);
}

const refused = (refusal: LifeRefusal): LifeStep => ({ accepted: false, refusal });
const accepted = (life: JobLife): LifeStep => ({ accepted: true, life });

function settle(life: JobLife, event: Extract<LifeEvent, { kind: "settled" }>): LifeStep {
  if (event.claimToken !== life.claimToken) return refused("stale-token");
  if (life.state === "queued" && event.state === "completed") return refused("not-claimed");
  // A body that returns after a cancel was accepted is published as aborted (facts C.2).
  const state = event.state === "completed" && life.cancelReason !== undefined ? "aborted" : event.state;
  return accepted({ ...life, state });
}

/** The next life, or why the event is refused; a refused event changes nothing. */
export function step(life: JobLife, event: LifeEvent): LifeStep {
  if (isTerminal(life.state)) return refused("terminal");
  switch (event.kind) {
    case "claimed":
      if (life.state === "running") return refused("already-claimed");
      return accepted({
        ...life,
        state: "running",
        attempt: life.attempt + 1,
        claimToken: event.claimToken,
      });
    case "cancel-requested":
      return accepted({ ...life, cancelReason: life.cancelReason ?? event.reason });
    case "settled":
      return settle(life, event);
  }
}
