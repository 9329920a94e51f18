/** Changes of a file that several processes share: one at a time. */
import { setTimeout as delay } from "node:timers/promises";
import { RecordError } from "./failure.ts";
import { type WriterLock, acquireWriterLock } from "./writer-lock.ts";

/** Time that a change waits for another process that changes the file, in milliseconds. */
const lockWaitMs = 5_000;
const lockPauseMs = 20;

/**
 * Runs `work` while nobody else who asks the same way changes the file at `path` (the lock is the file `path.lock`, taken over from processes
 * that died). Rejects with `locked` when another holds it for five seconds, and as `work` does.
 */
export async function withFileLock<Answer>(path: string, work: () => Promise<Answer>): Promise<Answer> {
  const lock = await lockWithin(`${path}.lock`);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function lockWithin(path: string): Promise<WriterLock> {
  const giveUpAt = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return await acquireWriterLock(path);
    } catch (error) {
      const isHeld = error instanceof RecordError && error.code === "locked";
      if (!isHeld || performance.now() >= giveUpAt) throw error;
      await delay(lockPauseMs);
    }
  }
}
