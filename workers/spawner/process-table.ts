import { closeSync, openSync, readdirSync, readSync } from "node:fs";

/** A process pinned against reuse of its number: the kernel never gives one number twice with one start instant. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start instant in kernel clock ticks since boot. */
  readonly startTicks: number;
}

/** One row of the kernel's process table. */
export interface ProcessEntry extends ProcessIdentity {
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** One letter as the kernel gives it; `Z` and `X` are dead. */
  readonly state: string;
  /** Name of the executable, at most 15 bytes. */
  readonly name: string;
}

/** Reads one `/proc/PID/stat` line. The name may hold blanks and parentheses, so the fields start after the last `)`. */
export function parseStat(text: string): ProcessEntry | undefined {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(" ");
  const state = fields[0];
  const numbers = [text.slice(0, open), fields[1], fields[2], fields[3], fields[19]].map(Number);
  if (state === undefined || !numbers.every(Number.isSafeInteger)) return undefined;
  const [pid = 0, parentPid = 0, groupId = 0, sessionId = 0, startTicks = 0] = numbers;
  return { pid, parentPid, groupId, sessionId, startTicks, state, name: text.slice(open + 1, close) };
}

/** Read into again and again: most files under /proc fit, and asking for their size would be no answer. */
const scratch = Buffer.allocUnsafe(65_536);

/** Text of a file under /proc, or undefined when the process went away or may not be looked at. */
function readProc(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    let text = "";
    for (;;) {
      const count = readSync(file, scratch, 0, scratch.length, null);
      text += scratch.toString("latin1", 0, count);
      // A short read is the end: these files are not written while they are read.
      if (count < scratch.length) return text;
    }
  } catch {
    // A process may end between any two looks at it; that is an answer, not a fault.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The row of one process, or undefined when there is none (or no /proc on this system). */
export function readProcess(pid: number): ProcessEntry | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** Whether this very process (not a later one with its number) still runs; a zombie does not. */
export function isAlive(identity: ProcessIdentity): boolean {
  const entry = readProcess(identity.pid);
  return entry !== undefined && entry.startTicks === identity.startTicks && !isDead(entry);
}

function isDead(entry: ProcessEntry): boolean {
  return entry.state === "Z" || entry.state === "X";
}

/** All live processes this process can see; empty where there is no /proc. */
export function readProcessTable(): readonly ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
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

/** Whether the environment a process was started with holds exactly `NAME=VALUE`. False when it may not be read. */
export function startedWith(pid: number, name: string, matches: (value: string) => boolean): boolean {
  const text = readProc(`/proc/${pid}/environ`);
  if (text === undefined) return false;
  const prefix = `${name}=`;
  return text.split("\0").some((entry) => entry.startsWith(prefix) && matches(entry.slice(prefix.length)));
}

/** A name for the running boot of the machine: after a restart no recorded process number means anything. */
export function bootId(): string {
  return readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? "unknown-boot";
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
