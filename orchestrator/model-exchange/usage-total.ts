import type { ModelUsage } from "../contract/model.ts";

/** Sums of usage over several requests. A counter that no request reported stays absent. */
export interface UsageTotal extends ModelUsage {
  /** Requests whose input or output counter was unknown: the sums are then lower bounds. */
  readonly requestsWithUnknownUsage: number;
}

const counters = [
  "inputTokens",
  "cachedInputTokens",
  "outputTokens",
  "reasoningTokens",
  "totalTokens",
] as const satisfies readonly (keyof ModelUsage)[];

/** Adds up what is known, and says how often it was not. */
export function totalUsage(usages: readonly ModelUsage[]): UsageTotal {
  const total: ModelUsage = {};
  for (const counter of counters) {
    const known = usages.flatMap((usage) => usage[counter] ?? []);
    if (known.length > 0) total[counter] = known.reduce((sum, value) => sum + value, 0);
  }
  const unknown = usages.filter(
    (usage) => usage.inputTokens === undefined || usage.outputTokens === undefined,
  );
  return { ...total, requestsWithUnknownUsage: unknown.length };
}
