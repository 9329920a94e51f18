/** The latest sign of life of a running child in its execution directory: `activity.sexp`, for whoever looks after a crash. */
import { universalTime } from "../record/conversation-record.ts";
import type { ActivityRecord } from "../record/execution-records.ts";
import type { ProgressSnapshot } from "./child-progress.ts";

/** Shortest time between two writes, and from the start to the first, in milliseconds: a short child's is written once, at its end. */
const activityIntervalMs = 2_000;

export type ActivityLogParts = {
  readonly write: (record: ActivityRecord) => Promise<void>;
  readonly snapshot: () => ProgressSnapshot;
  /** Told when a write failed: the file is a convenience, the child goes on. */
  readonly report: (error: unknown) => void;
  readonly now: () => number;
};

export class ActivityLog {
  readonly #parts: ActivityLogParts;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #writtenAt: number;
  #closed = false;

  constructor(parts: ActivityLogParts) {
    this.#parts = parts;
    this.#writtenAt = parts.now();
  }

  /** Something happened: it is written with what follows within the interval. */
  note(): void {
    if (this.#closed || this.#timer !== undefined) return;
    const dueMs = this.#writtenAt + activityIntervalMs - this.#parts.now();
    // A clock that was set back makes nobody wait longer.
    const waitMs = Math.min(Math.max(0, dueMs), activityIntervalMs);
    this.#timer = setTimeout(() => this.#write(), waitMs).unref();
  }

  /** Writes what is still to be written; resolves when no write is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#write();
    }
    await this.#writing;
  }

  #write(): void {
    const { write, snapshot, report, now } = this.#parts;
    this.#timer = undefined;
    this.#writtenAt = now();
    const { toolCount, recentTools, currentTool, requestCount } = snapshot();
    const tool = currentTool ?? recentTools.at(-1);
    this.#writing = this.#writing
      .then(() =>
        write({
          toolCount,
          updatedAt: universalTime(now()),
          ...(tool === undefined ? {} : { tool }),
          progress: { requests: requestCount },
        }),
      )
      .catch(report);
  }
}
