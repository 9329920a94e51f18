/** Tokens of a turn, of the conversation, and of the context as the provider last counted it. */
import type { ModelItem, ModelUsage } from "../../contract/model.ts";
import type { UsageCounters } from "../../contract/session/updates.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";

const nothing: UsageCounters = {
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  requests: 0,
};

export class UsageMeter {
  #turn = nothing;
  #total = nothing;
  #contextTokens: number | null = null;
  /** True from a compaction until the provider has counted the new context. */
  #afterCompaction = false;
  #isEstimated = true;
  #lastPrompt: number | undefined;
  #firstCount: number | undefined;

  /** Continues with what the record says was spent before. */
  constructor(records: readonly StoredRecord[]) {
    for (const { record } of records) {
      if (record.kind === "summary") this.compacted(null);
      if (record.kind !== "provider") continue;
      const { usage, purpose } = record.metadata as { usage?: ModelUsage; purpose?: string };
      if (usage === undefined) continue;
      this.#total = added(this.#total, usage);
      if (purpose === undefined) this.#counted(contextOf(usage));
    }
    this.#afterCompaction = false;
  }

  get turn(): UsageCounters {
    return this.#turn;
  }

  get total(): UsageCounters {
    return this.#total;
  }

  /** Tokens of the context after the last request, or an estimate after a compaction; null = unknown. */
  get contextTokens(): number | null {
    return this.#contextTokens;
  }

  /** Input tokens of the last request of this host that the provider counted. */
  get lastPromptTokens(): number | undefined {
    return this.#lastPrompt;
  }

  /** What the provider counted first after the last compaction: what no compaction can save. Undefined when it has not counted. */
  get firstCountAfterCompaction(): number | undefined {
    return this.#firstCount;
  }

  beginTurn(): void {
    this.#turn = nothing;
  }

  /** A request of the primary was answered. */
  answered(usage: ModelUsage): void {
    this.spent(usage);
    const counted = contextOf(usage);
    this.#lastPrompt = usage.inputTokens;
    this.#counted(counted);
    if (this.#afterCompaction && counted !== undefined) {
      this.#firstCount = usage.inputTokens;
      this.#afterCompaction = false;
    }
  }

  /** True while the provider has not counted the present context. */
  get isEstimated(): boolean {
    return this.#isEstimated;
  }

  /** The context in tokens by its characters, where the provider counts nothing. */
  estimated(tokens: number): void {
    this.#contextTokens = tokens;
    this.#isEstimated = true;
  }

  /** A request beside the conversation (compaction, title) was answered. */
  spent(usage: ModelUsage): void {
    this.#turn = added(this.#turn, usage);
    this.#total = added(this.#total, usage);
  }

  /** The context was replaced; `estimate` in tokens holds until the provider counts it. */
  compacted(estimate: number | null): void {
    this.#contextTokens = estimate;
    this.#isEstimated = true;
    this.#afterCompaction = true;
    this.#firstCount = undefined;
  }

  #counted(tokens: number | undefined): void {
    if (tokens === undefined) return;
    this.#contextTokens = tokens;
    this.#isEstimated = false;
  }
}

function contextOf(usage: ModelUsage): number | undefined {
  return usage.inputTokens === undefined ? undefined : usage.inputTokens + (usage.outputTokens ?? 0);
}

function added(counters: UsageCounters, usage: ModelUsage): UsageCounters {
  return {
    inputTokens: sum(counters.inputTokens, usage.inputTokens),
    cachedInputTokens: sum(counters.cachedInputTokens, usage.cachedInputTokens),
    outputTokens: sum(counters.outputTokens, usage.outputTokens),
    reasoningTokens: sum(counters.reasoningTokens, usage.reasoningTokens),
    requests: counters.requests + 1,
  };
}

function sum(left: number | null, right: number | undefined): number | null {
  return right === undefined ? left : (left ?? 0) + right;
}

/** Characters that stand for one token where nobody counted (manual). */
const charactersPerToken = 4;

/** Tokens of a request, by its characters. */
export function estimatedTokens(parts: {
  readonly instructions: string;
  /** Characters of the tools' schemas as JSON. */
  readonly toolCharacters: number;
  readonly items: readonly ModelItem[];
}): number {
  const characters =
    parts.instructions.length +
    parts.toolCharacters +
    parts.items.reduce((total, item) => total + charactersOf(item), 0);
  return Math.ceil(characters / charactersPerToken);
}

/** Characters of an item that a model reads. */
export function charactersOf(item: ModelItem): number {
  switch (item.type) {
    case "user-message":
    case "assistant-message":
    case "reasoning":
      return item.text.length;
    case "tool-call":
      return item.tool.length + item.arguments.length;
    case "tool-result":
      return item.output.length;
  }
}
