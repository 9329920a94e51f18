/**
 * `npm run bench [-- --rounds N] [--jobs N] [--children N] [PART…]`: figures of one run on this machine, each beside its floor or peer.
 */
import { parseArgs } from "node:util";
import { benchReader } from "./bench-reader.ts";
import { fanOut, removeFanOutHomes } from "./bench/fan-out-figures.ts";
import { type HostFigures, hostFigures } from "./bench/host-figures.ts";
import { type RunFigures, median, runJobFigures } from "./bench/run-job-figures.ts";
import { mailFigures } from "./bench/mail-figures.ts";
import { formEchoFigures } from "./bench/form-echo-figures.ts";
import { promptFigures } from "./bench/prompt-figures.ts";
import { childrenFigures, resumeFigures } from "./bench/session-figures.ts";
import { type CancelledTree, cancelTree, treeSize } from "../test/support/sessions/cancelled-tree.ts";
import { type TerminalFigures, terminalFigures } from "./bench/terminal-figures.ts";
import type { Echo } from "./bench/tmux-echo.ts";
import { throughputFigures } from "./bench/supervisor-figures.ts";

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    jobs: { type: "string", default: "3000" },
    children: { type: "string", default: "1000" },
  },
  allowPositionals: true,
});

function row(cells: readonly string[], widths: readonly number[]): void {
  console.log(
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  "),
  );
}

/** Columns of the table of runs: title, figure, digits. */
const columns: readonly (readonly [string, (run: RunFigures) => number, number])[] = [
  ["first request ms", (run) => run.firstRequestMs, 0],
  ["less waiting", (run) => run.firstRequestMs - run.firstRequestWaitMs, 0],
  ["CPU ms", (run) => run.firstRequestCpuMs, 0],
  ["turn ms", (run) => run.turnMs, 1],
  ["turn CPU ms", (run) => run.turnCpuMs, 1],
  ["whole job ms", (run) => run.totalMs, 0],
  ["PSS MiB", (run) => run.pssMiB, 0],
];

async function benchRuns(rounds: number): Promise<void> {
  const widths = [24, 18, 14, 14, 12, 12, 14, 10];
  console.log(
    `run-job: a job of 12 resource.read turns, median of ${rounds} interleaved runs (best in brackets);\n` +
      "less waiting: without the time in which the main thread was ready and other work had the cores",
  );
  row(["", ...columns.map(([title]) => title)], widths);
  for (const { name, runs } of await runJobFigures(rounds)) {
    const figures = columns.map(([, pick, digits]) => {
      const all = runs.map(pick);
      return `${median(all).toFixed(digits)} (${Math.min(...all).toFixed(digits)})`;
    });
    row([name, ...figures], widths);
  }
}

async function benchThroughput(jobs: number): Promise<void> {
  const { rawJobsPerSecond, supervisedJobsPerSecond, loopDelayP99Ms } = await throughputFigures(jobs);
  console.log(
    `\nsupervisor: ${supervisedJobsPerSecond.toFixed(0)} no-op jobs/s with all records; raw BullMQ ${rawJobsPerSecond.toFixed(0)} jobs/s; ratio ${(supervisedJobsPerSecond / rawJobsPerSecond).toFixed(2)}; event-loop delay p99 ${loopDelayP99Ms.toFixed(1)} ms`,
  );
}

/** 32 children with 200 ms model latency and 3 tool turns, and the memory they add; then many, 32 at a time. */
async function benchFanOut(rounds: number, many: number): Promise<void> {
  const plan = { children: 32, waves: 1, toolTurns: 3, latencyMs: 200 };
  const [floor, ours]: [number[], number[]] = [[], []];
  let pssOfMany = 0;
  let pssOfFew = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    floor.push((await fanOut("floor", plan)).waveMs);
    ours.push((await fanOut("autolith", plan)).waveMs);
    pssOfMany = Math.max(pssOfMany, (await fanOut("autolith", plan, "watched")).pssMiB);
    pssOfFew = Math.min(pssOfFew, (await fanOut("autolith", { ...plan, children: 2 }, "watched")).pssMiB);
  }
  const [best, bestFloor] = [Math.min(...ours), Math.min(...floor)];
  console.log(
    `\nfan-out: 32 children of one session ${median(ours).toFixed(0)} ms (${best.toFixed(0)}), floor ${median(floor).toFixed(0)} (${bestFloor.toFixed(0)}), ratio ${(median(ours) / median(floor)).toFixed(2)} (${(best / bestFloor).toFixed(2)}); ${((pssOfMany - pssOfFew) / 30).toFixed(2)} MiB PSS per additional child`,
  );
  const waves = Math.ceil(many / 32);
  const run = await fanOut("autolith", { ...plan, waves, toolTurns: 1, latencyMs: 20 }, "watched");
  console.log(
    `fan-out: ${waves * 32} children, 32 at a time, ${run.waveMs.toFixed(0)} ms a wave: ${run.terminal - 1} ended, ${run.report.submitters} submitted ${run.report.submissions} times; peak RSS ${run.peakRssMiB.toFixed(0)} MiB; event-loop delay p99 ${run.loopDelayP99Ms.toFixed(1)} ms`,
  );
}

async function benchMail(messages: number): Promise<void> {
  const { withinSessionMs, betweenSessionsMs, roundTripMs } = await mailFigures(messages);
  const figure = (ms: number): string => `${ms.toFixed(2)} ms (${(ms / roundTripMs).toFixed(1)} round trips)`;
  console.log(
    `\nmail, sent until claimed, median: two children ${figure(withinSessionMs)}; two sessions ${figure(betweenSessionsMs)}; a round trip to Redis ${roundTripMs.toFixed(3)} ms`,
  );
}

