/**
 * The primary: an agent of role *primary* on the machinery of all agents. One call of {@link runPrimary} is one turn for the user: requests
 * until the model ends with text, with compaction between requests where the context is full.
 */
import { AgentHost, type AgentHostParts, type Continuation, type TurnEnd } from "../../agents/agent-host.ts";
import { runAgent } from "../../agents/run-agent.ts";
import type { AgentTranscript } from "../../agents/transcript.ts";
import type {
  AgentEvent,
  AgentOutcome,
  AgentRunner,
  AgentSpec,
  ReplayReply,
  ReplayRequest,
} from "../../contract/agent-thread.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { DispatchOptions } from "../../tools/dispatcher.ts";

export type PrimaryParts = {
  readonly runner: AgentRunner;
  readonly transcript: AgentTranscript;
  readonly dispatch: () => DispatchOptions;
  readonly context: (signal: AbortSignal) => Omit<ToolContext, "callId">;
  readonly observe: (event: AgentEvent) => void;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  /** The thread's specification at this moment; asked again after each restart. */
  readonly spec: () => Omit<AgentSpec, "items">;
  /** What must happen before the next request: compaction. Rejects when no request can be made. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  readonly advice: NonNullable<AgentHostParts["advice"]>;
  readonly responded: NonNullable<AgentHostParts["responded"]>;
  /** What follows a boundary. `restart`: go on, with a fresh specification and history. */
  readonly boundary: (turn: TurnEnd) => Promise<Continuation | "restart">;
};

/** Resolves when nothing of the turn runs any more. Rejects for failures of the host, `prepare` included. */
export async function runPrimary(parts: PrimaryParts, signal: AbortSignal): Promise<AgentOutcome> {
  for (;;) {
    await parts.prepare(signal);
    let restart = false;
    const host = new AgentHost({
      transcript: parts.transcript,
      dispatch: parts.dispatch(),
      context: parts.context(signal),
      observe: parts.observe,
      replay: parts.replay,
      advice: parts.advice,
      responded: parts.responded,
      next: async (turn) => {
        const continuation = await parts.boundary(turn);
        restart = continuation === "restart";
        return continuation === "restart" ? "finish" : continuation;
      },
    });
    const outcome = await runAgent({
      runner: parts.runner,
      host,
      transcript: parts.transcript,
      spec: parts.spec(),
      signal,
      isOver: () => restart,
    });
    await host.recorded();
    if (!restart || outcome.status !== "finished" || signal.aborted) return outcome;
  }
}
