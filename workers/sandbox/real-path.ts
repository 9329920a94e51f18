import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The real path of something, or undefined when it does not exist or may not be looked at. */
export function realPathOf(path: string): string | undefined {
  try {
    // Most paths that are asked for do not exist, and an exception for each would cost most of the time.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(path);
  } catch {
    // What does not exist, or the user may not look at, cannot be seen inside either.
    return undefined;
  }
}

/**
 * Whether a sandboxed command of this user can get as far as a real path. Of root inside a user namespace only its own
 * name is left: directories of others are closed to it by their modes like to everybody else.
 */
export function isReachable(path: string): boolean {
  if (process.getuid?.() !== 0) return true;
  const groups = new Set([process.getgid?.() ?? 0, ...(process.getgroups?.() ?? [])]);
  for (let at = dirname(path); ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    const bit = stats.uid === 0 ? 0o100 : groups.has(stats.gid) ? 0o010 : 0o001;
    if ((stats.mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
