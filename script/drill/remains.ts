/** What must not be left when the last host has ended: temporary files, locks, sockets, records of running things, processes. */
import { existsSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Sandpit } from "../../test/support/cli/launch.ts";

const temporaryName = /\.(?:publishing|autolith|tmp|claim|next|lock|writing|stopping)$/;

/** Paths and processes that were left, relative to the sandpit. */
export function remains(pit: Sandpit): readonly string[] {
  const root = join(pit.home, "..");
  return [
    ...entriesBelow(pit.home, isLeft).map((path) => relative(root, path)),
    ...entriesBelow(pit.workspace, isLeft).map((path) => relative(root, path)),
    ...processesOf(pit.home),
  ];
}

function isLeft(path: string, name: string): boolean {
  // Locks of a git that was killed in a worktree of its own are its own.
  if (path.includes("/.git/worktrees/")) return false;
  if (temporaryName.test(name) || lstatSync(path).isSocket()) return true;
  const inRedis = path.includes("/autolith/redis/");
  return (
    (inRedis && (name === "server.json" || name === "lock" || path.includes("/hosts/"))) ||
    /\/autolith\/processes\/[0-9a-f]{24}$/.test(path)
  );
}

function entriesBelow(directory: string, wanted: (path: string, name: string) => boolean): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    const own = wanted(path, entry.name) ? [path] : [];
    return entry.isDirectory() ? [...own, ...entriesBelow(path, wanted)] : own;
  });
}

/** Processes of that home: hosts, commands (by their environment) and the private Redis (by its title). */
function processesOf(home: string): readonly string[] {
  return readdirSync("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id) || Number(id) === process.pid) return [];
    const title = readProc(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim();
    const belongs =
      readProc(`/proc/${id}/environ`).split("\0").includes(`HOME=${home}`) || title.includes(home);
    return belongs ? [`process ${id}: ${title.slice(0, 120)}`] : [];
  });
}

function readProc(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It has just ended, or it is another user's.
    return "";
  }
}
