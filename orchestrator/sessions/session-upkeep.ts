/** What a session does beside its turns: titles, the entry of lists, compaction by command. */
import { failureOf } from "../contract/failure.ts";
import { writePickerEntry } from "./catalog/picker-entry.ts";
import type { SessionCore } from "./session-core.ts";
import { generateTitle, wantsGeneratedTitle } from "./titles.ts";
import type { Compactor, RequestFrame } from "./turns/compactor.ts";
import type { TurnEngine } from "./turns/turn-engine.ts";

export type UpkeepParts = {
  readonly core: SessionCore;
  readonly engine: TurnEngine;
  readonly compactor: Compactor;
  readonly frame: () => RequestFrame;
};

export class SessionUpkeep {
  readonly #parts: UpkeepParts;
  readonly #background = new AbortController();
  #titling: Promise<void> = Promise.resolve();

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  /** Compacts now; says what came of it. Rejects with `busy` during a turn. */
  async compact(): Promise<string> {
    const { core, engine, compactor, frame } = this.#parts;
    const before = core.usage.contextTokens;
    const done = await engine.exclusively(() => compactor.compact(frame(), this.#background.signal));
    if (!done) return "There is nothing to compact.";
    engine.resetCache();
    return `Compacted: about ${core.usage.contextTokens ?? 0} tokens now, ${before ?? "unknown"} before.`;
  }

  turnEnded(): void {
    const { core } = this.#parts;
    core.invalidate("conversations");
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
    this.#background.abort("shutdown");
  }

  /** Waits for what was begun, and leaves the entry of lists as it is now. */
  async finish(): Promise<void> {
    await this.#titling;
    await this.#writePicker();
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
