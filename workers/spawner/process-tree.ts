import { setTimeout as delay } from "node:timers/promises";
import { ProcessScan } from "./process-scan.ts";
import { isAlive } from "./process-table.ts";
import type { PinnedProcess, ProcessEntry } from "../../orchestrator/record/process-identity.ts";

/** Environment variable that marks every process of a command, also those that left its session. */
export const cookieVariable = "AUTOLITH_PROCESS_COOKIE";

/** How a command's processes are told from all others. */
export interface TreeMark {
  /** The process the spawner started: leader of its own session and process group. */
  readonly leader: PinnedProcess;
  /** Value of {@link cookieVariable}; undefined when only parent, group and session links count. */
  readonly cookie: string | undefined;
}

/**
 * The live processes of a command: descendants of the leader, members of its group or session, and any process that
 * still carries the cookie (a daemon that called `setsid` keeps its environment). Not found: a daemon that left the
 * session *and* was started with an emptied environment; only a PID namespace holds that one.
 */
export function findTree(mark: TreeMark, scan = new ProcessScan()): readonly ProcessEntry[] {
  const { leader, cookie } = mark;
  if (leader.startTicks === 0) return groupOf(leader);
  const { table } = scan;
  const leaderRow = table.find((entry) => entry.pid === leader.pid && entry.startTicks === leader.startTicks);
  // Numbers of groups and sessions stay reserved while they have a member, so a match is never a stranger's as long as
  // the member started no earlier than the leader.
  const linked = table.filter(
    (entry) =>
      entry.startTicks >= leader.startTicks &&
      (entry.groupId === leader.pid || entry.sessionId === leader.pid),
  );
  const found = new Map<number, ProcessEntry>();
  for (const root of [...(leaderRow ? [leaderRow] : []), ...linked]) {
    found.set(root.pid, root);
    for (const entry of scan.descendantsOf(root.pid)) found.set(entry.pid, entry);
  }
  if (cookie !== undefined) {
    for (const entry of table) {
      if (found.has(entry.pid) || entry.startTicks < leader.startTicks) continue;
      if (!scan.startedWith(entry, cookieVariable, (value) => value === cookie)) continue;
      found.set(entry.pid, entry);
      for (const below of scan.descendantsOf(entry.pid)) found.set(below.pid, below);
    }
  }
  return [...found.values()].filter((entry) => entry.pid !== process.pid);
}

/** Where there is no process table (macOS) the group stands for the tree, as one row. */
function groupOf(leader: PinnedProcess): readonly ProcessEntry[] {
  if (!groupExists(leader.pid)) return [];
  return [{ ...leader, parentPid: 0, groupId: leader.pid, sessionId: leader.pid, state: "?", name: "" }];
}

/** Whether a process group has a member; dead ones that nobody reaped count. */
export function groupExists(groupId: number): boolean {
  try {
    return process.kill(-groupId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal to exactly this process; false when it has gone already or may not be signalled. */
export function signalProcess(identity: PinnedProcess, signal: NodeJS.Signals): boolean {
  const grouped = identity.startTicks === 0;
  if (!grouped && !isAlive(identity)) return false;
  try {
    return process.kill(grouped ? -identity.pid : identity.pid, signal);
  } catch {
    // ESRCH: gone between the look and the signal. EPERM: it changed its user; the caller reports it as left alive.
    return false;
  }
}

/** What ending a tree came to. */
export interface TreeEnd {
  /** Processes that were alive at the first look. */
  readonly found: number;
  /** Processes that had to be killed after the grace. */
  readonly killed: number;
  /** Processes that were still alive when waiting was given up (uninterruptible, or another user's). */
  readonly left: number;
}

export interface EndTreeOptions {
  /** Time between TERM and KILL, in ms; 0 kills at once. */
  readonly graceMs: number;
  /** Time to wait for real exits after KILL, in ms. Default 5000. */
  readonly killWaitMs?: number;
  /** Whether a process is asked first (TERM). A sandbox's own wrapper is not: it would take its inside down at once. */
  readonly ask?: (entry: ProcessEntry) => boolean;
}

/**
 * Ends every process `find` yields: TERM, then KILL after the grace. Judged by looking again, never by a signal having
 * been sent; processes forked meanwhile are found at the next look.
 */
export async function endTree(
  find: () => readonly ProcessEntry[],
  options: EndTreeOptions,
): Promise<TreeEnd> {
  const { graceMs, killWaitMs = 5000, ask = () => true } = options;
  const first = find();
  if (graceMs > 0) {
    for (const entry of first) {
      if (!ask(entry)) continue;
      signalProcess(entry, "SIGTERM");
      // A stopped process would keep the request pending until somebody continues it.
      signalProcess(entry, "SIGCONT");
    }
    await waitUntilGone(find, graceMs);
  }
  const stubborn = find();
  const giveUpAt = performance.now() + killWaitMs;
  let left = stubborn;
  for (let pauseMs = 2; left.length > 0 && performance.now() < giveUpAt; pauseMs = nextPause(pauseMs)) {
    for (const entry of left) signalProcess(entry, "SIGKILL");
    await delay(pauseMs);
    left = find();
  }
  return { found: first.length, killed: stubborn.length, left: left.length };
}

/** Looks again with growing pauses until nothing is found or the time is over. */
async function waitUntilGone(find: () => readonly ProcessEntry[], limitMs: number): Promise<void> {
  const endsAt = performance.now() + limitMs;
  for (let pauseMs = 2; performance.now() < endsAt; pauseMs = nextPause(pauseMs)) {
    await delay(Math.min(pauseMs, Math.max(1, endsAt - performance.now())));
    if (find().length === 0) return;
  }
}

function nextPause(pauseMs: number): number {
  return Math.min(pauseMs * 2, 50);
}
