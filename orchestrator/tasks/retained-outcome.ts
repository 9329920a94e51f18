/** What stays in memory of a child that has ended (facts C.6): its result with long values cut. The whole is in `result.sexp`. */
import type { AgentResult } from "../contract/job-catalog.ts";
import type { Settlement } from "../jobs/settlements.ts";
import { preview } from "./report-form.ts";

/** Most characters of each value that are kept. */
export const retainedCharacters = { output: 2_000, error: 2_000, structuredOutput: 2_000 } as const;

/** The settlement as it is kept. Roots of headless runs, whose outcome is asked for once, stay whole. */
export function retainedSettlement(settlement: Settlement): Settlement {
  const { job, outcome } = settlement;
  if (job.kind !== "agent" || outcome.result === undefined) return settlement;
  if (job.owner.parentCallId === undefined) return settlement;
  const whole = outcome.result as AgentResult;
  const { output, error, structuredOutput, ...rest } = whole;
  const keepsData =
    structuredOutput === undefined ||
    JSON.stringify(structuredOutput).length <= retainedCharacters.structuredOutput;
  const isWhole =
    keepsData &&
    output.length <= retainedCharacters.output &&
    (error ?? "").length <= retainedCharacters.error;
  if (isWhole) return settlement;
  const result: AgentResult = {
    ...rest,
    output: preview(output, retainedCharacters.output),
    ...(error === undefined ? {} : { error: preview(error, retainedCharacters.error) }),
    ...(keepsData && structuredOutput !== undefined ? { structuredOutput } : {}),
  };
  return { job, outcome: { ...outcome, result }, shortened: true };
}
