import type {
  AgentEvent,
  AgentHostPort,
  Boundary,
  BoundaryReply,
  ReplayReply,
  ReplayRequest,
} from "../../../orchestrator/contract/agent-thread.ts";
import type { HostItem, ToolCallItem } from "../../../orchestrator/contract/model.ts";
import { parseToolArguments } from "../../../orchestrator/model-exchange/tool-arguments.ts";

type EventKind = AgentEvent["event"];

/** A host that keeps everything it is told; calls are answered by `runTool`, and a turn without calls ends the run. */
export class RecordingHost implements AgentHostPort {
  readonly events: AgentEvent[] = [];
  readonly boundaries: Boundary[] = [];
  readonly executed: ToolCallItem[] = [];
  /** Replaces the answer to a boundary. */
  onBoundary: ((boundary: Boundary) => Promise<BoundaryReply> | BoundaryReply) | undefined;
  /** Replaces the cassette. */
  onReplay: ((request: ReplayRequest) => Promise<ReplayReply> | ReplayReply) | undefined;
  readonly #waiting: Array<{ kind: EventKind; resolve: (event: AgentEvent) => void }> = [];

  async boundary(boundary: Boundary): Promise<BoundaryReply> {
    this.boundaries.push(boundary);
    if (this.onBoundary !== undefined) return this.onBoundary(boundary);
    const results = boundary.items.flatMap((item) => (item.type === "tool-call" ? this.#result(item) : []));
    return results.length === 0 ? { next: "finish" } : { next: "continue", items: results };
  }

  async replay(request: ReplayRequest): Promise<ReplayReply> {
    if (this.onReplay === undefined) throw new Error("this host has no cassette");
    return this.onReplay(request);
  }

  event(event: AgentEvent): void {
    this.events.push(event);
    for (const waiting of this.#waiting.filter(({ kind }) => kind === event.event)) waiting.resolve(event);
  }

  /** All events of a kind so far. */
  all<Kind extends EventKind>(kind: Kind): Array<Extract<AgentEvent, { event: Kind }>> {
    return this.events.filter((event): event is Extract<AgentEvent, { event: Kind }> => event.event === kind);
  }

  /** Resolves with the next event of a kind, or the first one there is already. */
  next(kind: EventKind): Promise<AgentEvent> {
    const seen = this.events.find((event) => event.event === kind);
    if (seen !== undefined) return Promise.resolve(seen);
    return new Promise((resolve) => {
      this.#waiting.push({ kind, resolve });
    });
  }

  #result(call: ToolCallItem): HostItem {
    const parsed = parseToolArguments(call.arguments);
    if (!parsed.ok)
      return { type: "tool-result", callId: call.callId, status: "error", output: parsed.problem };
    this.executed.push(call);
    return { type: "tool-result", callId: call.callId, status: "ok", output: JSON.stringify(parsed.value) };
  }
}
