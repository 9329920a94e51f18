/** Compaction of one session: when the context is full, and by command. Its requests are numbered and counted like all others. */
import { providerHistory } from "../../record/provider-history.ts";
import type { SessionCore } from "../session-core.ts";
import { askBeside } from "../side-question.ts";
import {
  compactionCut,
  compactionInstructions,
  compactionQuestion,
  contextFull,
  isOverThreshold,
  summaryContent,
} from "./compaction.ts";
import { estimatedTokens } from "./usage-meter.ts";

/** What is sent with every request besides the history. */
export type RequestFrame = { readonly instructions: string; readonly toolCharacters: number };

export class Compactor {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** True when the context has to be compacted before the next request. */
  isFull(): boolean {
    const { usage, contextWindow } = this.#core;
    return (
      usage.contextTokens !== null && isOverThreshold(usage.contextTokens, contextWindow, this.#threshold)
    );
  }

  /**
   * Compacts when the context is full; answers whether it did. Rejects with `context-full` when that cannot help: what was compacted last is
   * still over the threshold, or would be again.
   */
  async compactWhenFull(frame: RequestFrame, signal: AbortSignal): Promise<boolean> {
    const { usage, contextWindow } = this.#core;
    if (!this.isFull()) return false;
    const least = usage.firstCountAfterCompaction;
    if (least !== undefined && isOverThreshold(least, contextWindow, this.#threshold))
      throw contextFull(least, contextWindow, this.#threshold);
    if (!(await this.compact(frame, signal))) return false;
    const left = usage.contextTokens ?? 0;
    if (isOverThreshold(left, contextWindow, this.#threshold))
      throw contextFull(left, contextWindow, this.#threshold);
    return true;
  }

  /** Compacts now; false when there is nothing to compact, and then no request is made. Rejects when the model gives no useful summary. */
  async compact(frame: RequestFrame, signal: AbortSignal): Promise<boolean> {
    const cut = compactionCut(this.#core.log.records, this.#core.prunedCalls);
    if (cut === undefined) return false;
    const { environment, usage, host } = this.#core;
    const choice = environment.models.reach(this.#core.model);
    this.#core.lastRequest += 1;
    const requestNumber = this.#core.lastRequest;
    this.#core.emit({
      kind: "activity",
      phase: "compacting",
      characters: 0,
      request: requestNumber,
      attempt: 1,
    });
    const answer = await askBeside(
      this.#core,
      {
        choice,
        lineage: "primary",
        purpose: "compaction",
        reasoningEffort: "low",
        promptCacheKey: this.#core.id,
        instructions: compactionInstructions,
        items: [...cut.items, { type: "user-message", text: compactionQuestion }],
        firstRequestNumber: requestNumber,
        metadata: { requestNumber, purpose: "compaction" },
      },
      signal,
    );
    const summary = answer.join("\n");
    const content = summaryContent(summary, cut.items, host.jobs());
    await this.#core.log.append({ kind: "summary", throughSeq: cut.throughSeq, content }, { sync: true });
    const { items } = providerHistory(this.#core.log.records);
    usage.compacted(estimatedTokens({ ...frame, items }));
    this.#core.emit({ kind: "state" });
    return true;
  }

  get #threshold(): number {
    return this.#core.settings.number("compaction-threshold-percent");
  }
}
