import type { ProcessEntry } from "../../orchestrator/record/process-identity.ts";
import { descendantsOf, environmentOf, readProcessTable } from "./process-table.ts";

/** Longest time a scan answers others than the one it was made for, in ms from its end. */
export const sharedScanMs = 5;

/** One look at all live processes; what is read of one on top of that is read once. */
export class ProcessScan {
  /** When the look began, by `performance.now()`: of what happened later it need not know. */
  readonly startedAt = performance.now();
  readonly table: readonly ProcessEntry[] = readProcessTable();
  readonly #endedAt = performance.now();
  readonly #environments = new Map<number, readonly string[]>();

  /** Whether it may answer somebody who knows of a change at `changedAt`. */
  answers(changedAt: number): boolean {
    return this.startedAt >= changedAt && performance.now() - this.#endedAt <= sharedScanMs;
  }

  /** All processes below `root`, nearest first, found by parent links alone. */
  descendantsOf(root: number): readonly ProcessEntry[] {
    return descendantsOf(root, this.table);
  }

  /** Whether the environment a process was started with holds a fitting `NAME=VALUE`. False when it may not be read. */
  startedWith({ pid }: ProcessEntry, name: string, matches: (value: string) => boolean): boolean {
    let environment = this.#environments.get(pid);
    if (environment === undefined) {
      environment = environmentOf(pid);
      this.#environments.set(pid, environment);
    }
    const prefix = `${name}=`;
    return environment.some((entry) => entry.startsWith(prefix) && matches(entry.slice(prefix.length)));
  }
}

/** Scans shared by all who look at about the same moment, so that ending many trees at once does not cost a scan for each look of each. */
export class SharedScans {
  #latest: ProcessScan | undefined;

  /** A scan that is at most a few milliseconds old and began at or after `changedAt` (by `performance.now()`). */
  since(changedAt: number): ProcessScan {
    if (this.#latest?.answers(changedAt) !== true) this.#latest = new ProcessScan();
    return this.#latest;
  }
}
