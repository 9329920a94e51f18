/** What a person reads while a model's server does not answer. */
import type { AgentEvent } from "../orchestrator/contract/agent-thread.ts";
import type { AgentLimits } from "../orchestrator/contract/agent-limits.ts";
import type { ModelEndpoint } from "../orchestrator/contract/model.ts";
import { retryClassOf } from "../orchestrator/contract/model-failure.ts";

type RetryLimits = Pick<AgentLimits, "retriesBeforeGeneration" | "retriesAfterOutput">;

/** The line for an attempt that failed and is followed by another; undefined for every other event. */
export function retryLine(
  event: AgentEvent,
  endpoint: Pick<ModelEndpoint, "baseUrl" | "provider"> | undefined,
  limits: RetryLimits,
): string | undefined {
  if (event.event !== "attempt-failed" || event.retryInMs === undefined) return undefined;
  const { failure, attempt, retryInMs } = event;
  const retries =
    retryClassOf(failure) === "retryable" ? limits.retriesBeforeGeneration : limits.retriesAfterOutput;
  const wait = retryInMs < 1_000 ? "less than a second" : `${Math.round(retryInMs / 1_000)} s`;
  const server = endpoint === undefined ? "" : ` at ${serverAddress(endpoint)}`;
  return `model: attempt ${attempt} of at most ${Math.max(attempt + 1, retries + 1)}${server} failed (${failure.code}): ${failure.message} The next in ${wait}.`;
}

/** The address without what may be secret in it: user, password, query. */
function serverAddress({ baseUrl, provider }: Pick<ModelEndpoint, "baseUrl" | "provider">): string {
  const url = URL.parse(baseUrl ?? "");
  return url === null ? provider : `${url.origin}${url.pathname}`;
}
