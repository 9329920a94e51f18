/** Whole runs of `run-job` from the build, beside the floor, against a scripted model server in a process of its own. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { RedisRuntime } from "../../redis/runtime.ts";
import { type Place, benchProgram, environmentOf, makePlace, runJobArguments } from "./built-program.ts";
import { pssMiB, threadTimes } from "./process-figures.ts";
import { type ScriptedTurn, calls } from "../../test/support/model-server/script.ts";
import {
  type ModelServerProcess,
  startModelServerProcess,
} from "../../test/support/model-server/server-process.ts";

/** One run of a program: times in milliseconds from its spawn, memory in MiB. */
export type RunFigures = {
  readonly firstRequestMs: number;
  /** Of these, the time in which the main thread was ready and other work of the machine had the cores. */
  readonly firstRequestWaitMs: number;
  /** Time on a core of all threads until the first request. */
  readonly firstRequestCpuMs: number;
  /** Between a request and the next, the model's answer included; median over the tool turns but the first. */
  readonly turnMs: number;
  /** Time on a core of all threads, per tool turn but the first. */
  readonly turnCpuMs: number;
  readonly totalMs: number;
  /** Proportional set size while its last request is being answered. */
  readonly pssMiB: number;
};

export type ProgramFigures = { readonly name: string; readonly runs: readonly RunFigures[] };

/** Tool turns of the measured job. */
const toolTurns = 12;
/** The first and the last answer are held back, so that the process can be looked at while it waits. */
const heldAnswerMs = 150;

const read = [{ name: "resource__read", arguments: { uri: "workspace:a.txt" } }];
const script: readonly ScriptedTurn[] = [
  calls(read, { latencyMs: heldAnswerMs }),
  ...Array.from({ length: toolTurns - 1 }, () => calls(read)),
  calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "x" } } }], {
    latencyMs: heldAnswerMs,
  }),
];

/** Median of numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function measure(
  argv: readonly string[],
  place: Place,
  server: ModelServerProcess,
): Promise<RunFigures> {
  const before = (await server.arrivals()).length;
  const spawnedAt = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, argv, {
    cwd: place.workspace,
    env: environmentOf(place, server.baseUrl),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const pid = child.pid ?? 0;
  const ended = new Promise<number>((settle) => child.once("exit", (code) => settle(code ?? 1)));
  const arrived = async (): Promise<readonly number[]> => (await server.arrivals()).slice(before);
  // Nobody asks again and again: that would take time from what is measured.
  const failed = ended.then(() => Promise.reject(new Error(`${argv.join(" ")} ended early`)));
  failed.catch(() => undefined);
  const arrivalOf = (number: number): Promise<void> =>
    Promise.race([server.arrived(before + number), failed]);
  await arrivalOf(1);
  const atFirst = threadTimes(pid);
  await arrivalOf(toolTurns + 1);
  const atLast = threadTimes(pid);
  const pss = pssMiB(pid);
  const code = await ended;
  const endedAt = performance.timeOrigin + performance.now();
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with status ${code}`);
  const arrivals = await arrived();
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? Number.NaN));
  return {
    firstRequestMs: (arrivals[0] ?? Number.NaN) - spawnedAt,
    firstRequestWaitMs: atFirst.mainWaitMs,
    firstRequestCpuMs: atFirst.cpuMs,
    turnMs: median(gaps.slice(1)),
    turnCpuMs: (atLast.cpuMs - atFirst.cpuMs) / toolTurns,
    totalMs: endedAt - spawnedAt - 2 * heldAnswerMs,
    pssMiB: pss,
  };
}

/** Runs each program `rounds` times, interleaved, so that other load meets all of them alike. */
export async function runJobFigures(rounds: number): Promise<readonly ProgramFigures[]> {
  await using server = await startModelServerProcess(script, { repeat: true });
  const place = makePlace("p");
  const warm = await RedisRuntime.open({
    environment: { PATH: process.env["PATH"] },
    stateRoot: join(place.home, ".local/state/autolith"),
    onError: () => undefined,
  });
  const coldPlace = makePlace("p");
  const floor: RunFigures[] = [];
  const warmRuns: RunFigures[] = [];
  const coldRuns: RunFigures[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      floor.push(await measure([benchProgram("floor-agent.mjs")], place, server));
      warmRuns.push(await measure(runJobArguments, place, server));
      coldRuns.push(await measure(runJobArguments, coldPlace, server));
    }
  } finally {
    await warm.close(2_000);
    for (const { home } of [place, coldPlace]) rmSync(home, { recursive: true, force: true });
  }
  return [
    { name: "floor (a loop in Node)", runs: floor },
    { name: "run-job, Redis warm", runs: warmRuns },
    { name: "run-job, Redis cold", runs: coldRuns },
  ];
}
