/** Many children of one session at once, beside the floor, each against a scripted model server in a process of its own. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchProgram, environmentOf, makePlace, runJobArguments } from "./built-program.ts";
import {
  type FanOut,
  type FanOutOrder,
  type FanOutReply,
  type FanOutReport,
  rootMark,
} from "./fan-out-server-main.ts";
import { peakRssMiB, pssMiB } from "./process-figures.ts";

/** What was seen of one program. Memory in MiB; what was not watched is NaN. */
export type FanOutRun = {
  /** From the root's answer that starts a wave to the root's next request, in ms; the mean over the waves. */
  readonly waveMs: number;
  /** Largest proportional set size seen. */
  readonly pssMiB: number;
  readonly peakRssMiB: number;
  /** 99th percentile of the event-loop delay of the host, in ms, from its first second on. */
  readonly loopDelayP99Ms: number;
  /** Files that end an execution, the root's included. */
  readonly terminal: number;
  readonly report: FanOutReport;
};

/** Memory is looked at this often, in ms. */
const sampleMs = 50;

async function ask(server: ChildProcess, order: FanOutOrder): Promise<FanOutReply> {
  const replied = once(server, "message");
  server.send(order);
  const [reply] = (await replied) as [FanOutReply];
  return reply;
}

/**
 * Runs the fan-out in the built program, or in the floor's. Watching costs the run time: each look at its memory some milliseconds of a
 * core, and the event loop is woken every millisecond. So runs that are timed against each other are not watched.
 */
export async function fanOut(
  program: "autolith" | "floor",
  plan: FanOut,
  watch: "watched" | "unwatched" = "unwatched",
): Promise<FanOutRun> {
  const place = makePlace(rootMark);
  const server = fork(benchProgram("fan-out-server-main.ts"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const started = await ask(server, { order: "start", fanOut: plan });
    if (!("baseUrl" in started)) throw new Error("the server did not tell its address");
    const delayFile = join(place.home, "delay");
    const isWatched = watch === "watched";
    const argv =
      program === "floor"
        ? [benchProgram("fan-out-floor.mjs"), rootMark]
        : [...(isWatched ? ["--require", benchProgram("loop-delay.cjs")] : []), ...runJobArguments];
    const child = spawn(process.execPath, argv, {
      cwd: place.workspace,
      env: {
        ...environmentOf(place, started.baseUrl),
        AUTOLITH_BENCH_DELAY: delayFile,
        AUTOLITH_TASK_MAX_CONCURRENCY: "32",
        AUTOLITH_TASK_MAX_PER_MINUTE: "100000",
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const memory = await ended(child, isWatched);
    const report = await ask(server, { order: "report" });
    if (!("rootArrivals" in report)) throw new Error("the server did not report");
    return {
      ...memory,
      waveMs: waveMs(report.rootArrivals, plan),
      loopDelayP99Ms:
        isWatched && program === "autolith" ? Number(readFileSync(delayFile, "utf8")) : Number.NaN,
      terminal: globSync(join(place.home, ".local/share/autolith/tasks/*/*/terminal.sexp")).length,
      report,
    };
  } finally {
    server.disconnect();
    homes.push(place.home);
  }
}

/** Homes of the runs so far. */
const homes: string[] = [];

/**
 * Removes what the runs have left, once all are measured: some file systems pass by every lately freed inode one by one when they look for
 * a free one, so that each run would make the next one's files dearer (ext4 without a journal: a millisecond for each new file).
 */
export function removeFanOutHomes(): void {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

function waveMs(rootArrivals: readonly number[], { latencyMs }: FanOut): number {
  const first = rootArrivals[0] ?? Number.NaN;
  const last = rootArrivals.at(-1) ?? Number.NaN;
  return (last - first) / (rootArrivals.length - 1) - latencyMs;
}

async function ended(
  child: ChildProcess,
  isWatched: boolean,
): Promise<Pick<FanOutRun, "pssMiB" | "peakRssMiB">> {
  const seen = isWatched ? { pssMiB: 0, peakRssMiB: 0 } : { pssMiB: Number.NaN, peakRssMiB: Number.NaN };
  const timer = isWatched ? setInterval(() => look(child, seen), sampleMs) : undefined;
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`a fan-out ended with status ${code}`);
  return seen;
}

function look(child: ChildProcess, seen: { pssMiB: number; peakRssMiB: number }): void {
  if (child.exitCode !== null || child.pid === undefined) return;
  try {
    seen.pssMiB = Math.max(seen.pssMiB, pssMiB(child.pid));
    seen.peakRssMiB = Math.max(seen.peakRssMiB, peakRssMiB(child.pid));
  } catch {
    // It has just ended.
  }
}
