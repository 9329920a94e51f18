/** Parts of a session that are asked for again when an event says that they may have changed. */
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { HostLink } from "../link/host-link.ts";
import type { Action } from "../screen/screen-state.ts";

/** Least time between two fetches of the same thing, in milliseconds. */
const gapMs = 250;

export type Fetched = "state" | "jobs" | "settings";

export type FetchOptions = {
  /** Whom to ask; undefined while there is nobody. */
  readonly source: () => { readonly link: HostLink; readonly sessionId: ConversationId } | undefined;
  readonly dispatch: (action: Action) => void;
};

export class SessionFetches {
  readonly #options: FetchOptions;
  readonly #timers = new Map<Fetched, NodeJS.Timeout>();

  constructor(options: FetchOptions) {
    this.#options = options;
  }

  /** Many invalidations make one request. What cannot be fetched is asked for again at the next one. */
  soon(what: Fetched): void {
    if (this.#timers.has(what)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(what);
      this.now(what).catch(() => undefined);
    }, gapMs);
    this.#timers.set(what, timer);
  }

  /** Rejects as the link does. */
  async now(what: Fetched): Promise<void> {
    const source = this.#options.source();
    if (source === undefined) return;
    const { link, sessionId } = source;
    const { dispatch } = this.#options;
    if (what === "state") dispatch({ type: "state", state: await link.request("state", { sessionId }) });
    else if (what === "jobs") {
      const { jobs } = await link.request("jobs", { sessionId, limit: 200 });
      dispatch({ type: "jobs", jobs });
    } else {
      const { settings } = await link.request("settings", { sessionId });
      dispatch({ type: "settings", settings });
    }
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
