import { lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import type { Stats } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { describeWriteFailure } from "../shell/file-system-name.ts";
import {
  holdPlaceholder,
  isPlaceholder,
  protectedNames,
  releasePlaceholder,
  removeAbandonedPlaceholders,
} from "./placeholder.ts";
import { SandboxError } from "./sandbox-error.ts";

/** What stays read-only in a workspace, and what must be writable beside it. */
export interface WorkspaceProtection {
  readonly protected: readonly string[];
  /** Trees outside the workspace that are writable (a linked worktree's repository). */
  readonly writable: readonly string[];
  /** Takes back the placeholders; call when the command has ended. */
  release(): void;
}

/** How many running commands of this host need a placeholder to exist, by its path. */
const placeholderUses = new Map<string, number>();

/**
 * Finds what to protect in a workspace (its real path). A name that does not exist yet is held by a placeholder
 * for as long as a command runs, of whichever host, since what is not there cannot be made read-only. Throws {@link SandboxError}
 * `sandbox-workspace` when a name is a symbolic link: a link itself cannot be protected.
 *
 * `administer` is for an isolated child in its own checkout: it may commit, but neither hooks nor configuration nor
 * the pointers between checkout and repository are writable.
 */
export function protectWorkspace(workspace: string, git: "protect" | "administer"): WorkspaceProtection {
  const held: string[] = [];
  const paths: string[] = [];
  const writable: string[] = [];
  removeAbandonedPlaceholders(workspace);
  for (const name of protectedNames) {
    const path = join(workspace, name);
    const there = lookAt(path);
    if (there?.isSymbolicLink() === true) {
      throw new SandboxError(
        "sandbox-workspace",
        `No sandbox in ${workspace}: ${name} is a symbolic link and cannot be protected.`,
      );
    }
    const stats = placeholderUses.has(path) || isPlaceholder(path) ? undefined : there;
    if (stats === undefined) {
      if (hold(path)) held.push(path);
      else if (there === undefined) continue;
    }
    if (name === ".git" && git === "administer" && stats !== undefined) {
      const administered = administeredPaths(path, stats);
      paths.push(...administered.protected);
      writable.push(...administered.writable);
    } else paths.push(path);
  }
  return {
    protected: paths,
    writable,
    release: () => {
      for (const path of held) letGo(path);
    },
  };
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Makes sure that a name exists and goes on existing; false when this user cannot make it, and so no command can either. */
function hold(path: string): boolean {
  try {
    holdPlaceholder(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EROFS" || code === "EACCES" || code === "EPERM") return false;
    throw new SandboxError(
      "sandbox-workspace",
      `No sandbox: ${path} cannot be protected. ${describeWriteFailure(error, path)}`,
      { cause: error },
    );
  }
  placeholderUses.set(path, (placeholderUses.get(path) ?? 0) + 1);
  return true;
}

function letGo(path: string): void {
  const uses = (placeholderUses.get(path) ?? 1) - 1;
  if (uses > 0) {
    placeholderUses.set(path, uses);
    return;
  }
  placeholderUses.delete(path);
  releasePlaceholder(path);
}

interface AdministeredPaths {
  readonly protected: readonly string[];
  readonly writable: readonly string[];
}

/**
 * Names in a git directory that say which commands git runs, or lead it elsewhere. `modules` and `worktrees` hold further git directories
 * with such names in them.
 */
const sealedNames = [
  "hooks",
  "config",
  "config.worktree",
  "commondir",
  "gitdir",
  "modules",
  "worktrees",
] as const;

/** Git's directories of a checkout with the parts that could run a command, or lead git elsewhere, kept read-only. */
function administeredPaths(dotGit: string, stats: Stats): AdministeredPaths {
  const gitDirectory = stats.isDirectory() ? dotGit : linkedGitDirectory(dotGit);
  const common = commonDirectory(gitDirectory);
  const writable = common === gitDirectory ? [common] : [common, gitDirectory];
  const sealed = stats.isDirectory() ? [] : [dotGit];
  for (const directory of writable) {
    // What is not there cannot be sealed, and what a command made there git would believe. Empty ones change nothing.
    for (const name of ["hooks", "modules"]) mkdirSync(join(directory, name), { recursive: true });
    const worktreeConfig = join(directory, "config.worktree");
    if (lookAt(worktreeConfig) === undefined) writeFileSync(worktreeConfig, "");
    for (const name of sealedNames) {
      const path = join(directory, name);
      if (lookAt(path) !== undefined) sealed.push(path);
    }
  }
  return { protected: sealed, writable };
}

function linkedGitDirectory(dotGit: string): string {
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8"))?.[1];
  if (target === undefined) {
    throw new SandboxError("sandbox-workspace", `No sandbox: ${dotGit} does not name a git directory.`);
  }
  return realpathSync(isAbsolute(target) ? target : resolve(dotGit, "..", target));
}

function commonDirectory(gitDirectory: string): string {
  const file = join(gitDirectory, "commondir");
  if (lookAt(file) === undefined) return gitDirectory;
  return realpathSync(resolve(gitDirectory, readFileSync(file, "utf8").trim()));
}
