/** The state of a session at one moment, as front ends show it. */
import type { SessionState } from "../contract/session/catalogs.ts";
import type { SessionCore } from "./session-core.ts";
import type { SessionPrompt } from "./session-prompt.ts";
import type { TurnEngine } from "./turns/turn-engine.ts";

export type SnapshotParts = {
  readonly core: SessionCore;
  readonly engine: Pick<
    TurnEngine,
    "running" | "epoch" | "lastOutcome" | "lastFailure" | "paused" | "held" | "estimatedContext"
  >;
  readonly prompt: Pick<SessionPrompt, "restarts" | "forms">;
  readonly jobs: SessionState["jobs"];
  readonly clientCount: number;
};

export function sessionSnapshot({ core, engine, prompt, jobs, clientCount }: SnapshotParts): SessionState {
  const { running, epoch, lastOutcome, lastFailure, paused, held } = engine;
  return {
    sessionId: core.id,
    title: core.title,
    workingDirectory: core.workingDirectory,
    createdAt: core.host.conversation.header.createdAt,
    lastActivityAt: core.lastActivityAt,
    model: core.model,
    reasoningEffort: core.settings.text("reasoning-effort"),
    mode: core.mode,
    turn: {
      state: running === undefined ? "idle" : "running",
      epoch,
      source: running?.source ?? null,
      startedAt: running?.startedAt ?? null,
      lastOutcome,
    },
    paused,
    held,
    pendingInputs: [...core.pending.listing()],
    vaultEntries: core.pending.vault.length,
    permissionRequests: [...core.broker.requests()],
    restartRequests: [...prompt.restarts.requests()],
    runningForms: prompt.forms.runningCount,
    usage: core.usage.total,
    turnUsage: core.usage.turn,
    contextTokens: core.usage.contextTokens ?? engine.estimatedContext(),
    contextEstimated: core.usage.isEstimated,
    contextWindow: core.contextWindow,
    compactionThresholdPercent: core.settings.number("compaction-threshold-percent"),
    plan: [...core.plan],
    jobs,
    userTurns: core.userTurns,
    attachedClients: clientCount,
    eventSeq: core.events.seq,
    health: {
      lastFailure,
      hostStartedAt: core.environment.startedAt,
      processId: process.pid,
    },
  };
}
