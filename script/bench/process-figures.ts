/** What the kernel tells of a running process: memory, and how its threads spent their time. */
import { readFileSync, readdirSync } from "node:fs";

/** Proportional set size in MiB. Throws for a process that has ended. */
export function pssMiB(pid: number): number {
  return mebibytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m);
}

function mebibytes(path: string, pattern: RegExp): number {
  const match = pattern.exec(readFileSync(path, "utf8"));
  if (match === null) throw new Error(`${path} tells no memory: the process has ended.`);
  return Number(match[1]) / 1024;
}

/** The largest resident set that the process ever had, in MiB. Throws for a process that has ended. */
export function peakRssMiB(pid: number): number {
  return mebibytes(`/proc/${pid}/status`, /^VmHWM:\s+(\d+) kB$/m);
}

/** Milliseconds since the start of the process. */
export type ThreadTimes = {
  /** All threads together, on a core. */
  readonly cpuMs: number;
  /** The main thread, ready to run while other work had the cores: what a busy machine adds to the wall clock. */
  readonly mainWaitMs: number;
};

/** The times of a process's threads so far; threads that ended are not counted. */
export function threadTimes(pid: number): ThreadTimes {
  const times = (thread: string): readonly [number, number] => {
    const [running = "0", waiting = "0"] = readFileSync(
      `/proc/${pid}/task/${thread}/schedstat`,
      "utf8",
    ).split(" ");
    return [Number(running) / 1e6, Number(waiting) / 1e6];
  };
  let cpuMs = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      cpuMs += times(thread)[0];
    } catch {
      // The thread has just ended.
    }
  }
  return { cpuMs, mainWaitMs: times(String(pid))[1] };
}
