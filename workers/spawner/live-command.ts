/** One command while it lives: its limits, its cancelling, and the end of everything that it started. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type PinnedProcess,
  type ProcessEntry,
  startTicksOf,
} from "../../orchestrator/record/process-identity.ts";
import { type CommandCause, type CommandEnd, type CommandExit, notStarted } from "./command-end.ts";
import { exitOf, launch, startFailure } from "./command-launch.ts";
import type { CommandRequest } from "./command-request.ts";
import type { OutputReader, PipeSource } from "./output-pipe.ts";
import { type ProcessScan, type SharedScans, sharedScanMs } from "./process-scan.ts";
import {
  type TreeEnd,
  type TreeMark,
  endTree,
  findTree,
  groupExists,
  signalProcess,
} from "./process-tree.ts";
import type { SpawnLedger } from "./spawn-ledger.ts";

/** Time background processes get to end by themselves once the started process has exited. */
const settleMs = 100;
/** Time between TERM and KILL for background processes. */
const survivorGraceMs = 300;
/** What a cancelled command gets between TERM and KILL: whoever cancels waits for it, a tree of many within two seconds. */
const cancelGraceMs = 1_000;
/** Longest wait for the end of output once every process that could be ended is gone. */
const drainMs = 1000;
/** Longest timer Node can hold; about 24.8 days. */
const longestTimerMs = 2 ** 31 - 1;

/** What the commands of one spawner have in common. */
export interface CommandParts {
  readonly ledger: SpawnLedger;
  readonly pipes: PipeSource;
  readonly leaked: readonly number[];
  /** Looks for survivors that nobody waits for. */
  readonly sweeps: Set<Promise<unknown>>;
  readonly scans: SharedScans;
}

/** One command from its start to the end of its last process. */
export class LiveCommand {
  readonly pid: number | undefined;
  readonly ended: Promise<CommandEnd>;
  readonly #request: CommandRequest;
  readonly #startedAt = performance.now();
  readonly #readers: readonly OutputReader[];
  readonly #mark: TreeMark | undefined;
  readonly #sweeps: Set<Promise<unknown>>;
  readonly #scans: SharedScans;
  /** When it was started, or its leader's exit was told: a look at the processes must not be older. */
  #changedAt = 0;
  #cause: CommandCause = "exit";
  /** Settles when the processes have been asked to end and are gone. */
  #ending: Promise<unknown> | undefined;

  constructor(request: CommandRequest, { ledger, pipes, leaked, sweeps, scans }: CommandParts) {
    this.#request = request;
    this.#sweeps = sweeps;
    this.#scans = scans;
    const cookie = `${ledger.hostCookie}.${randomBytes(6).toString("hex")}`;
    const { child, readers } = launch(request, cookie, pipes, leaked);
    this.#changedAt = performance.now();
    this.#readers = readers;
    const exited = child instanceof Error ? Promise.resolve(startFailure(child)) : exitOf(child);
    if (child instanceof Error || child.pid === undefined) {
      this.pid = undefined;
      this.ended = this.#endUnstarted(exited);
      return;
    }
    this.pid = child.pid;
    const leader: PinnedProcess = { pid: child.pid, startTicks: startTicksOf(child.pid) };
    this.#mark = { leader, cookie };
    ledger.record(leader);
    this.ended = this.#live(exited).finally(() => {
      ledger.forget(leader);
    });
  }

  /** Asks the whole tree to end; the first cause stands. */
  cancel(graceMs?: number): void {
    this.#stop("cancelled", graceMs);
  }

  /** Last resort while the host's process is exiting: nothing can be waited for any more. */
  killNow(scan: ProcessScan): void {
    if (this.#mark === undefined) return;
    for (const entry of findTree(this.#mark, scan)) signalProcess(entry, "SIGKILL");
  }

  #find(mark: TreeMark): readonly ProcessEntry[] {
    return findTree(mark, this.#scans.since(this.#changedAt));
  }

  async #endUnstarted(exited: Promise<CommandExit>): Promise<CommandEnd> {
    const exit = await exited;
    for (const reader of this.#readers) reader.stop();
    return notStarted(exit);
  }

  #stop(cause: CommandCause, graceMs = this.#request.graceMs ?? 2000): void {
    const mark = this.#mark;
    if (this.#ending !== undefined || mark === undefined) return;
    this.#cause = cause;
    const wrapper = this.#request.contained === true ? "bwrap" : undefined;
    this.#ending = endTree(() => this.#find(mark), { graceMs, ask: (entry) => entry.name !== wrapper });
  }

  async #live(exited: Promise<CommandExit>): Promise<CommandEnd> {
    const { timeoutMs, signal } = this.#request;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => {
              this.#stop("timeout");
            },
            Math.min(timeoutMs, longestTimerMs),
          );
    const onAbort = (): void => {
      this.#stop("cancelled", this.#request.graceMs ?? cancelGraceMs);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const exit = await exited;
    this.#changedAt = performance.now();
    const durationMs = this.#changedAt - this.#startedAt;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await this.#ending;
    const survivors = await this.#endSurvivors();
    const outputComplete = await this.#drain();
    return {
      exit,
      cause: this.#cause,
      durationMs,
      survivorsEnded: survivors.ended,
      survivorsLeft: survivors.left,
      outputComplete,
    };
  }

  /** Ends what the exited process left behind, by the rule stated at `RunningCommand.ended`. */
  async #endSurvivors(): Promise<{ readonly ended: number; readonly left: number }> {
    const mark = this.#mark;
    if (mark === undefined || this.#request.contained === true) return { ended: 0, left: 0 };
    if (await this.#settles(mark)) {
      // Nothing holds the output and the group is empty: what is left can only be a daemon that cut all ties. It is
      // looked for without keeping the caller waiting.
      const sweep = this.#sweep(mark);
      this.#sweeps.add(sweep);
      void sweep.finally(() => this.#sweeps.delete(sweep));
      return { ended: 0, left: 0 };
    }
    const end = await endTree(() => this.#find(mark), { graceMs: survivorGraceMs });
    return { ended: end.found - end.left, left: end.left };
  }

  async #sweep(mark: TreeMark): Promise<TreeEnd> {
    // Commands that end in the same moment share one look at the processes.
    await delay(sharedScanMs);
    return await endTree(() => this.#find(mark), { graceMs: survivorGraceMs });
  }

  /** Whether output and group come to their end by themselves within the settling time. */
  async #settles(mark: TreeMark): Promise<boolean> {
    const endsAt = performance.now() + settleMs;
    const ended = Promise.all(this.#readers.map((reader) => reader.ended)).then(() => true);
    if (!(await Promise.race([ended, after(settleMs).then(() => false)]))) return false;
    // A member that has closed its output may need another moment to be gone.
    for (let pauseMs = 1; groupExists(mark.leader.pid) && this.#find(mark).length > 0; pauseMs *= 2) {
      if (performance.now() >= endsAt) return false;
      await after(pauseMs);
    }
    return true;
  }

  async #drain(): Promise<boolean> {
    const settled = Promise.all(this.#readers.map((reader) => reader.ended));
    await Promise.race([settled, after(drainMs)]);
    const complete = this.#readers.every((reader) => reader.complete);
    for (const reader of this.#readers) reader.stop();
    await settled;
    return complete;
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
