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

async function benchRuns(rounds: number): Promise<void> {
  const widths = [24, 18, 10, 12, 9];
  console.log(
    `run-job: a job of 12 resource.read turns, median of ${rounds} interleaved runs (best in brackets)`,
  );
  row(["", "first request ms", "turn ms", "whole job ms", "PSS MiB"], widths);
  for (const { name, runs } of await runJobFigures(rounds)) {
    const figure = (pick: (run: RunFigures) => number, digits: number): string => {
      const all = runs.map(pick);
      return `${median(all).toFixed(digits)} (${Math.min(...all).toFixed(digits)})`;
    };
    row(
      [
        name,
        figure((run) => run.firstRequestMs, 0),
        figure((run) => run.turnMs, 1),
        figure((run) => run.totalMs, 0),
        median(runs.map((run) => run.pssMiB)).toFixed(0),
      ],
      widths,
    );
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
