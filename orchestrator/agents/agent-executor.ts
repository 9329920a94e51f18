/**
 * The executor of kind `agent`: opens the child's record, runs the model loop in a pool thread, continues it from its last boundary
 * when a thread is lost, and turns its end into the job's outcome.
 */
import type {
  AgentEvent,
  AgentRunner,
  AgentSpec,
  Boundary,
  ReplayReply,
  ReplayRequest,
} from "../contract/agent-thread.ts";
import type { AgentResult, CancelReason } from "../contract/job-catalog.ts";
import type { ToolContext } from "../contract/tool.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import type { DispatchOptions } from "../tools/dispatcher.ts";
import { agentOutcomeOf } from "./agent-result.ts";
import { AgentHost } from "./agent-host.ts";
import { type CompletionSource, type MailSource, childBoundary } from "./child-boundary.ts";
import { assignmentText, parentSteeringText } from "./instructions.ts";
import { runAgent } from "./run-agent.ts";
import type { OutputLimits } from "./retained-output.ts";
import type { PromptReplies } from "./prompt-replies.ts";
import { StartTurns } from "./start-turns.ts";
import type { SteeringMailbox, SteeringMessage } from "./steering.ts";
import type { AgentTranscript } from "./transcript.ts";
import type { YieldState } from "./yield.ts";

/** Everything of one child run that depends on its role, model and place in the tree. */
export type ChildRun = {
  readonly transcript: AgentTranscript;
  readonly dispatch: DispatchOptions;
  readonly context: Omit<ToolContext, "callId">;
  readonly steering: SteeringMailbox;
  readonly replies: PromptReplies;
  readonly yielding: YieldState;
  readonly completions: CompletionSource;
  readonly mail: MailSource;
  /** The outcome once what belongs to the end of the run is done (an isolated child's work is secured). */
  readonly concluded: (outcome: Outcome<AgentResult>) => Promise<Outcome<AgentResult>>;
  /** The thread's specification without what the record supplies. */
  readonly spec: Omit<AgentSpec, "items" | "firstRequestNumber">;
  readonly observe: (event: AgentEvent) => void;
  /** The newest of what has streamed. */
  readonly streamTail: () => string;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
};

export type AgentExecutorParts = {
  readonly runner: AgentRunner;
  /** Prepares one run; rejects with a typed error for an unknown role, model or unusable configuration. */
  readonly prepare: (job: JobExecution<"agent">) => Promise<ChildRun>;
  /** Called when the run has ended, or could not be prepared. */
  readonly ended: (job: JobExecution<"agent">) => Promise<void>;
  readonly outputLimits: OutputLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Builds the executor. */
export function agentExecutor(
  parts: AgentExecutorParts,
): (job: JobExecution<"agent">) => Promise<Outcome<AgentResult>> {
  const turns = new StartTurns();
  return async (job) => {
    try {
      await turns.next();
      const run = await parts.prepare(job);
      performance.mark("autolith:agent-prepared");
      try {
        return await run.concluded(await runChild(job, run, parts));
      } finally {
        await run.transcript.close();
      }
    } finally {
      await parts.ended(job);
    }
  };
}

async function runChild(
  job: JobExecution<"agent">,
  run: ChildRun,
  parts: AgentExecutorParts,
): Promise<Outcome<AgentResult>> {
  await run.transcript.userMessage(assignmentText(job.payload.assignment, job.payload.context));
  const next = childBoundary({ ...run, steeringText, signal: job.signal });
  const agent = new AgentHost({ ...run, next, responded: ({ items }) => run.replies.said(wordsOf(items)) });
  const outcome = await runAgent({
    runner: parts.runner,
    host: agent,
    transcript: run.transcript,
    spec: { ...run.spec, firstRequestNumber: 1 },
    signal: job.signal,
    // A submission accepted at the last boundary stands although its thread died before hearing so.
    isOver: () => run.yielding.accepted !== undefined || run.yielding.givenUp !== undefined,
  });
  await agent.recorded();
  return agentOutcomeOf({
    outcome,
    submission: run.yielding.accepted,
    givenUp: run.yielding.givenUp,
    server: serverOf(run.spec.source),
    lastAttempts: agent.lastAttempts,
    lastText: agent.lastText,
    streamTail: run.streamTail(),
    outputLimits: parts.outputLimits,
    usages: agent.usages,
    requestCount: agent.requestCount,
    durationMs: Math.max(0, parts.now() - job.claimedAt),
    model: job.payload.model,
    undeliveredPromptCount: run.steering.close(),
    cancelReason: job.signal.aborted ? (job.signal.reason as CancelReason) : undefined,
  });
}

function steeringText({ from, text }: SteeringMessage): string {
  return from === "parent" ? parentSteeringText(text) : text;
}

function wordsOf(items: Boundary["items"]): string {
  return items.flatMap((item) => (item.type === "assistant-message" ? [item.text] : [])).join("\n");
}

/** Host and port of a live model's server: a whole URL can hold a password. */
function serverOf(source: AgentSpec["source"]): string | undefined {
  if (source.kind !== "live") return undefined;
  const { baseUrl, provider } = source.endpoint;
  return URL.parse(baseUrl ?? "")?.host ?? provider;
}
