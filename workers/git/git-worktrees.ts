import { realpath, rm } from "node:fs/promises";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { WorktreeError, namedPaths } from "../../orchestrator/worktrees/worktree-error.ts";
import type {
  CheckoutNotes,
  CheckoutState,
  ExaminedSource,
  GitLeave,
  MarkedCheckout,
  RemovedCheckout,
  WorktreeMachine,
} from "../../orchestrator/worktrees/worktree-machine.ts";
import type { WorktreeRecord } from "../../orchestrator/worktrees/worktree.ts";
import type { MutationLocks } from "../workspace/mutation-lock.ts";
import { patchFrom, pathsFrom, statusOf, submodulePaths, submodulesWithWork } from "./changes.ts";
import {
  creationParameters,
  isRealDirectory,
  makeCheckout,
  markedAdministration,
  markedCheckouts,
  removalParameters,
  standingOf,
} from "./checkouts.ts";
import type { GitProcessParts } from "./git-process.ts";
import {
  applyParameters,
  applyPatchFile,
  isPicking,
  pickRange,
  rangeCommits,
  unmergedPaths,
} from "./integration.ts";
import { keepLeftWork, leftWork } from "./left-work.ts";
import { writePatch } from "./patch-file.ts";
import { Repository } from "./repository.ts";
import { shellText } from "./shell-text.ts";

export type GitWorktreesParts = GitProcessParts & {
  /** Locks across processes; here by a repository's common directory and by a target. */
  readonly locks: MutationLocks;
  /** Patches on their way to git are written below it. */
  readonly scratchDirectory: string;
};

/** Worktrees by the host's own git, which runs no hook, filter, helper or other command that a configuration names. */
export class GitWorktrees implements WorktreeMachine {
  readonly #parts: GitWorktreesParts;

  constructor(parts: GitWorktreesParts) {
    this.#parts = parts;
  }

  async examine(
    directory: string,
    { baseline, ignoreChanges }: { readonly baseline: string; readonly ignoreChanges: boolean },
    { signal }: GitLeave,
  ): Promise<ExaminedSource> {
    const repository = await this.#top(directory, signal);
    const commit = await commitOf(repository, baseline);
    if (!ignoreChanges) await this.#requireUnchanged(repository, commit, signal);
    const source = repository.directory;
    return { source, prefix: await prefixOf(source, directory), baseline: commit };
  }

  creationCommand(record: WorktreeRecord): string {
    return shellText(["git", ...creationParameters(record)]);
  }

  async create(record: WorktreeRecord, { signal }: GitLeave): Promise<CheckoutNotes> {
    const source = await this.#open(record.source, signal);
    await this.#locked(await source.commonDirectory(), signal, () => makeCheckout(source, record));
    return { submodules: await submodulePaths(source.at(record.path)), filters: source.filters };
  }

  async survey(record: WorktreeRecord, { signal }: GitLeave): Promise<CheckoutState | "unfinished"> {
    const standing = await standingOf(record, () => this.#commonOf(record.source, signal));
    if (standing.kind === "absent")
      throw new WorktreeError("worktree-unknown", `There is no checkout at ${record.path}.`);
    if (standing.kind === "damaged")
      throw new WorktreeError(
        "worktree-damaged",
        `${record.path} has lost its link to the repository (its .git file), so git cannot tell what changed there. Run git worktree repair in ${record.source}, or clean up with discardDirty.`,
      );
    if (!standing.isFinished) return "unfinished";
    const checkout = await this.#open(record.path, signal);
    const tip = await checkout.line(["rev-parse", "--verify", "HEAD^{commit}"]);
    const { changed, untracked, ignored } = await statusOf(checkout, { ignored: true });
    return {
      tip,
      patch: await patchFrom(checkout, record.baseline),
      paths: await pathsFrom(checkout, record.baseline),
      uncommitted: changed,
      untracked,
      ignored,
      ...(await leftWork(checkout, tip)),
      submodules: await submodulesWithWork(checkout, record.baseline, {
        ...this.#parts,
        signal,
        ignored: true,
      }),
    };
  }

  async secureRange(record: WorktreeRecord, state: CheckoutState, { signal }: GitLeave): Promise<void> {
    const open = [...state.uncommitted, ...state.untracked, ...state.submodules];
    if (open.length > 0)
      throw new WorktreeError(
        "worktree-dirty",
        `A range of commits needs a clean checkout, and ${record.path} has changes that are not committed: ${namedPaths(open)}. Commit, remove or ignore them there; then task.worktree extract takes the range.`,
      );
    const checkout = await this.#open(record.path, signal);
    await rangeCommits(checkout, { baseline: record.baseline, tip: state.tip });
    await this.#locked(await checkout.commonDirectory(), signal, () =>
      checkout.run(["update-ref", securedReference(record), state.tip], { mayRefresh: true }),
    );
  }

