import { hash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RecordError } from "../../orchestrator/record/failure.ts";
import { acquireWriterLock, WriterLockedError } from "../../orchestrator/record/writer-lock.ts";
import type { WriterLock } from "../../orchestrator/record/writer-lock.ts";
import { removeAbandonedTemporaries } from "../../orchestrator/record/publication.ts";
import { releaseStaleLocks } from "../../orchestrator/record/stale-locks.ts";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { PublicationMark } from "./publication-mark.ts";

export interface MutationLocksOptions {
  /** Directory of the lock files, shared by all hosts of the user. */
  readonly directory: string;
  /** Longest wait for another process, in ms. Default 30000. */
  readonly waitMs?: number;
}

/** Longest pause between two looks at a lock another process holds, in ms. */
const longestPauseMs = 50;

/**
 * The workspace mutation lock: who holds it may publish changes in a workspace. Keyed by the workspace's real path, held
 * across processes by a lock file and within this one by a queue, in the order of asking. Readers do not take it, and neither do
 * commands: they run for minutes, and an edit is checked against the file's revision at the moment it is published.
 */
export class MutationLocks {
  readonly #directory: string;
  readonly #waitMs: number;
  readonly #tails = new Map<string, Promise<void>>();
  /** Locks that could not be let go, by their path. */
  readonly #kept = new Map<string, WriterLock>();

  constructor(options: MutationLocksOptions) {
    this.#directory = options.directory;
    this.#waitMs = options.waitMs ?? 30_000;
  }

  /**
   * Runs `work` while holding the lock of a workspace (its real path). Throws {@link ResourceError} `resource-busy` when
   * another process keeps it, and the signal's reason. `work` marks the temporary file it writes.
   */
  async hold<Result>(
    workspace: string,
    signal: AbortSignal,
    work: (mark: PublicationMark) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#tails.get(workspace) ?? Promise.resolve();
    const turn = Promise.withResolvers<void>();
    const tail = before.then(async () => {
      await turn.promise;
    });
    this.#tails.set(workspace, tail);
    try {
      await before;
      signal.throwIfAborted();
      const path = this.#pathOf(workspace);
      const lock = await this.#acquire(path, workspace, signal);
      try {
        const mark = markBeside(path);
        await mark.removeRemains();
        return await work(mark);
      } finally {
        await this.#letGo(path, lock);
      }
    } finally {
      turn.resolve();
      if (this.#tails.get(workspace) === tail) this.#tails.delete(workspace);
    }
  }

  /** Removes the locks of dead processes with the temporary files they were writing. Returns how many locks there were. */
  async releaseStale(report: (error: unknown) => void): Promise<number> {
    const removed = await releaseStaleLocks(
      this.#directory,
      async (path) => {
        await markBeside(`${path}.lock`).removeRemains();
      },
      report,
    );
    await removeAbandonedTemporaries(this.#directory);
    return removed;
  }

  #pathOf(workspace: string): string {
    return join(this.#directory, `${hash("sha256", workspace, "hex").slice(0, 32)}.lock`);
  }

  /** What was done under the lock is done: a lock that cannot be let go now serves the next who asks here, and dies with this process. */
  async #letGo(path: string, lock: WriterLock): Promise<void> {
    try {
      await lock.release();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.#kept.set(path, lock);
    }
  }

  async #acquire(path: string, workspace: string, signal: AbortSignal): Promise<WriterLock> {
    const kept = this.#kept.get(path);
    if (kept !== undefined && this.#kept.delete(path)) return kept;
    const givesUpAt = performance.now() + this.#waitMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await acquireWriterLock(path);
      } catch (error) {
        if (!(error instanceof WriterLockedError)) throw error;
        if (performance.now() < givesUpAt) {
          await delay(pauseMs, undefined, { signal });
          continue;
        }
        throw new ResourceError(
          "resource-busy",
          `Process ${error.holder.pid} has held the lock of the workspace ${workspace} for ${this.#waitMs / 1000} s. Nothing was changed; try again.`,
          { cause: error },
        );
      }
    }
  }
}

function markBeside(lockPath: string): PublicationMark {
  return new PublicationMark(`${lockPath}.writing`);
}
