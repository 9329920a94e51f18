/** What the orchestrator needs of git, as a port; `workers/git` implements it. Every failure is a {@link WorktreeError}. */
import type { WorktreeMarker, WorktreeRecord } from "./worktree.ts";

/** Who wants git to act, and until when. */
export type GitLeave = {
  /** Asks for one command that changes something, as shell text with its directory. Rejects with `worktree-denied`. */
  readonly permit: (command: string, directory: string) => Promise<void>;
  readonly signal: AbortSignal;
};

/** Where an isolated checkout would come from. */
export type ExaminedSource = {
  /** Absolute real top directory of the checkout that holds the workspace. */
  readonly source: string;
  /** The workspace below it, without slashes at the ends; empty for the top. */
  readonly prefix: string;
  /** The commit that the baseline names. */
  readonly baseline: string;
};

/** What is different in a fresh checkout from the source, for those who work in it. */
export type CheckoutNotes = {
  /** Submodules: their directories are empty. */
  readonly submodules: readonly string[];
  /** Configured content filters that did not run (such as Git LFS): files are as the repository stores them. */
  readonly filters: readonly string[];
};

/** Work of a checkout that its tip does not hold. Commits are abbreviated, with their subjects. */
export type LeftWork = {
  /** Commits that were made here and left by checking out another one, and that nothing else holds. */
  readonly leftCommits: readonly string[];
  /** Commits that were made here and amended, rebased or reset away, and that nothing else holds. */
  readonly discardedCommits: readonly string[];
  /** Entries of the repository's stash list that were made here. */
  readonly stashes: readonly string[];
};

/** What is still there of a checkout that was removed. */
export type RemovedCheckout = {
  /** References that now hold the commits that only its own log knew, each with the commit's subject. */
  readonly kept: readonly string[];
  readonly stashes: readonly string[];
};

/** A checkout as it stands. Paths are relative to its top directory. */
export type CheckoutState = LeftWork & {
  readonly tip: string;
  /** Git's binary patch from the baseline to the tracked files as they are. */
  readonly patch: Uint8Array;
  /** Paths the patch changes. */
  readonly paths: readonly string[];
  /** Changes of tracked files that are not committed. */
  readonly uncommitted: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
  /** Filled submodules with changes, or at another commit than recorded. */
  readonly submodules: readonly string[];
};

/** One of our checkouts as git's own records know it. */
export type MarkedCheckout = WorktreeMarker & { readonly path: string };

export interface WorktreeMachine {
  /** Rejects with `worktree-not-git`, `worktree-bare`, `worktree-baseline` and, unless `ignoreChanges`, `worktree-dirty`. */
  examine(
    directory: string,
    options: { readonly baseline: string; readonly ignoreChanges: boolean },
    leave: GitLeave,
  ): Promise<ExaminedSource>;
  /** The command that {@link create} will run, for asking beforehand. */
  creationCommand(record: WorktreeRecord): string;
  /** Makes the checkout, detached at the baseline and marked. When it fails nothing of it stays. */
  create(record: WorktreeRecord, leave: GitLeave): Promise<CheckoutNotes>;
  /**
   * How the checkout stands; `unfinished` when making it was cut off before anybody could work in it. Rejects with `worktree-unknown` when
   * there is none, `worktree-foreign` when it is not the record's, `worktree-damaged` when git cannot work in it any more.
   */
  survey(record: WorktreeRecord, leave: GitLeave): Promise<CheckoutState | "unfinished">;
  /** Keeps the commits of a range although the checkout goes. Rejects with `worktree-range`, `worktree-dirty`. */
  secureRange(record: WorktreeRecord, state: CheckoutState, leave: GitLeave): Promise<void>;
  /**
   * Removes checkout and git's record of it, whatever it holds; commits that only its own log knew are kept under references. Asks first; one
   * that is gone already is no error.
   */
  remove(record: WorktreeRecord, leave: GitLeave): Promise<RemovedCheckout>;
  /** Whether the recorded path holds a directory. */
  exists(record: WorktreeRecord): Promise<boolean>;
  /** Our checkouts that the repository of `source` knows of. */
  marked(source: string, leave: GitLeave): Promise<readonly MarkedCheckout[]>;
  /** The top directory of the checkout that holds `directory`. */
  topOf(directory: string, leave: GitLeave): Promise<string>;
  /** Whether a patch fits index and files of a clean target. Rejects with `worktree-dirty`, `worktree-conflict`. */
  check(target: string, patch: Uint8Array, leave: GitLeave): Promise<void>;
  /** Puts a patch into index and files of a clean target, all of it or nothing. Rejects as {@link check}. */
  apply(target: string, patch: Uint8Array, leave: GitLeave): Promise<void>;
  /** Cherry-picks `baseline..tip`; answers the new commits. A conflict leaves the cherry-pick in progress and rejects. */
  pick(
    target: string,
    range: { readonly baseline: string; readonly tip: string },
    leave: GitLeave,
  ): Promise<readonly string[]>;
  /** Unmerged paths of the target. */
  conflicts(target: string, leave: GitLeave): Promise<readonly string[]>;
  /** Ends a cherry-pick in progress as if it had not begun; false when there is none. */
  abort(target: string, leave: GitLeave): Promise<boolean>;
}
