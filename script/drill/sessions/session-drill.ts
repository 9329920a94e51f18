/** The session drill: kills of session hosts at the points of a plan. */
import { sessionPlan } from "./session-plan.ts";
import { type SessionPointResult, runSessionPoint } from "./session-point.ts";

export type SessionDrillOptions = {
  readonly points: number;
  readonly seed: number;
  /** Points that run at once. */
  readonly parallel: number;
  /** Told of each point that has ended. */
  readonly report?: (result: SessionPointResult) => void;
};

/** Runs it and resolves with the results in the order of the plan. */
export async function runSessionDrill(options: SessionDrillOptions): Promise<readonly SessionPointResult[]> {
  const plan = sessionPlan(options.points, options.seed);
  const results: SessionPointResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let point = plan[next++]; point !== undefined; point = plan[next++]) {
      const result = await runSessionPoint(point);
      results[point.number - 1] = result;
      options.report?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return results;
}

/** The line of a point. */
export function sessionPointLine({ point, hit, violations, durationMs }: SessionPointResult): string {
  const again = point.againMs === undefined ? "" : ` and ${point.againMs} ms into the next host`;
  const place = hit ? `after ${point.lines} lines + ${point.delayMs} ms` : "at rest";
  const verdict = violations.length === 0 ? "ok" : `VIOLATED\n    ${violations.join("\n    ")}`;
  return `session ${point.number}: host killed ${place}${again}, ${(durationMs / 1000).toFixed(1)} s: ${verdict}`;
}

/** The one line of counts. */
export function sessionDrillSummary(results: readonly SessionPointResult[], seed: number): string {
  const sum = (of: (result: SessionPointResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const failed = results.filter(({ violations }) => violations.length > 0).length;
  return (
    `session drill: ${results.length} points (${results.filter(({ hit }) => !hit).length} at rest), ` +
    `${sum(({ inputs }) => inputs)} inputs accepted, ${sum(({ completions }) => completions)} detached jobs, ` +
    `${failed} points with violations, seed ${seed}`
  );
}
