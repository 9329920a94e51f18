/** What is known of a running child between its boundaries: a bounded snapshot for inspection (facts C.2). */
import type { AgentEvent } from "../contract/agent-thread.ts";
import type { ModelUsage } from "../contract/model.ts";

/** Tools remembered in a snapshot. */
const recentToolLimit = 8;
/** Characters of streamed output kept, newest last. */
const recentOutputLimit = 8_000;

export type ProgressSnapshot = {
  readonly currentTool: string | undefined;
  readonly recentTools: readonly string[];
  readonly recentOutput: string;
  readonly requestCount: number;
  readonly usages: readonly ModelUsage[];
  /** Tool calls that have begun. */
  readonly toolCount: number;
  /** Of the last event, in epoch milliseconds. */
  readonly activityAt: number | undefined;
};

export class ChildProgress {
  #running: string[] = [];
  #recentTools: string[] = [];
  #recentOutput = "";
  #requestCount = 0;
  readonly #usages: ModelUsage[] = [];
  #toolCount = 0;
  #activityAt: number | undefined;
  readonly #now: () => number;

  /** `now` answers epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  event(event: AgentEvent): void {
    this.#activityAt = this.#now();
    if (event.event === "request-started") this.#requestCount += 1;
    if (event.event === "request-completed") this.#usages.push(event.usage);
    if (event.event === "output" && event.channel === "text")
      this.#recentOutput = (this.#recentOutput + event.text)
        .slice(-recentOutputLimit)
        .replace(/^[\uDC00-\uDFFF]/, "");
  }

  toolStarted(tool: string): void {
    this.#toolCount += 1;
    this.#activityAt = this.#now();
    this.#running.push(tool);
    this.#recentTools = [...this.#recentTools, tool].slice(-recentToolLimit);
  }

  toolFinished(tool: string): void {
    this.#activityAt = this.#now();
    const index = this.#running.indexOf(tool);
    if (index >= 0) this.#running = this.#running.toSpliced(index, 1);
  }

  snapshot(): ProgressSnapshot {
    return {
      currentTool: this.#running.at(-1),
      recentTools: this.#recentTools,
      recentOutput: this.#recentOutput,
      requestCount: this.#requestCount,
      usages: this.#usages,
      toolCount: this.#toolCount,
      activityAt: this.#activityAt,
    };
  }
}
