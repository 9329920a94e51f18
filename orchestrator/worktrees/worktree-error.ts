import { AutolithError } from "../contract/failure.ts";

/**
 * Why a worktree of a child could not be made, secured, integrated or removed.
 *
 * - `worktree-not-git`, `worktree-bare`: the workspace has no checkout that git knows.
 * - `worktree-baseline`: the revision names no commit, or the repository has none yet.
 * - `worktree-dirty`: the source, the target or a checkout that must be clean has changes; the message names them.
 * - `worktree-denied`: the command or the path was not permitted.
 * - `worktree-busy`: another process keeps the repository's lock.
 * - `worktree-git-failed`: git said no; the message is git's.
 * - `worktree-limit`: a bound was hit; the message has its number.
 * - `worktree-range`: the commits cannot be taken as a range (baseline is no ancestor, or there are merges).
 * - `worktree-conflict`: the change does not fit the target.
 * - `worktree-unsecured`: cleaning up would lose work that no artifact holds.
 * - `worktree-live`: the task, or a command of it, still runs.
 * - `worktree-unknown`: there is no such record, artifact or checkout.
 * - `worktree-damaged`: the checkout has lost its link to the repository.
 * - `worktree-foreign`: what stands at the recorded path is not the task's own checkout.
 */
export type WorktreeErrorCode =
  | "worktree-not-git"
  | "worktree-bare"
  | "worktree-baseline"
  | "worktree-dirty"
  | "worktree-denied"
  | "worktree-busy"
  | "worktree-git-failed"
  | "worktree-limit"
  | "worktree-range"
  | "worktree-conflict"
  | "worktree-unsecured"
  | "worktree-live"
  | "worktree-unknown"
  | "worktree-damaged"
  | "worktree-foreign";

export class WorktreeError extends AutolithError {
  declare readonly code: WorktreeErrorCode;

  constructor(code: WorktreeErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(code, message, options);
  }
}

/** Names quoted for a message: at most `limit` of them, with the number of the rest. `count`: how many there are, when not all are given. */
export function namedPaths(
  paths: readonly string[],
  { limit = 8, count = paths.length }: { readonly limit?: number; readonly count?: number | undefined } = {},
): string {
  const shown = paths.slice(0, limit).map((path) => JSON.stringify(path));
  const more = count - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
