/** Making, finding and removing the linked worktrees of a repository. */
import { lstat, readFile, readdir, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensurePrivateDirectory } from "../../orchestrator/record/roots.ts";
import { WorktreeError } from "../../orchestrator/worktrees/worktree-error.ts";
import type { MarkedCheckout } from "../../orchestrator/worktrees/worktree-machine.ts";
import {
  type WorktreeRecord,
  markerOf,
  markerText,
  patchLimitBytes,
} from "../../orchestrator/worktrees/worktree.ts";
import type { Repository } from "./repository.ts";

/** One entry of `git worktree list --porcelain -z`. */
export type ListedWorktree = { readonly path: string; readonly lockReason: string | undefined };

/** Reads that listing: attributes end with NUL, entries with one more. */
export function parseWorktreeList(output: string): readonly ListedWorktree[] {
  return output.split("\0\0").flatMap((entry) => {
    const attributes = entry.split("\0");
    const path = attributes.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
    if (path === undefined) return [];
    return [
      { path, lockReason: attributes.find((line) => line.startsWith("locked "))?.slice("locked ".length) },
    ];
  });
}

/** Our checkouts among the worktrees of a repository. */
export async function markedCheckouts(repository: Repository): Promise<readonly MarkedCheckout[]> {
  const { output } = await repository.run(["worktree", "list", "--porcelain", "-z"], {
    outputLimitBytes: patchLimitBytes,
  });
  return parseWorktreeList(output.toString("utf8")).flatMap(({ path, lockReason }) => {
    const marker = lockReason === undefined ? undefined : markerOf(lockReason);
    return marker === undefined ? [] : [{ ...marker, path }];
  });
}

/** The parameters that make a checkout: detached, so that no branch is made or moved, and locked, so that git does not prune it. */
export function creationParameters(record: WorktreeRecord): readonly string[] {
  return [
    ...["worktree", "add", "--detach", "--lock", "--reason", markerText(record)],
    ...["--no-guess-remote", "--", record.path, record.baseline],
  ];
}

export function removalParameters(record: Pick<WorktreeRecord, "path">): readonly string[] {
  // Twice: also one that is locked.
  return ["worktree", "remove", "--force", "--force", "--", record.path];
}

/** Makes the checkout in the repository of `source`; what a failure leaves is taken away again. */
export async function makeCheckout(source: Repository, record: WorktreeRecord): Promise<void> {
  await ensurePrivateDirectory(dirname(record.path));
  try {
    await source.run(creationParameters(record), { mayRefresh: true });
  } catch (error) {
    await source.run(removalParameters(record), { accepted: [0, 128] });
    await rm(record.path, { recursive: true, force: true });
    throw error;
  }
}

/** Git's own record of a linked worktree. */
export type Administration = { readonly gitDirectory: string; readonly commonDirectory: string };

/** The administrative directory that a checkout's `.git` names; undefined when it names none that is there. */
async function linkedAdministration(checkout: string): Promise<Administration | undefined> {
  const target = /^gitdir: (.+)$/m.exec((await textOf(join(checkout, ".git"))) ?? "")?.[1];
  const gitDirectory = target === undefined ? undefined : await realPathOf(target);
  if (gitDirectory === undefined) return undefined;
  const common = await textOf(join(gitDirectory, "commondir"));
  const commonDirectory =
    common === undefined ? undefined : await realPathOf(join(gitDirectory, common.trim()));
  return commonDirectory === undefined ? undefined : { gitDirectory, commonDirectory };
}

/** How a record's checkout stands. `linked`: git works in it. `damaged`: git's record of it is there, its own link is not. */
export type Standing =
  | ({ readonly kind: "linked"; readonly isFinished: boolean } & Administration)
  | { readonly kind: "damaged" }
  | { readonly kind: "absent" };

/**
 * Looks at the checkout of a record and makes sure that it is the record's own: git's record of it carries our mark. `common` finds the
 * common directory of the source, where it is still there; it is asked for only when the checkout has lost its own link. Throws {@link WorktreeError} `worktree-foreign`.
 */
export async function standingOf(
  record: WorktreeRecord,
  common: () => Promise<string | undefined>,
): Promise<Standing> {
  if (!(await isRealDirectory(record.path))) return { kind: "absent" };
  const found = await linkedAdministration(record.path);
  if (found !== undefined && (await isMarked(found.gitDirectory, record)))
    return { kind: "linked", isFinished: await isThere(join(found.gitDirectory, "index")), ...found };
  const home = await common();
  if (home !== undefined && (await markedAdministration(home, record)).length > 0) return { kind: "damaged" };
  throw new WorktreeError(
    "worktree-foreign",
    `${record.path} is not, or not any more, the checkout of this task: no record of git's carries the mark ${JSON.stringify(markerText(record))}. Look at it, and remove it yourself if it is of no use.`,
  );
}

/** Administrative directories that carry the record's mark, complete or not. */
export async function markedAdministration(
  common: string,
  record: WorktreeRecord,
): Promise<readonly string[]> {
  const root = join(common, "worktrees");
  const names = await readdir(root).catch((error: unknown) => missing(error, []));
  const marked = await Promise.all(names.map((name) => isMarked(join(root, name), record)));
  return names.filter((_, index) => marked[index]).map((name) => join(root, name));
}

async function isMarked(gitDirectory: string, record: WorktreeRecord): Promise<boolean> {
  const [reason, back] = [
    await textOf(join(gitDirectory, "locked")),
    await textOf(join(gitDirectory, "gitdir")),
  ];
  return (
    reason?.trim() === markerText(record) && (back === undefined || back.trim() === join(record.path, ".git"))
  );
}

/** A directory itself, not a link to one. Throws {@link WorktreeError} `worktree-foreign` for anything else. */
export async function isRealDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: unknown) => missing(error, undefined));
  if (stats === undefined) return false;
  if (stats.isDirectory()) return true;
  throw new WorktreeError(
    "worktree-foreign",
    `${path} is no directory; something else took the place of the checkout.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch((error: unknown) => missing(error, undefined))) !== undefined;
}

function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch((error: unknown) => missing(error, undefined));
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => missing(error, undefined));
}

function missing<Value>(error: unknown, value: Value): Value {
  if (["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return value;
  throw error;
}
