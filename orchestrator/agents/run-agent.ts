/** Runs an agent in a pool thread and continues it from its last boundary when the thread is lost. */
import type { AgentOutcome, AgentRunner, AgentSpec } from "../contract/agent-thread.ts";
import type { ModelItem } from "../contract/model.ts";
import type { AgentHost } from "./agent-host.ts";
import type { AgentTranscript } from "./transcript.ts";

/** Times one run is continued after its thread was lost. */
export const threadLossLimit = 3;

export type AgentRunParts = {
  readonly runner: AgentRunner;
  readonly host: AgentHost;
  readonly transcript: AgentTranscript;
  /** The thread's specification without what the record supplies; `firstRequestNumber` is that of this host's first request. */
  readonly spec: Omit<AgentSpec, "items">;
  readonly signal: AbortSignal;
  /** True when the work is done although the thread that did it died before hearing so. */
  readonly isOver: () => boolean;
};

/** Resolves with how the run ended; rejects when the record cannot be read or written. */
export async function runAgent(parts: AgentRunParts): Promise<AgentOutcome> {
  const { runner, host, transcript, signal } = parts;
  const before = host.usages.length;
  for (let losses = 0; ; losses += 1) {
    const items = [...(await transcript.history())];
    // A turn that ended the run was its last record: its thread died before hearing so.
    if (losses > 0 && isAssistantItem(items.at(-1)))
      return { status: "finished", requests: host.requestCount };
    const firstRequestNumber = parts.spec.firstRequestNumber + host.usages.length - before;
    const advice = [...(await host.begin(items.length))];
    performance.mark("autolith:agent-handed-over");
    const spec = { ...parts.spec, items, firstRequestNumber, ...(advice.length === 0 ? {} : { advice }) };
    const outcome = await runner.run(spec, host, signal);
    await host.idle();
    const lost = outcome.status === "failed" && outcome.failure.code === "thread-lost";
    if (!lost || signal.aborted || losses >= threadLossLimit) return outcome;
    if (parts.isOver()) return { status: "finished", requests: host.requestCount };
  }
}

function isAssistantItem(item: ModelItem | undefined): boolean {
  return item !== undefined && item.type !== "user-message" && item.type !== "tool-result";
}
