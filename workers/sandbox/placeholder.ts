/**
 * Empty directories that hold a name in a workspace while sandboxed commands run, since what is not there cannot be made read-only.
 * Each host that needs one leaves an empty directory in it that names the host: the name is held while any of them is alive, a
 * placeholder is told apart from a directory of the user's, and what a killed host left can be taken away. Directories, because git
 * sees no empty ones.
 */
import { lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import {
  type ProcessIdentity,
  isRunning,
  processIdentity,
} from "../../orchestrator/record/process-identity.ts";

/** Names in a workspace that decide what runs outside the sandbox later: git's hooks and configuration, and our own. */
export const protectedNames = [".git", ".autolith"] as const;

/** Another host may remove a placeholder between our finding it and marking it; it cannot do so for ever. */
const markTries = 100;

/** The name of a host's mark. */
export function markName({ pid, startTicks, bootId }: ProcessIdentity): string {
  return `autolith-placeholder.${pid}.${startTicks}.${bootId}`;
}

/** The host that a name is the mark of; undefined for any other name. */
function markedHost(name: string): ProcessIdentity | undefined {
  const parts = /^autolith-placeholder\.([0-9]{1,10})\.([0-9]{1,15})\.([^.]+)$/.exec(name);
  if (parts === null) return undefined;
  return { pid: Number(parts[1]), startTicks: Number(parts[2]), bootId: parts[3] ?? "" };
}

/**
 * Whether a path is a directory that holds hosts' marks and nothing else. An empty one counts too: a host may be about to mark it,
 * and it must not go while somebody relies on it. Empty ones are taken away with the last mark, whoever made them.
 */
export function isPlaceholder(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  try {
    return readdirSync(path).every((name) => markedHost(name) !== undefined);
  } catch {
    // What may not be looked into is somebody else's.
    return false;
  }
}

/** Makes a placeholder, or joins in holding one. Throws the file system's error. */
export function holdPlaceholder(path: string): void {
  const mark = join(path, markName(processIdentity()));
  for (let attempt = 1; ; attempt += 1) {
    ignoring(["EEXIST"], () => {
      mkdirSync(path);
    });
    try {
      mkdirSync(mark);
      return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EEXIST") return;
      if (code !== "ENOENT" || attempt === markTries) throw error;
    }
  }
}

/** Takes this host's mark away, and the placeholder with the last mark. */
export function releasePlaceholder(path: string): void {
  removeMark(path, markName(processIdentity()));
}

/**
 * Takes away what dead hosts left in a workspace; a directory that holds anything else stays as it is, and so does what this user
 * may not remove. Throws the file system's other errors.
 */
export function removeAbandonedPlaceholders(workspace: string): void {
  for (const name of protectedNames) {
    const path = join(workspace, name);
    if (!isPlaceholder(path)) continue;
    for (const entry of readdirSync(path)) {
      const host = markedHost(entry);
      if (host === undefined || isRunning(host)) continue;
      ignoring(["EACCES", "EPERM", "EROFS"], () => {
        removeMark(path, entry);
      });
    }
  }
}

function removeMark(path: string, mark: string): void {
  // Somebody may have made a repository there meanwhile, or removed it: both leave nothing of ours behind.
  ignoring(["ENOENT", "ENOTDIR"], () => {
    rmdirSync(join(path, mark));
  });
  ignoring(["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"], () => {
    rmdirSync(path);
  });
}

function ignoring(codes: readonly string[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
