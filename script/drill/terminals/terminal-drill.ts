/** The terminal drill: kills of terminals and their hosts at the points of a plan. */
import { type TerminalPoint, terminalPlan, terminalVictims } from "./terminal-plan.ts";
import { type TerminalPointResult, runTerminalPoint } from "./terminal-point.ts";

export type TerminalDrillOptions = {
  readonly points: number;
  readonly seed: number;
  /** Points that run at once. */
  readonly parallel: number;
  /** Told of each point that has ended. */
  readonly report?: (result: TerminalPointResult) => void;
};

/** Runs it and resolves with the results in the order of the plan. */
export async function runTerminalDrill(
  options: TerminalDrillOptions,
): Promise<readonly TerminalPointResult[]> {
  const plan = terminalPlan(options.points, options.seed);
  const results: TerminalPointResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let point = plan[next++]; point !== undefined; point = plan[next++]) {
      const result = await runTerminalPoint(point);
      results[point.number - 1] = result;
      options.report?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return results;
}

/** The line of a point. */
export function terminalPointLine({ point, hit, violations, durationMs }: TerminalPointResult): string {
  const again = point.againMs === undefined ? "" : ` and ${point.againMs} ms after coming back`;
  const place = hit ? `after ${point.events} events + ${point.delayMs} ms` : "at rest";
  const verdict = violations.length === 0 ? "ok" : `VIOLATED\n    ${violations.join("\n    ")}`;
  return `terminal ${point.number}: ${nameOf(point)} killed ${place}${again}, ${(durationMs / 1000).toFixed(1)} s: ${verdict}`;
}

function nameOf({ victim }: TerminalPoint): string {
  return victim === "both" ? "terminal and host" : victim;
}

/** The one line of counts. */
export function terminalDrillSummary(results: readonly TerminalPointResult[], seed: number): string {
  const kills = terminalVictims
    .map((victim) => `${results.filter(({ point }) => point.victim === victim).length} ${victim}`)
    .join(", ");
  const inputs = results.reduce((total, result) => total + result.inputs, 0);
  const failed = results.filter(({ violations }) => violations.length > 0).length;
  return (
    `terminal drill: ${results.length} points (${kills}; ${results.filter(({ hit }) => !hit).length} at rest), ` +
    `${inputs} inputs accepted, ${failed} points with violations, seed ${seed}`
  );
}
