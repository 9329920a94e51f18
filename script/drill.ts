/**
 * `npm run drill [-- --points N] [--sessions N] [--terminals N] [--mail N] [--seed S] [--parallel P] [--outage SECONDS]`: kills parts of a running host at random points, lets
 * another host recover, and proves by the records that nothing was lost or repeated; then the same with the hosts of scripted sessions,
 * which are opened again, with terminals and their hosts while a person types, and under thirty children that write to each other. At the end Redis is away for 30 seconds under one more run. 0 leaves a part out. The last lines sum up; the exit
 * status is 1 when anything was violated.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runOutage } from "./drill/outage.ts";
import { drillPlan, faults } from "./drill/plan.ts";
import { mailDrillSummary, mailPointLine, runMailDrill } from "./drill/mail/mail-drill.ts";
import { type PointResult, runPoint } from "./drill/point.ts";
import { runSessionDrill, sessionDrillSummary, sessionPointLine } from "./drill/sessions/session-drill.ts";
import {
  runTerminalDrill,
  terminalDrillSummary,
  terminalPointLine,
} from "./drill/terminals/terminal-drill.ts";

export type DrillOptions = {
  readonly points: number;
  readonly seed: number;
  /** Points that run at once. */
  readonly parallel: number;
  /** Told of each point that has ended. */
  readonly report?: (result: PointResult) => void;
};

/** Runs a drill and resolves with the results in the order of the plan. */
export async function runDrill(options: DrillOptions): Promise<readonly PointResult[]> {
  const plan = drillPlan(options.points, options.seed);
  const results: PointResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let point = plan[next++]; point !== undefined; point = plan[next++]) {
      const result = await runPoint(point);
      results[point.number - 1] = result;
      options.report?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return results;
}

/** The one line of counts. */
export function drillSummary(results: readonly PointResult[], seed: number): string {
  const sum = (of: (result: PointResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const byFault = faults
    .map((fault) => `${results.filter(({ point, hit }) => hit && point.fault === fault).length} ${fault}`)
    .join(", ");
  const failed = results.filter(({ violations }) => violations.length > 0).length;
  return (
    `drill: ${results.length} points (${byFault}; ${results.filter(({ hit }) => !hit).length} after the end), ` +
    `${sum(({ effects }) => effects)} effects, ${sum(({ interrupted }) => interrupted)} jobs interrupted, ` +
    `${sum(({ unknown }) => unknown)} calls reported unknown, ${failed} points with violations, seed ${seed}`
  );
}

function wholeNumber(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} takes a whole number, not ${text}.`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      points: { type: "string", default: "500" },
      sessions: { type: "string", default: "300" },
      terminals: { type: "string", default: "150" },
      mail: { type: "string", default: "120" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      parallel: { type: "string", default: "2" },
      outage: { type: "string", default: "30" },
    },
  });
  const seed = wholeNumber(values.seed, "seed");
  const cache = mkdtempSync(join(tmpdir(), "al-drill-cache-"));
  process.env["NODE_COMPILE_CACHE"] = cache;
  try {
    const parallel = Math.max(1, wholeNumber(values.parallel, "parallel"));
    const results = await runDrill({
      points: wholeNumber(values.points, "points"),
      seed,
      parallel,
      report: ({ point, violations, durationMs }) => {
        const { number, tree, fault, records, delayMs, againMs } = point;
        const again = againMs === undefined ? "" : ` and ${againMs} ms into the recovery`;
        const verdict = violations.length === 0 ? "ok" : `VIOLATED\n    ${violations.join("\n    ")}`;
        process.stdout.write(
          `${number}: ${tree}, ${fault} at record ${records} + ${delayMs} ms${again}, ${(durationMs / 1000).toFixed(1)} s: ${verdict}\n`,
        );
      },
    });
    const sessions = await runSessionDrill({
      points: wholeNumber(values.sessions, "sessions"),
      seed,
      parallel,
      report: (result) => process.stdout.write(`${sessionPointLine(result)}\n`),
    });
    const terminals = await runTerminalDrill({
      points: wholeNumber(values.terminals, "terminals"),
      seed,
      parallel,
      report: (result) => process.stdout.write(`${terminalPointLine(result)}\n`),
    });
    const mail = await runMailDrill({
      points: wholeNumber(values.mail, "mail"),
      seed,
      parallel,
      report: (result) => process.stdout.write(`${mailPointLine(result)}\n`),
    });
    if ([...sessions, ...terminals, ...mail].some(({ violations }) => violations.length > 0))
      process.exitCode = 1;
    const outage = wholeNumber(values.outage, "outage");
    const outageViolations = outage === 0 ? [] : await runOutage(outage);
    if (outageViolations.length > 0) process.exitCode = 1;
    if (outage > 0)
      process.stdout.write(
        `Redis away for ${outage} s: ${outageViolations.length === 0 ? "ok" : `VIOLATED\n    ${outageViolations.join("\n    ")}`}\n`,
      );
    process.stdout.write(
      `${drillSummary(results, seed)}\n${sessionDrillSummary(sessions, seed)}\n${terminalDrillSummary(terminals, seed)}\n${mailDrillSummary(mail, seed)}\n`,
    );
    if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1;
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
