import type {
  AdviceEntry,
  AgentFailure,
  AgentOutcome,
  AgentSpec,
  Boundary,
  BoundaryReply,
} from "../../orchestrator/contract/agent-thread.ts";
import type {
  AssistantItem,
  HostItem,
  ModelItem,
  ModelRequest,
  ModelResponse,
} from "../../orchestrator/contract/model.ts";
import { ModelRequestError } from "../../orchestrator/contract/model-failure.ts";

/** What the loop needs of the world: a model that answers (retries inside), and the host at each boundary. */
export interface TurnPorts {
  /** Rejects with a ModelRequestError when the request failed for good. */
  request(request: ModelRequest, requestNumber: number): Promise<ModelResponse>;
  /** Rejects when the host cannot serve the boundary. */
  boundary(boundary: Boundary): Promise<BoundaryReply>;
}

/**
 * Runs an agent to its end: request, boundary, request, … until the host says finish. Holds no state but the items of
 * the conversation, which the host has made durable before they are used again.
 *
 * @param cancelled Reason of a cancel, asked after anything rejected; undefined while there is none.
 */
export async function runTurns(
  spec: AgentSpec,
  ports: TurnPorts,
  cancelled: () => string | undefined,
): Promise<AgentOutcome> {
  const items: ModelItem[] = [...spec.items];
  let { advice = [] } = spec;
  let requests = 0;
  try {
    for (let turn = 1; turn <= spec.limits.maxTurns; turn += 1) {
      const requestNumber = spec.firstRequestNumber + requests;
      requests += 1;
      const response = await ports.request(requestOf(spec, withAdvice(items, advice)), requestNumber);
      const reply = await askHost(ports, boundaryOf(response, requestNumber));
      if (reply.next === "finish") return { status: "finished", requests };
      items.push(...response.items, ...reply.items);
      advice = reply.advice ?? [];
    }
  } catch (error) {
    const reason = cancelled();
    if (reason !== undefined) return { status: "cancelled", requests, reason };
    return { status: "failed", requests, failure: agentFailure(error) };
  }
  const message = `The agent made ${spec.limits.maxTurns} turns (model answers with their tool calls) without finishing, which is the limit of one run. Give it a smaller task.`;
  return { status: "failed", requests, failure: { code: "turn-limit", message } };
}

/** The items of one request: the conversation with the advice at its places. */
function withAdvice(items: readonly ModelItem[], advice: readonly AdviceEntry[]): readonly ModelItem[] {
  if (advice.length === 0) return items;
  const placed = [...items];
  const placeOf = ({ position }: AdviceEntry): number => Math.min(position ?? items.length, items.length);
  const ordered = advice.toSorted((left, right) => placeOf(left) - placeOf(right));
  for (const [index, entry] of ordered.entries())
    placed.splice(placeOf(entry) + index, 0, { type: "user-message", text: entry.text });
  return placed;
}

function requestOf(spec: AgentSpec, items: readonly ModelItem[]): ModelRequest {
  return {
    model: spec.model,
    instructions: spec.instructions,
    items: [...items],
    tools: spec.tools,
    ...(spec.reasoningEffort === undefined ? {} : { reasoningEffort: spec.reasoningEffort }),
    ...(spec.maxOutputTokens === undefined ? {} : { maxOutputTokens: spec.maxOutputTokens }),
    ...(spec.promptCacheKey === undefined ? {} : { promptCacheKey: spec.promptCacheKey }),
  };
}

function boundaryOf(response: ModelResponse, requestNumber: number): Boundary {
  const { items, usage, responseId } = response;
  return { requestNumber, items, usage, ...(responseId === undefined ? {} : { responseId }) };
}

async function askHost(ports: TurnPorts, boundary: Boundary): Promise<BoundaryReply> {
  const reply = await ports.boundary(boundary);
  if (reply.next === "continue") checkResults(boundary.items, reply.items);
  return reply;
}

/** The host broke the protocol: it could not serve a boundary, or answered a call never or twice. */
export class HostRefusedError extends Error {
  override readonly name = "HostRefusedError";
  readonly code = "host-refused";
}

/** Every call of the turn has exactly one result, in wire order, before anything else (invariant 11). */
function checkResults(produced: readonly AssistantItem[], answered: readonly HostItem[]): void {
  const expected = produced.flatMap((item) => (item.type === "tool-call" ? item.callId : []));
  const got = answered.flatMap((item) => (item.type === "tool-result" ? item.callId : []));
  const areLeading = answered.slice(0, got.length).every((item) => item.type === "tool-result");
  const agree = expected.length === got.length && expected.every((callId, index) => got[index] === callId);
  if (agree && areLeading) return;
  throw new HostRefusedError(
    `Expected one result for each of ${expected.length} calls in wire order, but ${got.length} results came` +
      `${agree ? " behind other items" : ""}. The next request was not sent.`,
  );
}

function agentFailure(error: unknown): AgentFailure {
  if (error instanceof ModelRequestError) {
    return { code: "model-request", message: error.message.slice(0, 2000), model: error.failure };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof HostRefusedError) return { code: "host-refused", message: message.slice(0, 2000) };
  return { code: "internal-error", message: message.slice(0, 2000) };
}
