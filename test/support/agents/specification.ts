import { defaultAgentLimits, type AgentLimits } from "../../../orchestrator/contract/agent-limits.ts";
import type { AgentSpec } from "../../../orchestrator/contract/agent-thread.ts";
import type { ModelWire, ToolSchema } from "../../../orchestrator/contract/model.ts";

/** Limits for tests: the real counts, with waits of a few milliseconds. */
export const quickLimits: AgentLimits = {
  ...defaultAgentLimits,
  maxTurns: 10,
  responseHeadTimeoutMs: 10_000,
  streamIdleTimeoutMs: 10_000,
  maxRetryAfterMs: 50,
  baseBackoffMs: 2,
  maxBackoffMs: 8,
};

/** Two tools as a registry would offer them. */
export const sampleTools: readonly ToolSchema[] = [
  {
    name: "resource.read",
    description: "Read a resource.",
    parameters: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
  },
  { name: "shell.run", description: "Run a command.", parameters: { type: "object", properties: {} } },
];

/** A specification of an agent that talks to `baseUrl`. */
export function liveSpec(baseUrl: string, wire: ModelWire, more: Partial<AgentSpec> = {}): AgentSpec {
  return {
    executionId: "00000000-0000-4000-8000-000000000001",
    lineage: "0",
    purpose: "agent",
    source: {
      kind: "live",
      record: false,
      endpoint: { provider: "openai-api", wire, baseUrl, apiKey: "test-key", reasoning: true },
    },
    model: "scripted",
    instructions: "Follow the script.",
    tools: [...sampleTools],
    items: [{ type: "user-message", text: "Begin." }],
    firstRequestNumber: 1,
    limits: quickLimits,
    streamOutput: false,
    ...more,
  };
}
