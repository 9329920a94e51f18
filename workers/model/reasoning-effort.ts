import type { ReasoningEffort } from "../../orchestrator/contract/model.ts";

/** The effort as servers know it: `ultra` is ours, their strongest is `max`. */
export function serverEffort(effort: ReasoningEffort): string {
  return effort === "ultra" ? "max" : effort;
}
