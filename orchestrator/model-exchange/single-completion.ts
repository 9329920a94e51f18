import type {
  AgentEvent,
  AgentHostPort,
  AgentRunner,
  AgentSpec,
  ReplayReply,
  ReplayRequest,
} from "../contract/agent-thread.ts";
import type { ModelResponse } from "../contract/model.ts";
import { ModelRequestError } from "../contract/model-failure.ts";

/** What the host does around one completion. */
export interface CompletionHost {
  event(event: AgentEvent): void;
  replay(request: ReplayRequest): Promise<ReplayReply>;
}

/**
 * Asks a model one question (classifier, title, compaction) with the retries and limits of an agent, in an agent thread.
 *
 * @throws ModelRequestError when there is no answer: the failure of the request, or code `cancelled`; a lost thread and
 *   our own defects count as `server`, because asking again may help.
 */
export async function completeOnce(
  runner: AgentRunner,
  spec: AgentSpec,
  host: CompletionHost,
  signal: AbortSignal,
): Promise<ModelResponse> {
  let answer: ModelResponse | undefined;
  const port: AgentHostPort = {
    boundary: async ({ items, usage, responseId }) => {
      answer = { items, usage, ...(responseId === undefined ? {} : { responseId }) };
      return { next: "finish" };
    },
    replay: (request) => host.replay(request),
    event: (event) => host.event(event),
  };
  const outcome = await runner.run(spec, port, signal);
  if (answer !== undefined) return answer;
  if (outcome.status === "cancelled") {
    const message = `The request was cancelled (${outcome.reason}).`;
    throw new ModelRequestError({ code: "cancelled", message, outputReceived: false });
  }
  const failure = outcome.status === "failed" ? outcome.failure : undefined;
  const message = failure?.message ?? "The run finished without an answer.";
  throw new ModelRequestError(failure?.model ?? { code: "server", message, outputReceived: false });
}
