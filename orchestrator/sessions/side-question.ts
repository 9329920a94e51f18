/** A question that the session's model answers beside its turns: paid by the conversation, noted in its record. */
import { z } from "zod";
import { defaultAgentLimits } from "../contract/agent-limits.ts";
import type { AgentSpec } from "../contract/agent-thread.ts";
import type { ModelChoice } from "../models/model-directory.ts";
import { completeOnce } from "../model-exchange/single-completion.ts";
import type { SessionCore } from "./session-core.ts";

export type SideQuestion = Pick<
  AgentSpec,
  | "lineage"
  | "purpose"
  | "reasoningEffort"
  | "promptCacheKey"
  | "instructions"
  | "items"
  | "firstRequestNumber"
> & {
  /** The session's model; reached by the caller, before the request is numbered or told. */
  readonly choice: ModelChoice;
  /** What the record says of the request besides its usage. */
  readonly metadata: Readonly<Record<string, string | number>>;
};

/** The texts of the answer, in order. Rejects as `completeOnce` does. */
export async function askBeside(
  core: SessionCore,
  { choice, metadata, ...request }: SideQuestion,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { environment } = core;
  const response = await completeOnce(
    environment.runner,
    {
      ...request,
      executionId: core.id,
      source: choice.source,
      model: choice.model,
      tools: [],
      limits: { ...defaultAgentLimits, maxTurns: 1 },
      streamOutput: false,
    },
    { event: environment.observeAgent, replay: environment.replay },
    signal,
  );
  core.usage.spent(response.usage);
  await core.log.append({
    kind: "provider",
    metadata: z.json().parse({ ...metadata, usage: JSON.parse(JSON.stringify(response.usage)) }),
  });
  return response.items.flatMap((item) => (item.type === "assistant-message" ? [item.text] : []));
}
