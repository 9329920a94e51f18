import { readdirSync } from "node:fs";
import {
  type PinnedProcess,
  type ProcessEntry,
  isDead,
  lookingAtProc,
  readProc,
  readProcess,
} from "../../orchestrator/record/process-identity.ts";

/** Whether this very process of this boot (not a later one with its number) still runs; a zombie does not. */
export function isAlive({ pid, startTicks }: PinnedProcess): boolean {
  const entry = readProcess(pid);
  return entry !== undefined && entry.startTicks === startTicks && !isDead(entry);
}

/** All live processes this process can see; empty where there is no /proc. */
export function readProcessTable(): readonly ProcessEntry[] {
  let names: string[];
  try {
    names = lookingAtProc(() => readdirSync("/proc"));
  } catch {
    return [];
  }
  const rows: ProcessEntry[] = [];
  for (const name of names) {
    if (!/^[0-9]+$/.test(name)) continue;
    const entry = readProcess(Number(name));
    if (entry !== undefined && !isDead(entry)) rows.push(entry);
  }
  return rows;
}

/** The environment a process was started with, as `NAME=VALUE`. Empty when it may not be read. */
export function environmentOf(pid: number): readonly string[] {
  return readProc(`/proc/${pid}/environ`)?.split("\0") ?? [];
}

/** All processes below `root`, nearest first, found by parent links alone. */
export function descendantsOf(root: number, table: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const children = Map.groupBy(table, (entry) => entry.parentPid);
  const found: ProcessEntry[] = [];
  const seen = new Set<number>([root]);
  const waiting = [root];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const child of children.get(next) ?? []) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      found.push(child);
      waiting.push(child.pid);
    }
  }
  return found;
}