/** A tree of thirty children with commands that ignore TERM: from its cancel until the last of it is gone. */
async function benchCancel(rounds: number): Promise<void> {
  const trees: CancelledTree[] = [];
  for (let round = 0; round < rounds; round += 1) trees.push(await cancelTree());
  const took = trees.map(({ tookMs }) => tookMs);
  const left = trees.reduce((sum, tree) => sum + tree.left.length, 0);
  console.log(
    `\ncancel: a tree of ${treeSize} children with ${trees[0]?.before ?? 0} processes that ignore TERM gone after ${median(took).toFixed(0)} ms (${Math.min(...took).toFixed(0)}), ` +
      `a second of it their grace; ${median(trees.map(({ computingMs }) => computingMs)).toFixed(0)} ms on a core; ${left} processes left`,
  );
}

async function benchSessions(records: number, children: number): Promise<void> {
  const resumed = await resumeFigures(records);
  console.log(
    `\nsession host, from source: ${records} records opened in ${resumed.loadMs.toFixed(0)} ms (${resumed.cpuMs.toFixed(0)} ms on a core), ${resumed.pssMiB.toFixed(0)} MiB PSS`,
  );
  const streamed = await childrenFigures(children);
  console.log(
    `${children} children streaming, two clients of which one never reads: event-loop delay p99 ${streamed.loopDelayP99Ms.toFixed(1)} ms, longest ${streamed.loopDelayMaxMs.toFixed(0)} ms, ` +
      `${streamed.events} events in ${streamed.seconds.toFixed(1)} s, ${streamed.pssMiB.toFixed(0)} MiB PSS`,
  );
}

async function benchTerminal(children: number): Promise<void> {
  const figures = await terminalFigures(children);
  console.log(
    `terminal: prompt after ${figures.promptMs.toFixed(0)} ms with a host that runs, less waiting ${(figures.promptMs - figures.promptWaitMs).toFixed(0)}; idle ${figures.pssMiB.toFixed(0)} MiB PSS, ${figures.idleCpuMsPerSecond.toFixed(2)} ms CPU a second\n` +
      `terminal, ${figures.children} children writing, two terminals attached: ${echoText(figures)}`,
  );
}

/** Echoes through tmux beside those of `cat`. */
function echoText({ echoes, floor }: Pick<TerminalFigures, "echoes" | "floor">): string {
  const part = (values: readonly number[], share: number): string => {
    const sorted = values.toSorted((one, other) => one - other);
    return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
  };
  const spread = (values: readonly number[]): string =>
    `median ${part(values, 0.5)}, p95 ${part(values, 0.95)}, p99 ${part(values, 0.99)}, longest ${part(values, 1)} ms`;
  const all = (measured: readonly Echo[]): string =>
    `${spread(measured.map(({ ms }) => ms))} (less waiting for a core ${spread(measured.map(({ ms, waitMs }) => ms - waitMs))})`;
  return `key to echo through tmux ${all(echoes)}; of cat ${all(floor)}`;
}

async function benchHost(rounds: number): Promise<void> {
  const runs: HostFigures[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await hostFigures());
  const figure = (pick: (run: HostFigures) => number, digits: number): string => {
    const all = runs.map(pick);
    return `${median(all).toFixed(digits)} (${Math.min(...all).toFixed(digits)})`;
  };
  console.log(
    `\nsession host: ready after ${figure((run) => run.readyMs, 0)} ms, less waiting ${figure((run) => run.readyMs - run.readyWaitMs, 0)}; idle ${figure((run) => run.pssMiB, 0)} MiB PSS, ${figure((run) => run.idleCpuMsPerSecond, 2)} ms CPU a second`,
  );
}

async function benchPrompt(rounds: number): Promise<void> {
  const { firstMs, sums, tools, toolForms } = await promptFigures(rounds);
  const figure = (values: readonly number[]): string =>
    `${median([...values]).toFixed(1)} ms (${Math.min(...values).toFixed(1)})`;
  const over = median([...toolForms]) - median([...tools]);
  console.log(
    `\nprompt, over ACP, median (best) of ${rounds}: (+ 1 2) ${figure(sums)}, the first one with the image's start ${firstMs.toFixed(0)} ms; ` +
      `resource.read ${figure(tools)}, as a form ${figure(toolForms)}: ${over.toFixed(1)} ms over the tool`,
  );
  console.log(`terminal while a form computes: ${echoText(await formEchoFigures())}`);
}

/** Parts by name; `sessions` has `terminal` in it. */
const parts: Readonly<Record<string, () => Promise<void>>> = {
  runs: () => benchRuns(Number(values.rounds)),
  supervisor: () => benchThroughput(Number(values.jobs)),
  host: () => benchHost(Math.ceil(Number(values.rounds) / 2)),
  "fan-out": () =>
    benchFanOut(Math.ceil(Number(values.rounds) / 2), Number(values.children)).finally(removeFanOutHomes),
  sessions: () => benchSessions(100_000, 16).then(() => benchTerminal(16)),
  terminal: () => benchTerminal(16),
  mail: () => benchMail(1_000),
  cancel: () => benchCancel(Math.ceil(Number(values.rounds) / 2)),
  prompt: () => benchPrompt(200),
  reader: benchForms,
};

async function benchForms(): Promise<void> {
  console.log("");
  for (const { what, megabytesPerSecond } of benchReader())
    console.log(`data forms: ${what} ${megabytesPerSecond.toFixed(0)} MB/s`);
}

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined)
    throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(", ")}.`);
  await part();
}
process.exit(0);
