/** The session host without a client: how soon it is ready, and what it takes while it waits. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { environmentOf, hostArguments, makePlace } from "./built-program.ts";
import { pssMiB, threadTimes } from "./process-figures.ts";

export type HostFigures = {
  /** From its spawn to its word that terminals may join, in ms. */
  readonly readyMs: number;
  /** Of these, the time in which its main thread was ready and other work of the machine had the cores. */
  readonly readyWaitMs: number;
  /** Proportional set size when it has waited for a while, in MiB. */
  readonly pssMiB: number;
  /** Time on a core while it waits, in ms for each second. */
  readonly idleCpuMsPerSecond: number;
};

/** Time after which it counts as idle, and in which it is watched then, in ms. */
const settleMs = 2_000;
const watchMs = 3_000;

/** Starts a host in a home of its own and ends it again. */
export async function hostFigures(): Promise<HostFigures> {
  const place = makePlace("p");
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, hostArguments, {
    cwd: place.workspace,
    env: environmentOf(place, "http://127.0.0.1:9/v1"),
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  try {
    const word = child.stdio[3];
    if (word === null || word === undefined) throw new Error("the host has no descriptor 3");
    await Promise.race([once(word, "data"), ended.then(() => Promise.reject(new Error("the host ended")))]);
    const readyMs = performance.now() - spawnedAt;
    const pid = child.pid ?? 0;
    const readyWaitMs = threadTimes(pid).mainWaitMs;
    await delay(settleMs);
    const before = threadTimes(pid).cpuMs;
    await delay(watchMs);
    const idleCpuMsPerSecond = (threadTimes(pid).cpuMs - before) / (watchMs / 1_000);
    return { readyMs, readyWaitMs, pssMiB: pssMiB(pid), idleCpuMsPerSecond };
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(place.home, { recursive: true, force: true });
  }
}
