/** The clients that look at one session. */
import type { SessionState } from "../contract/session/catalogs.ts";
import type { AttachOptions, Attachment } from "../contract/session/service.ts";
import type { HistoryPage } from "../contract/session/updates.ts";
import type { SessionCore } from "./session-core.ts";

export type ClientsParts = {
  readonly core: SessionCore;
  readonly state: () => SessionState;
  /** The last updates of the history, at most so many. */
  readonly tail: (limit: number) => HistoryPage;
  /** Told when a client left. */
  readonly clientLeft: () => void;
  /** Told when a client came or left. */
  readonly changed: () => void;
};

export class SessionClients {
  readonly #parts: ClientsParts;
  readonly #attached = new Set<AttachOptions>();

  constructor(parts: ClientsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#attached.size;
  }

  /** True while a client that shows permission requests to somebody is attached. */
  get canAsk(): boolean {
    return [...this.#attached].some(({ answersPermissions }) => answersPermissions);
  }

  /** True while a client is attached that shows restarts to somebody. */
  get canDebug(): boolean {
    return [...this.#attached].some(({ answersRestarts }) => answersRestarts === true);
  }

  /** True while a client is attached that shows the review of a correction to somebody. */
  get canReview(): boolean {
    return [...this.#attached].some(({ reviewsCorrections }) => reviewsCorrections === true);
  }

  attach(options: AttachOptions): Attachment {
    const { core, state, tail } = this.#parts;
    this.#attached.add(options);
    // All of it at one moment: nothing may happen between the reader's place and what is shown of the past.
    const reader = core.events.reader();
    const attachment: Attachment = {
      history: tail(options.tail === "all" ? Number.MAX_SAFE_INTEGER : options.tail),
      live: core.liveUpdates(),
      state: state(),
      read: (signal) => reader.read(signal),
      detach: () => {
        reader.detach();
        if (!this.#attached.delete(options)) return;
        core.broker.clientLeft();
        this.#parts.clientLeft();
        this.#changed();
      },
    };
    this.#changed();
    return attachment;
  }

  #changed(): void {
    this.#parts.core.emit({ kind: "state" });
    this.#parts.changed();
  }
}
