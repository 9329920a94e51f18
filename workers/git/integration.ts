/** Bringing secured work into a target repository, and out of a cherry-pick that stopped. */
import { access } from "node:fs/promises";
import { WorktreeError, namedPaths } from "../../orchestrator/worktrees/worktree-error.ts";
import { statusOf } from "./changes.ts";
import type { Repository } from "./repository.ts";

export const applyParameters = ["apply", "--index", "--binary", "--whitespace=nowarn"];

/** Throws {@link WorktreeError} `worktree-dirty` when a cherry-pick is open, or tracked files or the index differ from the target's last commit. */
async function requireClean(target: Repository): Promise<void> {
  // Before its changes are named: stashing or committing them would break what is going on.
  await requireNoPick(target);
  const { changed } = await statusOf(target, { ignored: false });
  if (changed.length === 0) return;
  throw new WorktreeError(
    "worktree-dirty",
    `The target ${target.directory} has changes that are not committed (${namedPaths(changed)}). Commit or stash them first.`,
  );
}

/**
 * Applies, or with `onlyCheck` tries, the patch in a file to a clean target. Throws `worktree-dirty`, and `worktree-conflict` with
 * git's words.
 */
export async function applyPatchFile(target: Repository, file: string, onlyCheck: boolean): Promise<void> {
  await requireClean(target);
  const parameters = [...applyParameters, ...(onlyCheck ? ["--check"] : []), "--", file];
  const { code, errors } = await target.run(parameters, { accepted: [0, 1, 128], mayRefresh: !onlyCheck });
  if (code === 0) return;
  const back = await target.run([...applyParameters, "--check", "--reverse", "--", file], {
    accepted: [0, 1, 128],
  });
  if (back.code === 0)
    throw new WorktreeError(
      "worktree-conflict",
      `${target.directory} has the changes of this patch already; nothing was changed.`,
    );
  throw new WorktreeError(
    "worktree-conflict",
    `The patch does not fit ${target.directory}; nothing was changed.\n${errors}`,
  );
}

/** Commits of a range, oldest first. Throws `worktree-range` for an empty one, one with merges, and an unknown commit. */
export async function rangeCommits(
  repository: Repository,
  { baseline, tip }: { readonly baseline: string; readonly tip: string },
): Promise<readonly string[]> {
  for (const commit of [baseline, tip]) {
    const known = await repository.run(["cat-file", "-e", `${commit}^{commit}`], { accepted: [0, 1, 128] });
    if (known.code !== 0)
      throw new WorktreeError(
        "worktree-range",
        `${repository.directory} does not have the commit ${commit}. Integrate into the repository the task came from, or use apply.`,
      );
  }
  if (!(await repository.holds(["merge-base", "--is-ancestor", baseline, tip])))
    throw new WorktreeError(
      "worktree-range",
      `The baseline ${baseline} is no ancestor of ${tip}, so this is no range of commits.`,
    );
  const lines = (
    await repository.line(["rev-list", "--reverse", "--topo-order", "--parents", `${baseline}..${tip}`])
  ).split("\n");
  const commits = lines.filter((line) => line !== "").map((line) => line.split(" "));
  if (commits.some((parents) => parents.length > 2))
    throw new WorktreeError(
      "worktree-range",
      "The range has merge commits, which cannot be cherry-picked. Use apply.",
    );
  return commits.map(([commit = ""]) => commit);
}

/** Cherry-picks; answers the new commits. Throws `worktree-conflict`, and then the cherry-pick is in progress. */
export async function pickRange(
  target: Repository,
  range: { readonly baseline: string; readonly tip: string },
): Promise<readonly string[]> {
  const commits = await rangeCommits(target, range);
  if (commits.length === 0)
    throw new WorktreeError("worktree-range", "The range has no commits; there is nothing to integrate.");
  await requireClean(target);
  await requireCommitter(target);
  const before = await target.line(["rev-parse", "HEAD"]);
  const { code, errors } = await target.run(
    ["cherry-pick", "--allow-empty", "--keep-redundant-commits", ...commits],
    { accepted: [0, 1, 128], mayRefresh: true },
  );
  if (code !== 0) throw await pickFailure(target, errors);
  return (await target.line(["rev-list", "--reverse", `${before}..HEAD`])).split("\n");
}

/** Git would find out in the middle. */
async function requireCommitter(target: Repository): Promise<void> {
  const { code, errors } = await target.run(["var", "GIT_COMMITTER_IDENT"], { accepted: [0, 1, 128] });
  if (code === 0) return;
  throw new WorktreeError(
    "worktree-git-failed",
    `Commits need a committer, and git knows none for ${target.directory}: set user.name and user.email there or globally. Nothing was changed.\n${errors}`,
  );
}

async function requireNoPick(target: Repository): Promise<void> {
  if (!(await isPicking(target))) return;
  throw new WorktreeError(
    "worktree-dirty",
    `A cherry-pick is in progress in ${target.directory}. Resolve its conflicts (action conflicts names them) and run git cherry-pick --continue there, or end it with action abort.`,
  );
}

async function pickFailure(target: Repository, errors: string): Promise<WorktreeError> {
  if (!(await isPicking(target)))
    return new WorktreeError(
      "worktree-conflict",
      `The commits were not taken; nothing was changed.\n${errors}`,
    );
  const conflicts = await unmergedPaths(target);
  return new WorktreeError(
    "worktree-conflict",
    `The cherry-pick stopped${conflicts.length === 0 ? "" : ` with conflicts in ${namedPaths(conflicts)}`}. Resolve them and run git cherry-pick --continue in ${target.directory}, or use action abort.\n${errors}`,
  );
}

/** Paths with an unresolved conflict. */
export async function unmergedPaths(target: Repository): Promise<readonly string[]> {
  const paths = await target.list([
    ...["diff", "--name-only", "-z", "--diff-filter=U", "--no-ext-diff", "--no-textconv", "--no-relative"],
  ]);
  return [...new Set(paths)];
}

/** Whether a cherry-pick has begun and not ended. */
export async function isPicking(target: Repository): Promise<boolean> {
  for (const name of ["CHERRY_PICK_HEAD", "sequencer/todo"]) {
    const path = await target.line(["rev-parse", "--path-format=absolute", "--git-path", name]);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return true;
  }
  return false;
}
