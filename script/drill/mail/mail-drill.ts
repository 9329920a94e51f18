/** The mail drill: faults under thirty children that write to each other, at the points of a plan. */
import { mailPlan } from "./mail-plan.ts";
import { type MailPointResult, runMailPoint } from "./mail-point.ts";

export type MailDrillOptions = {
  readonly points: number;
  readonly seed: number;
  /** Points that run at once. */
  readonly parallel: number;
  /** Told of each point that has ended. */
  readonly report?: (result: MailPointResult) => void;
};

/** Runs it and resolves with the results in the order of the plan. */
export async function runMailDrill(options: MailDrillOptions): Promise<readonly MailPointResult[]> {
  const plan = mailPlan(options.points, options.seed);
  const results: MailPointResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let point = plan[next++]; point !== undefined; point = plan[next++]) {
      const result = await runMailPoint(point);
      results[point.number - 1] = result;
      options.report?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return results;
}

/** The line of a point. */
export function mailPointLine({ point, hit, violations, sent, durationMs }: MailPointResult): string {
  const place = hit ? `after ${point.lines} lines + ${point.delayMs} ms` : "at rest";
  const verdict = violations.length === 0 ? "ok" : `VIOLATED\n    ${violations.join("\n    ")}`;
  return `mail ${point.number}: ${point.fault} killed ${place}, ${sent} sent, ${(durationMs / 1000).toFixed(1)} s: ${verdict}`;
}

/** The one line of counts. */
export function mailDrillSummary(results: readonly MailPointResult[], seed: number): string {
  const sum = (of: (result: MailPointResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const failed = results.filter(({ violations }) => violations.length > 0).length;
  return (
    `mail drill: ${results.length} points (${results.filter(({ hit }) => !hit).length} at rest), ` +
    `${sum(({ sent }) => sent)} messages sent, ${sum(({ acknowledged }) => acknowledged)} acknowledged, ` +
    `${failed} points with violations, seed ${seed}`
  );
}
