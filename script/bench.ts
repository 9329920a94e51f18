/** `npm run bench [-- --rounds N] [--jobs N]`: figures of one run on this machine, each beside its floor or peer. Build first. */
import { parseArgs } from "node:util";
import { benchReader } from "./bench-reader.ts";
import { type RunFigures, median, runJobFigures } from "./bench/run-job-figures.ts";
import { throughputFigures } from "./bench/supervisor-figures.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, jobs: { type: "string", default: "3000" } },
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

await benchRuns(Number(values.rounds));
await benchThroughput(Number(values.jobs));
console.log("");
for (const { what, megabytesPerSecond } of benchReader())
  console.log(`data forms: ${what} ${megabytesPerSecond.toFixed(0)} MB/s`);
process.exit(0);
