import { readFileSync } from "node:fs";
import { errnoOf } from "./failure.ts";

/**
 * A process, told apart from every other that ever had its number. Where the platform offers no boot id or start time
 * those are `"unknown"`, and then only the number speaks.
 */
export interface ProcessIdentity {
  readonly processId: number;
  /** Changes with every boot of the machine. */
  readonly bootId: string;
  /** The kernel's start time of the process, in its own unit. */
  readonly startTime: string;
}

const unknown = "unknown";

/** The identity of a running process, by default this one. */
export function processIdentity(processId = process.pid): ProcessIdentity {
  return { processId, bootId: bootId(), startTime: runningSince(processId)?.startTime ?? unknown };
}

/** Is the process still running? A number used again by another process, an earlier boot and a zombie are not it. */
export function isRunning(identity: ProcessIdentity): boolean {
  const boot = bootId();
  if (identity.bootId !== unknown && boot !== unknown && identity.bootId !== boot) return false;
  if (!hasProcess(identity.processId)) return false;
  const now = runningSince(identity.processId);
  if (now === undefined) return boot === unknown;
  if (now.zombie) return false;
  return identity.startTime === unknown || identity.startTime === now.startTime;
}

/** Does any process have the number? It may be another than the one that is meant. */
export function hasProcess(processId: number): boolean {
  if (!Number.isSafeInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

function bootId(): string {
  return readIfThere("/proc/sys/kernel/random/boot_id")?.trim() ?? unknown;
}

/** What Linux tells about a process: state and start time (fields 3 and 22 of its stat line). */
function runningSince(processId: number): { startTime: string; zombie: boolean } | undefined {
  const line = readIfThere(`/proc/${processId}/stat`);
  if (line === undefined) return undefined;
  // The command name may hold blanks and parentheses; the fields start behind its last one.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  if (state === undefined || startTime === undefined) return undefined;
  return { startTime, zombie: state === "Z" || state === "X" };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Another platform, or the process has just ended: both mean that there is nothing to tell.
    return undefined;
  }
}
