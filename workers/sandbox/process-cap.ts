import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const groupPrefix = "autolith-";

/**
 * A control group that limits the processes of all sandboxed commands of this host together. Needed for root alone:
 * the kernel does not count root's processes against the resource limit that holds everybody else.
 */
export class ProcessCap {
  readonly #group: string;

  private constructor(group: string) {
    this.#group = group;
  }

  /** Makes the group with its limit; undefined when it is not needed (not root) or the control groups are not writable. */
  static open(limit: number): ProcessCap | undefined {
    if (process.getuid?.() !== 0) return undefined;
    const parent = pidsHierarchy();
    if (parent === undefined) return undefined;
    const group = join(parent, `${groupPrefix}${process.pid}`);
    try {
      removeAbandoned(parent);
      mkdirSync(group, { recursive: true });
      writeFileSync(join(group, "pids.max"), String(limit));
      return new ProcessCap(group);
    } catch {
      // A container shows control groups read-only; the caller reports the limit as missing.
      return undefined;
    }
  }

  /** The same command, started as a member of the group. */
  wrap(argv: readonly [string, ...string[]]): [string, ...string[]] {
    const enter = 'echo $$ > "$0" && exec "$@"';
    return ["/bin/sh", "-c", enter, join(this.#group, "cgroup.procs"), ...argv];
  }

  /** Removes the group; one that still has members stays for the next host to remove. */
  close(): void {
    tryRemove(this.#group);
  }
}

function pidsHierarchy(): string | undefined {
  if (existsSync("/sys/fs/cgroup/pids/cgroup.procs")) return "/sys/fs/cgroup/pids";
  const control = "/sys/fs/cgroup/cgroup.subtree_control";
  if (existsSync(control) && readFileSync(control, "utf8").split(/\s+/).includes("pids"))
    return "/sys/fs/cgroup";
  return undefined;
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(groupPrefix) ? name.slice(groupPrefix.length) : "";
    if (/^[0-9]+$/.test(pid) && !existsSync(`/proc/${pid}`)) tryRemove(join(parent, name));
  }
}

function tryRemove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // It has members, or another host removed it first.
  }
}
