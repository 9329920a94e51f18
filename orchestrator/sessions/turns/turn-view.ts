/** What clients see of a running turn: streamed output, activity, retries, calls, usage and cache notices. Nothing here is durable. */
import type { AgentEvent } from "../../contract/agent-thread.ts";
import type { ModelUsage } from "../../contract/model.ts";
import { type SessionUpdate, updateTextLimit } from "../../contract/session/updates.ts";
import type { SettledCall } from "../../tools/dispatcher.ts";
import type { SessionCore } from "../session-core.ts";
import { toolStatus } from "../view/record-updates.ts";
import { toolContent } from "../view/tool-presentation.ts";
import { CacheWatch } from "./cache-watch.ts";
import { charactersOf } from "./usage-meter.ts";

export class TurnView {
  readonly #core: SessionCore;
  readonly #cache = new CacheWatch();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** The next request is a new beginning for cache notices. */
  resetCache(): void {
    this.#cache.reset();
  }

  /** A request was answered. `estimate` gives the context in tokens where the server counts nothing. */
  answered(usage: ModelUsage, estimate: () => number): void {
    const { usage: meter, settings } = this.#core;
    meter.answered(usage);
    if (usage.inputTokens === undefined) meter.estimated(estimate());
    this.#core.update({
      type: "usage",
      turn: meter.turn,
      total: meter.total,
      contextTokens: meter.contextTokens,
      contextWindow: this.#core.contextWindow,
      at: this.#core.environment.now(),
    });
    const characters = this.#core.log.records.reduce(
      (sum, { record }) => sum + (record.kind === "provider-item" ? charactersOf(record.item) : 0),
      0,
    );
    const notice = this.#cache.answered(usage, characters);
    if (notice !== undefined && settings.boolean("cache-miss-notices-p"))
      this.#core.notice("warning", "cache-miss", notice);
  }

  /** News of the agent's thread. */
  observe(event: AgentEvent): void {
    const { live, environment } = this.#core;
    environment.observeAgent(event);
    const at = environment.now();
    switch (event.event) {
      case "request-started":
        this.#core.lastRequest = Math.max(this.#core.lastRequest, event.requestNumber);
        this.#core.lastRequestAt = at;
        live.begin(event.requestNumber);
        this.#activity("requesting", event.requestNumber, event.attempt, 0);
        return;
      case "output": {
        const shown = live.stream(event.channel, event.text, event.omittedCharacters, at);
        if (shown !== undefined) this.#core.update(shown);
        return;
      }
      case "output-discarded":
        this.#core.update(live.discard(at));
        return;
      case "progress": {
        const { reasoningCharacters, textCharacters, argumentCharacters } = event;
        const phase = argumentCharacters > 0 ? "calling" : textCharacters > 0 ? "writing" : "thinking";
        this.#activity(
          phase,
          event.requestNumber,
          1,
          reasoningCharacters + textCharacters + argumentCharacters,
        );
        return;
      }
      case "attempt-failed":
        if (event.retryInMs !== undefined)
          this.#core.notice(
            "warning",
            "retry",
            `Attempt ${event.attempt} of the request failed (${event.failure.code}: ${event.failure.message}); trying again in ${(event.retryInMs / 1_000).toFixed(1)} s.`,
          );
        return;
      case "run-started":
      case "request-completed":
      case "exchange":
    }
  }

  #activity(
    phase: "requesting" | "thinking" | "writing" | "calling" | "tools",
    request: number,
    attempt: number,
    characters: number,
  ): void {
    this.#core.emit({ kind: "activity", phase, request, attempt, characters });
  }

  callStarted(callId: string): void {
    const update = {
      type: "tool-call-update",
      callId,
      status: "running",
      at: this.#core.environment.now(),
    } as const;
    this.#core.live.call(update);
    this.#core.update(update);
    this.#activity("tools", this.#core.lastRequest, 1, 0);
  }

  /** Shown at once; the record, which follows with the whole wave, says the same. */
  callFinished({ call, result, details, resourceUris, durationMs }: SettledCall): void {
    const update: Extract<SessionUpdate, { type: "tool-call-update" }> = {
      type: "tool-call-update",
      callId: call.callId,
      status: toolStatus(result.status),
      content: [...toolContent(result.output, details, updateTextLimit)],
      ...(resourceUris.length === 0 ? {} : { resourceUris: [...resourceUris] }),
      durationMs,
      at: this.#core.environment.now(),
    };
    this.#core.live.call(update);
    this.#core.update(update);
  }
}