  async remove(record: WorktreeRecord, leave: GitLeave): Promise<RemovedCheckout> {
    const { signal } = leave;
    const fromSource = (): Promise<string | undefined> => this.#commonOf(record.source, signal);
    const standing = await standingOf(record, fromSource);
    const common = standing.kind === "linked" ? standing.commonDirectory : await fromSource();
    await leave.permit(shellText(["git", ...removalParameters(record)]), record.source);
    if (common === undefined) return nothingLeft;
    return this.#locked(common, signal, async () => {
      const repository = await this.#open(common, signal);
      const isWhole = standing.kind === "linked" && standing.isFinished;
      const left = isWhole ? await keepLeftWork(await this.#open(record.path, signal), record) : nothingLeft;
      if (isWhole) await repository.run(removalParameters(record), { mayRefresh: true });
      // What git does not take: checkouts that were never finished or half removed, and its records of them.
      await rm(record.path, { recursive: true, force: true });
      for (const administration of await markedAdministration(common, record))
        await rm(administration, { recursive: true, force: true });
      return left;
    });
  }

  exists(record: WorktreeRecord): Promise<boolean> {
    return isRealDirectory(record.path);
  }

  async marked(source: string, { signal }: GitLeave): Promise<readonly MarkedCheckout[]> {
    return markedCheckouts(await this.#top(source, signal));
  }

  async topOf(directory: string, { signal }: GitLeave): Promise<string> {
    return (await this.#top(directory, signal)).directory;
  }

  async check(target: string, patch: Uint8Array, { signal }: GitLeave): Promise<void> {
    const repository = await this.#open(target, signal);
    await this.#withPatch(patch, (file) => applyPatchFile(repository, file, true));
  }

  async apply(target: string, patch: Uint8Array, leave: GitLeave): Promise<void> {
    const repository = await this.#open(target, leave.signal);
    await this.#withPatch(patch, async (file) => {
      await applyPatchFile(repository, file, true);
      await leave.permit(shellText(["git", ...applyParameters, "--", file]), target);
      await this.#locked(target, leave.signal, () => applyPatchFile(repository, file, false));
    });
  }

  async pick(
    target: string,
    range: { readonly baseline: string; readonly tip: string },
    leave: GitLeave,
  ): Promise<readonly string[]> {
    const repository = await this.#open(target, leave.signal);
    await rangeCommits(repository, range);
    await leave.permit(shellText(["git", "cherry-pick", `${range.baseline}..${range.tip}`]), target);
    return this.#locked(target, leave.signal, () => pickRange(repository, range));
  }

  async conflicts(target: string, { signal }: GitLeave): Promise<readonly string[]> {
    return unmergedPaths(await this.#open(target, signal));
  }

  async abort(target: string, leave: GitLeave): Promise<boolean> {
    const repository = await this.#open(target, leave.signal);
    if (!(await isPicking(repository))) return false;
    await leave.permit(shellText(["git", "cherry-pick", "--abort"]), target);
    await this.#locked(target, leave.signal, () =>
      repository.run(["cherry-pick", "--abort"], { mayRefresh: true }),
    );
    return true;
  }

  #open(directory: string, signal: AbortSignal): Promise<Repository> {
    return Repository.open(directory, this.#parts, signal);
  }

  /** The checkout around a directory, from its top. */
  async #top(directory: string, signal: AbortSignal): Promise<Repository> {
    const repository = await this.#open(directory, signal);
    // A bare repository has no top: then the words before that are printed all the same.
    const { code, output, errors } = await repository.run(
      [
        "rev-parse",
        "--is-inside-work-tree",
        "--is-bare-repository",
        "--path-format=absolute",
        "--show-toplevel",
      ],
      { accepted: [0, 128] },
    );
    const [isInWorkTree = "", isBare, ...top] = output.toString("utf8").replace(/\n$/, "").split("\n");
    if (isInWorkTree === "")
      throw new WorktreeError("worktree-not-git", `${directory} is in no git repository: ${errors}`);
    if (isInWorkTree !== "true" || code !== 0)
      throw new WorktreeError(
        "worktree-bare",
        `${directory} is ${isBare === "true" ? "a bare repository" : "inside a git directory"}, not a checkout; isolation needs one.`,
      );
    return repository.at(await realpath(top.join("\n")));
  }

  /** The common directory of the repository at a directory; undefined when that is gone. */
  async #commonOf(directory: string, signal: AbortSignal): Promise<string | undefined> {
    if (!(await isRealDirectory(directory).catch(() => false))) return undefined;
    const repository = await this.#open(directory, signal);
    return repository.commonDirectory().catch((error: unknown) => {
      if (error instanceof WorktreeError && error.code === "worktree-git-failed") return undefined;
      throw error;
    });
  }

  async #requireUnchanged(repository: Repository, commit: string, signal: AbortSignal): Promise<void> {
    const { changed, untracked } = await statusOf(repository, { ignored: false });
    const submodules = await submodulesWithWork(repository, commit, {
      ...this.#parts,
      signal,
      ignored: false,
    });
    const open = [...changed, ...untracked, ...submodules];
    if (open.length === 0) return;
    throw new WorktreeError(
      "worktree-dirty",
      `${repository.directory} has changes that are not committed (${namedPaths(open)}), and an isolated child would not have them. Commit them, or set dirtyPolicy to ignore to start from the commit without them.`,
    );
  }

  /** One change of a repository or target at a time, in all processes of this user. */
  async #locked<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#parts.locks.hold(key, signal, work);
    } catch (error) {
      if (error instanceof ResourceError && error.code === "resource-busy")
        throw new WorktreeError("worktree-busy", error.message, { cause: error });
      throw error;
    }
  }

  async #withPatch(patch: Uint8Array, work: (file: string) => Promise<void>): Promise<void> {
    const file = await writePatch(this.#parts.scratchDirectory, patch);
    try {
      await work(file.path);
    } finally {
      await file.remove();
    }
  }
}

const nothingLeft: RemovedCheckout = { kept: [], stashes: [] };

/** Keeps the commits of a secured range from being collected once the checkout is gone. */
function securedReference({ id }: WorktreeRecord): string {
  return `refs/autolith/worktrees/${id}`;
}

async function commitOf(repository: Repository, revision: string): Promise<string> {
  const found = await repository.run(
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`],
    {
      accepted: [0, 1, 128],
    },
  );
  if (found.code === 0) return found.output.toString("utf8").trim();
  const isEmpty =
    revision === "HEAD" &&
    (await repository.run(["rev-parse", "--verify", "--quiet", "HEAD"], { accepted: [0, 1, 128] })).code !==
      0;
  throw new WorktreeError(
    "worktree-baseline",
    isEmpty
      ? `The repository at ${repository.directory} has no commit yet; make one, so that a checkout can begin with it.`
      : `${JSON.stringify(revision)} names no commit in ${repository.directory}. Give a branch, tag or commit.${found.errors === "" ? "" : ` ${found.errors}`}`,
  );
}

async function prefixOf(source: string, directory: string): Promise<string> {
  const real = await realpath(directory);
  return real === source ? "" : real.slice(source.length + 1);
}
