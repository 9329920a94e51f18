/** Removes what killed hosts of this user left on the machine: processes, queues, locks, temporary files. */
import { overflowPlaces, pruneOverflow } from "../orchestrator/record/overflow-retention.ts";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ConversationId } from "../orchestrator/contract/identifiers.ts";
import { worktreesDirectory } from "../orchestrator/host/conversation-places.ts";
import { withinDeadline } from "../orchestrator/queue/deadline.ts";
import { removeAbandonedTemporaries } from "../orchestrator/record/publication.ts";
import { isRunning } from "../orchestrator/record/process-identity.ts";
import { lockHolder } from "../orchestrator/record/writer-lock.ts";
import type { Roots } from "../orchestrator/record/roots.ts";
import { removeRecordLeftovers } from "../orchestrator/recovery/record-leftovers.ts";
import type { RedisRuntime } from "../redis/runtime.ts";
import { removeAbandonedPatches } from "../workers/git/patch-file.ts";
import { removeAbandonedPlaceholders } from "../workers/sandbox/placeholder.ts";
import { reapSurvivors } from "../workers/spawner/spawn-ledger.ts";
import { type Machine, ledgerDirectory, patchDirectory, sandboxTemporaryRoot } from "./machine.ts";

export type LeftoverParts = {
  readonly roots: Roots;
  readonly redis: Pick<RedisRuntime, "sweep">;
  readonly machine: Pick<Machine, "captures" | "locks">;
  /** The conversation of this host, when it opened one again that a dead host may have left. */
  readonly conversation: ConversationId | undefined;
  /** Further directories in which a killed host may have been publishing a file. */
  readonly directories: readonly string[];
  /** The working directory, in which a killed host may have been holding names; sandboxed commands of sessions clean their own. */
  readonly workspace: string | undefined;
  /** Told, one by one, what could not be cleaned. */
  readonly report: (error: unknown) => void;
};

/**
 * Cleans up after dead hosts; live ones are not touched. Never rejects: whatever cannot be cleaned is reported and stays for the next
 * start. A start with nothing to clean costs a few directory listings and one look into Redis.
 */
export async function removeLeftovers(parts: LeftoverParts): Promise<void> {
  const { roots, redis, machine, report } = parts;
  const step = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      report(error);
    }
  };
  // Processes first: they may still be writing what is cleaned after them.
  await step(() => reapSurvivors(ledgerDirectory(roots)));
  await step(() => redis.sweep());
  // Before the locks go, which tell which conversations are served.
  await step(() => removeSandboxTemporaries(roots));
  await step(() => machine.locks.releaseStale(report));
  await step(() => removeRecordLeftovers(roots.data, parts.conversation, report));
  await step(() => machine.captures.removeAbandoned());
  await step(() => pruneOverflow(overflowPlaces(roots.data)));
  // Of worktrees nothing but half-written files: checkouts hold work, and go only when somebody asks for it.
  await step(() => removeAbandonedTemporaries(join(worktreesDirectory(roots.data), "registry")));
  await step(() => removeAbandonedPatches(patchDirectory(roots)));
  await step(async () => {
    await Promise.resolve();
    if (parts.workspace !== undefined) removeAbandonedPlaceholders(parts.workspace);
  });
  for (const directory of parts.directories) await step(() => removeAbandonedTemporaries(directory));
}

/** Time after the start at which cleaning begins: the first turns are over by then, or wait for the model. */
const cleaningDelayMs = 2_000;

/** Cleans in the background a moment after the start, so that nobody waits for it. */
export function removeLeftoversSoon(parts: LeftoverParts): {
  /** Begins at once if it has not, and waits for the end at most `waitMs`. */
  finish(waitMs: number): Promise<void>;
} {
  let running: Promise<void> | undefined;
  const begin = (): Promise<void> => (running ??= removeLeftovers(parts));
  const timer = setTimeout(() => void begin(), cleaningDelayMs).unref();
  return {
    finish: async (waitMs) => {
      clearTimeout(timer);
      await withinDeadline(begin(), waitMs);
    },
  };
}

/** The private temporary files of one root conversation's commands. */
export async function removeSandboxTemporary(roots: Roots, conversationId: string): Promise<void> {
  await rm(join(sandboxTemporaryRoot(roots), conversationId), { recursive: true, force: true });
}

async function removeSandboxTemporaries(roots: Roots): Promise<void> {
  const names = await readdir(sandboxTemporaryRoot(roots)).catch(() => []);
  for (const name of names) {
    const holder = await lockHolder(join(roots.data, "conversations", `${name}.lock`));
    if (holder === undefined || !isRunning(holder)) await removeSandboxTemporary(roots, name);
  }
}
