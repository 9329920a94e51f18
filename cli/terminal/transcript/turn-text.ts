/** What stands behind a turn. */
import type { SessionUpdate } from "../../../orchestrator/contract/session.ts";
import { countText } from "../text/count-text.ts";
import { durationText } from "./tool-lines.ts";

export type TurnEndUpdate = Extract<SessionUpdate, { type: "turn-end" }>;

/** How the turn went, in a line; empty when nothing is known of it. */
export function turnText({ outcome, durationMs, usage, failure }: TurnEndUpdate): string {
  if (outcome === "condition") return failure?.message ?? "The turn failed.";
  const counts = [
    durationMs === null ? "" : durationText(durationMs),
    usage.requests > 1 ? `${usage.requests} requests` : "",
    usage.inputTokens === null ? "" : `${countText(usage.inputTokens)} in`,
    usage.outputTokens === null ? "" : `${countText(usage.outputTokens)} out`,
  ].filter((part) => part !== "");
  return (outcome === "cancelled" ? ["stopped", ...counts] : counts).join(" · ");
}
