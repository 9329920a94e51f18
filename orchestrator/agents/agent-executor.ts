/**
 * The executor of kind `agent`: opens the child's record, runs the model loop in a pool thread, continues it from its last boundary
 * when a thread is lost, and turns its end into the job's outcome.
 */
import type {
  AgentEvent,
  AgentOutcome,
  AgentRunner,
  AgentSpec,
  ReplayReply,
  ReplayRequest,
} from "../contract/agent-thread.ts";
import type { AgentResult, CancelReason } from "../contract/job-catalog.ts";
import type { ModelItem } from "../contract/model.ts";
import type { ToolContext } from "../contract/tool.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import type { DispatchOptions } from "../tools/dispatcher.ts";
import { agentOutcomeOf } from "./agent-result.ts";
import { ChildAgent, type CompletionSource } from "./child-agent.ts";
import { assignmentText, parentSteeringText } from "./instructions.ts";
import type { SteeringMailbox } from "./steering.ts";
import type { AgentTranscript } from "./transcript.ts";
import type { YieldState } from "./yield.ts";

/** Times one run is continued after its thread was lost. */
const threadLossLimit = 3;

/** Everything of one child run that depends on its role, model and place in the tree. */
export type ChildRun = {
  readonly transcript: AgentTranscript;
  readonly dispatch: DispatchOptions;
  readonly context: Omit<ToolContext, "callId">;
  readonly steering: SteeringMailbox;
  readonly yielding: YieldState;
  readonly completions: CompletionSource;
  /** The thread's specification without what the record supplies. */
  readonly spec: Omit<AgentSpec, "items" | "firstRequestNumber">;
  readonly observe: (event: AgentEvent) => void;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
};

export type AgentExecutorParts = {
  readonly runner: AgentRunner;
  /** Prepares one run; rejects with a typed error for an unknown role, model or unusable configuration. */
  readonly prepare: (job: JobExecution<"agent">) => Promise<ChildRun>;
  /** Called when the run has ended, whatever happened. */
  readonly ended: (job: JobExecution<"agent">) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Builds the executor. */
export function agentExecutor(
  parts: AgentExecutorParts,
): (job: JobExecution<"agent">) => Promise<Outcome<AgentResult>> {
  return async (job) => {
    const run = await parts.prepare(job);
    performance.mark("autolith:agent-prepared");
    try {
      return await runChild(job, run, parts);
    } finally {
      parts.ended(job);
      await run.transcript.close();
    }
  };
}

async function runChild(
  job: JobExecution<"agent">,
  run: ChildRun,
  parts: AgentExecutorParts,
): Promise<Outcome<AgentResult>> {
  await run.transcript.userMessage(assignmentText(job.payload.assignment, job.payload.context));
  const agent = new ChildAgent({ ...run, steeringText: parentSteeringText });
  const outcome = await runToEnd(job, run, agent, parts.runner);
  await agent.recorded();
  return agentOutcomeOf({
    outcome,
    submission: run.yielding.accepted,
    lastText: agent.lastText,
    usages: agent.usages,
    requestCount: agent.requestCount,
    durationMs: Math.max(0, parts.now() - job.claimedAt),
    model: job.payload.model,
    undeliveredPromptCount: run.steering.close(),
    cancelReason: job.signal.aborted ? (job.signal.reason as CancelReason) : undefined,
  });
}

function isAssistantItem(item: ModelItem | undefined): boolean {
  return item !== undefined && item.type !== "user-message" && item.type !== "tool-result";
}

async function runToEnd(
  job: JobExecution<"agent">,
  run: ChildRun,
  agent: ChildAgent,
  runner: AgentRunner,
): Promise<AgentOutcome> {
  for (let losses = 0; ; losses += 1) {
    const items = [...(await run.transcript.history())];
    // A turn that ended the run was its last record: its thread died before hearing so.
    if (losses > 0 && isAssistantItem(items.at(-1)))
      return { status: "finished", requests: agent.requestCount };
    const spec: AgentSpec = { ...run.spec, items, firstRequestNumber: agent.usages.length + 1 };
    performance.mark("autolith:agent-handed-over");
    const outcome = await runner.run(spec, agent, job.signal);
    const lost = outcome.status === "failed" && outcome.failure.code === "thread-lost";
    if (!lost || job.signal.aborted || losses >= threadLossLimit) return outcome;
    // A submission accepted at the last boundary stands although its thread died before hearing so.
    if (run.yielding.accepted !== undefined) return { status: "finished", requests: agent.requestCount };
  }
}
