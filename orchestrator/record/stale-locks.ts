/** Locks whose holder is dead, found by looking at a directory, and given up in the order the lock protocol demands. */
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, recordFailure } from "./failure.ts";
import { WriterLockedError, acquireWriterLock, lockHolder, lockToken } from "./writer-lock.ts";
import { isRunning } from "./process-identity.ts";

const lockName = /^(.+\.lock)$/;
/** What a process leaves that died while it took a dead holder's lock over. */
const successionName = /^(.+\.lock)\.([0-9a-f-]{36})\.(?:claim|next)$/;

/**
 * Takes every lock in `directory` whose holder is dead, lets `work` clean up what it protected (its argument is the lock's path
 * without `.lock`), and removes it. Locks of live processes are left alone. Returns the number of locks and remains removed.
 *
 * @throws RecordError of the file system; `malformed` lock files are passed to `report` and left.
 */
export async function releaseStaleLocks(
  directory: string,
  work: (protectedPath: string) => Promise<void>,
  report: (error: unknown) => void,
): Promise<number> {
  let removed = 0;
  const names = await namesIn(directory);
  for (const name of names) {
    const path = join(directory, lockName.exec(name)?.[1] ?? successionName.exec(name)?.[1] ?? "");
    if (path === directory) continue;
    try {
      if (await releaseIfStale(path, join(directory, name), work)) removed += 1;
    } catch (error) {
      report(error);
    }
  }
  return removed;
}

/** `found` is the lock itself, or what a succession left beside it. */
async function releaseIfStale(
  path: string,
  found: string,
  work: (protectedPath: string) => Promise<void>,
): Promise<boolean> {
  const holder = await lockHolder(found);
  if (holder === undefined || isRunning(holder)) return false;
  if (isSettled(path, found)) {
    await unlinkIfThere(found);
    return true;
  }
  try {
    const lock = await acquireWriterLock(path);
    try {
      await work(path.slice(0, -".lock".length));
      if (found !== path) await unlinkIfThere(found);
    } finally {
      await lock.release();
    }
    return true;
  } catch (error) {
    // Somebody alive has taken it over meanwhile: it is theirs to clean.
    if (error instanceof WriterLockedError) return false;
    throw error;
  }
}

/** A succession that is over: the lock is not held by whom it speaks of, so nobody will look at it again. */
function isSettled(path: string, found: string): boolean {
  const spokenOf = successionName.exec(found)?.[2];
  const current = lockToken(path);
  return spokenOf !== undefined && current !== undefined && spokenOf !== current;
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw recordFailure(error, path, "remove");
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw recordFailure(error, directory, "read");
  }
}
