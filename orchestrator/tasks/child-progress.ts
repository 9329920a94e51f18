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
};

export class ChildProgress {
  #running: string[] = [];
  #recentTools: string[] = [];
  #recentOutput = "";
  #requestCount = 0;
  readonly #usages: ModelUsage[] = [];

  event(event: AgentEvent): void {
    if (event.event === "request-started") this.#requestCount += 1;
    if (event.event === "request-completed") this.#usages.push(event.usage);
    if (event.event === "output" && event.channel === "text")
      this.#recentOutput = (this.#recentOutput + event.text)
        .slice(-recentOutputLimit)
        .replace(/^[\uDC00-\uDFFF]/, "");
  }

  toolStarted(tool: string): void {
    this.#running.push(tool);
    this.#recentTools = [...this.#recentTools, tool].slice(-recentToolLimit);
  }

  toolFinished(tool: string): void {
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
    };
  }
}
