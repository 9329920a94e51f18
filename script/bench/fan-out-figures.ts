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

/** What was seen of one program. Memory in MiB. */
export type FanOutRun = {
  /** From the root's answer that starts a wave to the root's next request, in ms; the mean over the waves. */
  readonly waveMs: number;
  /** Largest proportional set size seen. */
  readonly pssMiB: number;
  readonly peakRssMiB: number;
  /** 99th percentile of the event-loop delay of the host, in ms, from its first second on; NaN for the floor. */
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

/** Runs the fan-out in the built program, or in the floor's. */
export async function fanOut(program: "autolith" | "floor", plan: FanOut): Promise<FanOutRun> {
  const place = makePlace(rootMark);
  const server = fork(benchProgram("fan-out-server-main.ts"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const started = await ask(server, { order: "start", fanOut: plan });
    if (!("baseUrl" in started)) throw new Error("the server did not tell its address");
    const delayFile = join(place.home, "delay");
    const argv =
      program === "floor"
        ? [benchProgram("fan-out-floor.mjs"), rootMark]
        : ["--require", benchProgram("loop-delay.cjs"), ...runJobArguments];
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
    const memory = await watched(child);
    const report = await ask(server, { order: "report" });
    if (!("rootArrivals" in report)) throw new Error("the server did not report");
    return {
      ...memory,
      waveMs: waveMs(report.rootArrivals, plan),
      loopDelayP99Ms: program === "floor" ? Number.NaN : Number(readFileSync(delayFile, "utf8")),
      terminal: globSync(join(place.home, ".local/share/autolith/tasks/*/*/terminal.sexp")).length,
      report,
    };
  } finally {
    server.disconnect();
    rmSync(place.home, { recursive: true, force: true });
  }
}

function waveMs(rootArrivals: readonly number[], { latencyMs }: FanOut): number {
  const first = rootArrivals[0] ?? Number.NaN;
  const last = rootArrivals.at(-1) ?? Number.NaN;
  return (last - first) / (rootArrivals.length - 1) - latencyMs;
}

async function watched(child: ChildProcess): Promise<Pick<FanOutRun, "pssMiB" | "peakRssMiB">> {
  const seen = { pssMiB: 0, peakRssMiB: 0 };
  const timer = setInterval(() => {
    if (child.exitCode !== null || child.pid === undefined) return;
    try {
      seen.pssMiB = Math.max(seen.pssMiB, pssMiB(child.pid));
      seen.peakRssMiB = Math.max(seen.peakRssMiB, peakRssMiB(child.pid));
    } catch {
      // It has just ended.
    }
  }, sampleMs);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`a fan-out ended with status ${code}`);
  return seen;
}
