/** What a session does beside its turns: titles, the entry of lists, compaction by command and when it is idle. */
import { AutolithError, failureOf } from "../contract/failure.ts";
import { removeConversationTemporaries } from "../recovery/record-leftovers.ts";
import { writePickerEntry } from "./catalog/picker-entry.ts";
import type { SessionCore } from "./session-core.ts";
import { generateTitle, wantsGeneratedTitle } from "./titles.ts";
import type { Compactor, RequestFrame } from "./turns/compactor.ts";
import { type CompletedRequest, IdleCompaction, idlePromptTokens } from "./turns/idle-compaction.ts";
import type { TurnEngine } from "./turns/turn-engine.ts";
import { charactersOf } from "./turns/usage-meter.ts";

export type UpkeepParts = {
  readonly core: SessionCore;
  readonly engine: TurnEngine;
  readonly compactor: Compactor;
  readonly frame: () => RequestFrame;
  /** True while a front end's draft waits to be sent. */
  readonly hasDraft: () => boolean;
};

export class SessionUpkeep {
  readonly #parts: UpkeepParts;
  readonly #background = new AbortController();
  readonly #idle: IdleCompaction;
  #compaction: AbortController | undefined;
  #titling: Promise<void> = Promise.resolve();
  #cleaning: Promise<void> = Promise.resolve();
  readonly #preparing: Promise<void>;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    const { core, engine } = parts;
    this.#idle = new IdleCompaction({
      retentionMs: () => core.cacheRetentionMs,
      isEnabled: () => core.settings.boolean("idle-compaction-p"),
      isBusy: () => !engine.idle || core.pending.count > 0 || parts.hasDraft(),
      compact: async () => {
        core.notice(
          "info",
          "idle-compaction",
          "The conversation is compacted before its prompt cache expires.",
        );
        core.notice("info", "compaction", await this.compact());
      },
      failed: (error) => core.notice("warning", "compaction", failureOf(error).message),
      now: core.environment.now,
    });
    this.#preparing = engine.prepare().catch((error: unknown) => core.environment.report(failureOf(error)));
  }

  /** Cleans up after a dead host that had the conversation, beside everything else. */
  takenOver(): void {
    const { core } = this.#parts;
    this.#cleaning = removeConversationTemporaries(core.environment.dataRoot, core.id).then(
      () => undefined,
      (error: unknown) => core.environment.report(failureOf(error)),
    );
  }

  /** Work begins: what an idle session would have done is put off. */
  turnBegan(): void {
    this.#idle.cancel();
  }

  /** Compacts now; says what came of it. Rejects with `busy` during a turn, and with `cancelled`. */
  async compact(): Promise<string> {
    const { core, engine, compactor, frame } = this.#parts;
    const before = core.usage.contextTokens;
    const stop = new AbortController();
    const done = await engine.exclusively(async () => {
      this.#compaction = stop;
      try {
        return await compactor.compact(frame(), AbortSignal.any([this.#background.signal, stop.signal]));
      } catch (error) {
        if (!stop.signal.aborted) throw error;
        throw new AutolithError("cancelled", "The compaction was stopped; the conversation is as it was.", {
          cause: error,
        });
      } finally {
        this.#compaction = undefined;
      }
    });
    if (!done) return "There is nothing to compact.";
    engine.resetCache();
    return `Compacted: about ${core.usage.contextTokens ?? 0} tokens now, ${before ?? "unknown"} before.`;
  }

  /** Stops a compaction that somebody asked for, or that an idle session does; false when there is none. */
  cancelCompaction(): boolean {
    const running = this.#compaction;
    running?.abort("user");
    return running !== undefined;
  }

  turnEnded(): void {
    const { core } = this.#parts;
    core.invalidate("conversations");
    this.#idle.turnEnded(this.#lastRequest());
    // Judged now: the next turn may have begun when the entry is written.
    const wantsTitle = wantsGeneratedTitle(core);
    this.#titling = this.#titling
      .then(() => this.#writePicker())
      .then(async () => {
        if (this.#background.signal.aborted || !wantsTitle) return;
        await generateTitle(core, this.#background.signal);
        await this.#writePicker();
      })
      .catch((error: unknown) => {
        if (!this.#background.signal.aborted) core.environment.report(failureOf(error));
      });
  }

  /** Nothing more is begun; what runs is told to end. */
  stop(): void {
    this.#idle.cancel();
    this.#background.abort("shutdown");
  }

  /** Waits for what was begun, and leaves the entry of lists as it is now. */
  async finish(): Promise<void> {
    await this.#preparing;
    await this.#cleaning;
    await this.#titling;
    await this.#writePicker();
  }

  #lastRequest(): CompletedRequest | undefined {
    const { core } = this.#parts;
    const promptTokens = core.usage.lastPromptTokens;
    if (promptTokens === undefined || promptTokens < idlePromptTokens || core.lastRequestAt === undefined)
      return undefined;
    const { items } = core.modelHistory();
    const summarizableCharacters = items.reduce((sum, item) => sum + charactersOf(item), 0);
    return { startedAt: core.lastRequestAt, promptTokens, summarizableCharacters };
  }

  #writePicker(): Promise<void> {
    const { core } = this.#parts;
    const { environment, title, workingDirectory, lastActivityAt, userTurns, preview, host } = core;
    return writePickerEntry(environment.dataRoot, core.id, {
      title,
      directory: workingDirectory,
      createdAt: host.conversation.header.createdAt,
      lastActivityAt,
      userTurns,
      preview: preview.toWellFormed(),
    });
  }
}
