/** Bounds of the job runtime that the environment may change (facts C.3). Values that are no number, or too low, give the default. */
import type { ConcurrencyClass } from "../contract/job-catalog.ts";
import type { OutputLimits } from "../agents/retained-output.ts";
import { liveJobLimit } from "../jobs/job-table.ts";
import type { SpawnLimits } from "../jobs/spawn-budget.ts";

export type JobLimits = {
  readonly concurrency: Readonly<Record<ConcurrencyClass, number>>;
  /** Depth below the primary at which children may exist. */
  readonly maxDepth: number;
  /** Deadline of children started by tools, in milliseconds; undefined: none. */
  readonly childTimeoutMs: number | undefined;
  /** Children that one conversation may start. */
  readonly spawn: SpawnLimits;
  /** What is retained of a child's output. */
  readonly output: OutputLimits;
  /** Requests under way to one model provider. */
  readonly modelRequests: number;
};

type Bound = {
  readonly variable: string;
  readonly usual: number;
  readonly minimum: number;
  readonly maximum: number;
};

/** Each bound with its variable, default and range. */
export const jobBounds = {
  children: { variable: "AUTOLITH_TASK_MAX_CONCURRENCY", usual: 8, minimum: 1, maximum: 32 },
  executions: { variable: "AUTOLITH_EXECUTION_MAX_CONCURRENCY", usual: 4, minimum: 1, maximum: 16 },
  depth: { variable: "AUTOLITH_TASK_MAX_DEPTH", usual: 2, minimum: 1, maximum: 16 },
  spawnTotal: { variable: "AUTOLITH_TASK_MAX_TOTAL", usual: 2_000, minimum: 1, maximum: 1_000_000 },
  spawnRate: { variable: "AUTOLITH_TASK_MAX_PER_MINUTE", usual: 120, minimum: 1, maximum: 100_000 },
  modelRequests: { variable: "AUTOLITH_MODEL_MAX_CONCURRENCY", usual: 32, minimum: 1, maximum: 256 },
  outputBytes: {
    variable: "AUTOLITH_TASK_MAX_OUTPUT_BYTES",
    usual: 500_000,
    minimum: 1_000,
    maximum: 8_000_000,
  },
  outputLines: { variable: "AUTOLITH_TASK_MAX_OUTPUT_LINES", usual: 5_000, minimum: 10, maximum: 1_000_000 },
  childRuntimeMs: { variable: "AUTOLITH_TASK_MAX_RUNTIME_MS", usual: 0, minimum: 0, maximum: 2_147_483_647 },
} as const satisfies Record<string, Bound>;

/** The bounds in force under `environment`; values above the maximum are clamped to it. */
export function jobLimits(environment: Readonly<Record<string, string | undefined>>): JobLimits {
  const value = (bound: Bound): number => boundFrom(environment, bound) ?? bound.usual;
  const runtime = value(jobBounds.childRuntimeMs);
  return {
    concurrency: {
      children: value(jobBounds.children),
      executions: value(jobBounds.executions),
      evaluations: liveJobLimit,
      gates: 1,
      wakeups: 1,
    },
    maxDepth: value(jobBounds.depth),
    childTimeoutMs: runtime === 0 ? undefined : runtime,
    output: { bytes: value(jobBounds.outputBytes), lines: value(jobBounds.outputLines) },
    modelRequests: value(jobBounds.modelRequests),
    spawn: { total: value(jobBounds.spawnTotal), perMinute: value(jobBounds.spawnRate) },
  };
}

/** The value that the environment sets, or undefined where the default holds. */
export function boundFrom(
  environment: Readonly<Record<string, string | undefined>>,
  { variable, minimum, maximum }: Bound,
): number | undefined {
  const text = environment[variable]?.trim() ?? "";
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) && number >= minimum ? Math.min(number, maximum) : undefined;
}
