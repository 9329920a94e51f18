/**
 * The entry of agent threads, run by Piscina: many agents share one thread, because they mostly wait. Nothing here
 * touches the machine: tools run in the host, which is asked at every boundary.
 */
import { threadId, workerData, type MessagePort } from "node:worker_threads";
import type { AgentSpec } from "../../orchestrator/contract/agent-thread.ts";
import type { ModelEndpoint } from "../../orchestrator/contract/model.ts";
import { EventStream } from "./event-stream.ts";
import { HostLink } from "./host-link.ts";
import { modelCalls } from "./model-calls.ts";
import { SharedValues } from "./shared-values.ts";
import { runTurns } from "./turn-loop.ts";

/** The task of one run. The port is transferred and belongs to the thread from then on. */
export interface AgentTask {
  readonly spec: Omit<AgentSpec, "tools">;
  /** The tools as JSON: a text crosses in no time, and runs that offer the same share what is made of it. */
  readonly tools: string;
  readonly port: MessagePort;
}

/**
 * Runs one agent. Resolves when its outcome has been sent over the port, and never rejects: a rejection of the pool
 * means that the thread was lost.
 */
export async function runAgentTask({ spec: brief, tools, port }: AgentTask): Promise<void> {
  const spec: AgentSpec = { ...brief, source: sharedSource(brief.source), tools: toolLists.of(tools) };
  const link = new HostLink(port);
  const events = new EventStream((event) => link.event(event), spec.streamOutput);
  events.emit({ event: "run-started", threadId });
  if (link.cancelReason !== undefined) {
    link.end({ status: "cancelled", requests: 0, reason: link.cancelReason });
    return;
  }
  const request = modelCalls(spec, {
    events,
    signal: link.signal,
    admit: () => link.admission(),
    replay: (asked) => link.replay(asked),
  });
  const outcome = await runTurns(
    spec,
    { request, boundary: (boundary) => link.boundary(boundary) },
    () => link.cancelReason,
  );
  events.close();
  link.end(outcome);
}

/** What the pool tells each of its threads. */
export interface AgentThreadData {
  /** Load the model SDK while the host is still getting ready. */
  readonly expectLiveRequests: boolean;
}

const data = workerData as AgentThreadData | undefined;
if (data?.expectLiveRequests === true) {
  // What fails here fails again in the first request, which reports it.
  import("../model/openai-attempt.ts").then(({ warmUpRequests }) => warmUpRequests()).catch(() => undefined);
}

const toolLists = new SharedValues<AgentSpec["tools"]>();
const endpoints = new SharedValues<ModelEndpoint>();

/** The source, with the endpoint that other runs have too. */
function sharedSource(source: AgentSpec["source"]): AgentSpec["source"] {
  return source.kind === "replay"
    ? source
    : { ...source, endpoint: endpoints.of(JSON.stringify(source.endpoint)) };
}
