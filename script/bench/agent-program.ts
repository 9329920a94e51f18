/** The measured process: one pool, one agent that reads until its script ends. */
import { readFileSync } from "node:fs";
import type { AgentHostPort, AgentSpec } from "../../orchestrator/contract/agent-thread.ts";
import { defaultAgentLimits } from "../../orchestrator/contract/agent-limits.ts";
import type { ModelWire } from "../../orchestrator/contract/model.ts";
import { startAgentPool } from "../../workers/agent/agent-pool.ts";

/** What the parent asks for. */
export interface AgentProgram {
  readonly baseUrl: string;
  readonly wire: ModelWire;
}

/** What the process tells; instants are epoch milliseconds with fractions. */
export interface AgentMeasurement {
  readonly poolStartedAt: number;
  readonly pssMiB: number;
  readonly pssBeforePoolMiB: number;
}

/** Proportional set size of this process in MiB. */
function pssMiB(): number {
  const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/smaps_rollup", "utf8"));
  return Number(match?.[1] ?? Number.NaN) / 1024;
}

const host: AgentHostPort = {
  boundary: async ({ items }) => {
    const results = items.flatMap((item) =>
      item.type === "tool-call"
        ? [{ type: "tool-result" as const, callId: item.callId, status: "ok" as const, output: "text" }]
        : [],
    );
    return results.length === 0 ? { next: "finish" } : { next: "continue", items: results };
  },
  replay: () => Promise.reject(new Error("this program replays nothing")),
  event: () => undefined,
};

async function run(program: AgentProgram): Promise<AgentMeasurement> {
  const pssBeforePoolMiB = pssMiB();
  const poolStartedAt = performance.timeOrigin + performance.now();
  const pool = startAgentPool({ expectLiveRequests: true, onIdleThreadLost: () => undefined });
  const endpoint = { provider: "openai-api", wire: program.wire, baseUrl: program.baseUrl, reasoning: false };
  const spec: AgentSpec = {
    executionId: "00000000-0000-4000-8000-000000000001",
    lineage: "0",
    purpose: "agent",
    source: { kind: "live", record: false, endpoint },
    model: "scripted",
    instructions: "Read.",
    tools: [{ name: "resource.read", description: "Read.", parameters: { type: "object" } }],
    items: [{ type: "user-message", text: "Begin." }],
    firstRequestNumber: 1,
    limits: defaultAgentLimits,
    streamOutput: false,
  };
  const outcome = await pool.run(spec, host, new AbortController().signal);
  if (outcome.status !== "finished") throw new Error(`the run ended as ${JSON.stringify(outcome)}`);
  const measurement = { poolStartedAt, pssMiB: pssMiB(), pssBeforePoolMiB };
  await pool.close();
  return measurement;
}

process.once("message", (program: AgentProgram) => {
  void run(program).then((measurement) => {
    process.send?.(measurement, () => process.disconnect?.());
  });
});
