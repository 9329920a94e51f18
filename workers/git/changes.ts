/** What is different in a checkout: the patch, and everything a patch does not hold. */
import { patchLimitBytes } from "../../orchestrator/worktrees/worktree.ts";
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { WorktreeError } from "../../orchestrator/worktrees/worktree-error.ts";
import { type GitProcessParts, gitOutputLimitBytes } from "./git-process.ts";
import { Repository, splitNul } from "./repository.ts";

/** Entries of `git status`, by what they are. Paths of directories end with a slash. */
export type Status = {
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
};

/** Reads NUL-ended `git status --porcelain=v1 --no-renames`. */
export function parseStatus(output: Buffer): Status {
  const entries = splitNul(output).map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }));
  const of = (accepts: (code: string) => boolean): readonly string[] =>
    entries.filter(({ code }) => accepts(code)).map(({ path }) => path);
  return {
    untracked: of((code) => code === "??"),
    ignored: of((code) => code === "!!"),
    changed: of((code) => code !== "??" && code !== "!!"),
  };
}

/** The status of a checkout; changes inside submodules do not count here. A listing that is too long is cut, which shows as changes. */
export async function statusOf(
  repository: Repository,
  options: { readonly ignored: boolean },
): Promise<Status> {
  const { output } = await repository.run(
    [
      ...["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"],
      ...["--ignore-submodules=dirty", options.ignored ? "--ignored=traditional" : "--ignored=no"],
    ],
    { outputLimitBytes: gitOutputLimitBytes, overLimit: "cut" },
  );
  return parseStatus(output);
}

/** The binary patch from a commit to the tracked files as they are. Throws {@link WorktreeError} `worktree-limit`. */
export async function patchFrom(repository: Repository, baseline: string): Promise<Buffer> {
  const { output } = await repository.run(
    [
      ...["diff", "--binary", "--full-index", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"],
      ...["--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0"],
      ...["--submodule=short", "--ignore-submodules=dirty", "-O/dev/null", baseline, "--"],
    ],
    { outputLimitBytes: patchLimitBytes },
  );
  return output;
}

/** Paths that differ between a commit and the tracked files as they are. */
export function pathsFrom(repository: Repository, baseline: string): Promise<readonly string[]> {
  return repository.list([
    ...["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative"],
    ...["--ignore-submodules=dirty", "-O/dev/null", baseline, "--"],
  ]);
}

/** Directories of submodules as the checkout's `.gitmodules` names them, relative; only those inside the checkout. */
export async function submodulePaths(repository: Repository): Promise<readonly string[]> {
  const file = join(repository.directory, ".gitmodules");
  const stats = await lstat(file).catch(() => undefined);
  if (stats?.isFile() !== true) return [];
  const { output } = await repository.run(
    ["config", "-z", "--file", file, "--get-regexp", String.raw`^submodule\..*\.path$`],
    { accepted: [0, 1] },
  );
  return splitNul(output)
    .map((entry) => entry.slice(entry.indexOf("\n") + 1))
    .filter((path) => !path.startsWith("/") && !path.split("/").includes(".."));
}

export type SubmoduleSearch = GitProcessParts & {
  readonly signal: AbortSignal;
  /** Whether ignored files count as something of their own. */
  readonly ignored: boolean;
};

/**
 * Filled submodules that hold something of their own: changes, untracked files, or a commit that `baseline` does not name. Each is looked at by
 * itself, under settings made for its own configuration.
 */
export async function submodulesWithWork(
  repository: Repository,
  baseline: string,
  search: SubmoduleSearch,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of await submodulePaths(repository)) {
    const directory = await filledDirectory(repository.directory, path);
    if (directory === undefined) continue;
    const submodule = await Repository.open(directory, search, search.signal);
    const { changed, untracked, ignored } = await statusOf(submodule, search);
    const head = await submodule.run(["rev-parse", "--verify", "--quiet", "HEAD"], { accepted: [0, 1] });
    const recorded = await repository.line(["ls-tree", "--object-only", baseline, "--", path]);
    const moved = head.code === 0 && head.output.toString("utf8").trim() !== recorded;
    const nested = head.code === 0 ? await submodulesWithWork(submodule, "HEAD", search) : [];
    if (moved || changed.length + untracked.length + ignored.length + nested.length > 0) found.push(path);
  }
  return found;
}

async function filledDirectory(top: string, path: string): Promise<string | undefined> {
  const directory = join(top, path);
  try {
    await lstat(join(directory, ".git"));
    const real = await realpath(directory);
    return real === directory ? real : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new WorktreeError(
      "worktree-git-failed",
      `The submodule ${JSON.stringify(path)} cannot be looked at.`,
      {
        cause: error,
      },
    );
  }
}
