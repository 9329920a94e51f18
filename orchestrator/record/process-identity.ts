import { closeSync, openSync, readSync } from "node:fs";
import { errnoOf } from "./failure.ts";

/** A process of this boot, pinned against reuse of its number: the kernel never gives one number twice with one start instant. */
export interface PinnedProcess {
  readonly pid: number;
  /** Start instant in kernel clock ticks since boot; 0 where the platform does not tell it. */
  readonly startTicks: number;
}

/** A process, told apart from every other that ever had its number, as records name it. */
export interface ProcessIdentity extends PinnedProcess {
  /** Changes with every boot of the machine; `"unknown"` where the platform does not tell it. */
  readonly bootId: string;
}

/** What the kernel tells of one process. */
export interface ProcessEntry extends PinnedProcess {
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** One letter as the kernel gives it; `Z` and `X` are dead. */
  readonly state: string;
  /** Name of the executable, at most 15 bytes. */
  readonly name: string;
}

const unknown = "unknown";

let own: ProcessIdentity | undefined;

/** The identity of a running process, by default this one. */
export function processIdentity(pid = process.pid): ProcessIdentity {
  if (pid === own?.pid) return own;
  const identity = { pid, bootId: bootId(), startTicks: startTicksOf(pid) };
  if (pid === process.pid) own = identity;
  return identity;
}

/** When the process started, in kernel clock ticks since boot; 0 when there is none or the platform does not tell. */
export function startTicksOf(pid: number): number {
  return readProcess(pid)?.startTicks ?? 0;
}

/** Is the process still running? A number used again by another process, an earlier boot and a zombie are not it. */
export function isRunning(identity: ProcessIdentity): boolean {
  const boot = bootId();
  if (identity.bootId !== unknown && boot !== unknown && identity.bootId !== boot) return false;
  if (!hasProcess(identity.pid)) return false;
  const now = readProcess(identity.pid);
  if (now === undefined) return boot === unknown;
  return !isDead(now) && (identity.startTicks === 0 || identity.startTicks === now.startTicks);
}

/** Does any process have the number? It may be another than the one that is meant. */
export function hasProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

/** Ended, and only not yet collected by its parent. */
export function isDead({ state }: ProcessEntry): boolean {
  return state === "Z" || state === "X";
}

/** The entry of one process, or undefined when there is none (or no /proc on this system). */
export function readProcess(pid: number): ProcessEntry | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
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

/** A name for the running boot of the machine: after a restart no recorded process number means anything. */
export function bootId(): string {
  return readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? unknown;
}

/** Read into again and again: most files under /proc fit, and asking for their size would be no answer. */
const scratch = Buffer.allocUnsafe(65_536);

/** A descriptor kept back from the first look on; undefined where it could not be had. */
let spare: number | undefined;

/**
 * Looks at something under /proc. Also when this process has used up its descriptors: what cannot be looked at would count as gone, and
 * whatever should be ended would live on.
 */
export function lookingAtProc<Seen>(look: () => Seen): Seen {
  try {
    spare ??= openSync("/dev/null", "r");
    return look();
  } catch (error) {
    const code = errnoOf(error);
    if (spare === undefined || (code !== "EMFILE" && code !== "ENFILE")) throw error;
    closeSync(spare);
    spare = undefined;
    return look();
  }
}

/** Text of a file under /proc; undefined when the process went away or may not be looked at, or on another platform. */
export function readProc(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = lookingAtProc(() => openSync(path, "r"));
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
