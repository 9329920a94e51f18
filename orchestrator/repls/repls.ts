/** The named REPLs of a host: one isolated image each, kept for the agent that started it, one evaluation at a time. */
import { AutolithError } from "../contract/failure.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { LispTarget } from "../contract/job-catalog.ts";
import type { LispImage, LispImages } from "../contract/lisp-image.ts";
import type { SavedImages } from "./saved-images.ts";
import { replLimits } from "./repl-limits.ts";
import { Turnstile } from "./turnstile.ts";
import { defineBridge } from "./worker-bridge.ts";

/** The REPL of an agent, and what of the files it may use. */
export type ReplPlace = Omit<Extract<LispTarget, { kind: "repl" }>, "kind">;

export type ReplsParts = {
  readonly images: LispImages;
  readonly saved: SavedImages;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** A REPL as `lisp.repls` shows it. Instants are epoch milliseconds. */
export type ReplSummary = {
  readonly name: string;
  readonly state: "starting" | "idle" | "busy";
  readonly access: ReplPlace["access"];
  readonly startedAt: number;
  readonly evaluations: number;
  /** The saved image that it began with. */
  readonly image: string | undefined;
};

/** A running REPL. */
export type Repl = {
  readonly place: ReplPlace;
  readonly image: LispImage;
  readonly startedAt: number;
  evaluations: number;
  /** Why its predecessor ended by itself; its definitions are gone. Told once. */
  lostBefore: string | undefined;
};

type Entry = {
  readonly place: ReplPlace;
  readonly startedAt: number;
  readonly image: string | undefined;
  readonly opening: Promise<Repl>;
  repl: Repl | undefined;
  /** Its agent has ended: nobody will use it after what it does now. */
  isOrphan: boolean;
};

export class Repls {
  readonly #parts: ReplsParts;
  readonly #entries = new Map<string, Entry>();
  readonly #turnstiles = new Map<string, Turnstile>();
  /** Why REPLs ended that nobody stopped, until they start again. */
  readonly #lost = new Map<string, string>();
  #closed = false;

  constructor(parts: ReplsParts) {
    this.#parts = parts;
  }

  /**
   * Does something in a REPL that nothing else does anything in meanwhile; starts it when it does not run. Rejects with the signal's reason
   * when it aborts before, and with `repl-access`, `repl-limit`, `image-ended`.
   */
  async exclusively<Result>(
    place: ReplPlace,
    signal: AbortSignal,
    work: (repl: Repl) => Promise<Result>,
  ): Promise<Result> {
    const key = keyOf(place);
    const turnstile = this.#turnstiles.get(key) ?? new Turnstile();
    this.#turnstiles.set(key, turnstile);
    try {
      const leave = await turnstile.enter(signal);
      try {
        return await work(await this.running(place));
      } finally {
        leave();
      }
    } finally {
      if (turnstile.count === 0) {
        this.#turnstiles.delete(key);
        const entry = this.#entries.get(key);
        if (entry?.isOrphan === true) await this.#end(entry, "its agent has ended");
      }
    }
  }

  /** The REPL, started when it does not run. Rejects as {@link exclusively}. */
  async running(place: ReplPlace): Promise<Repl> {
    const entry = this.#entries.get(keyOf(place)) ?? this.#open(place);
    checkAccess(entry.place, place);
    return entry.opening;
  }

  /** Saved images to begin with. */
  get saved(): SavedImages {
    return this.#parts.saved;
  }

  /**
   * Starts a REPL, with the saved image of that name where one is given. Rejects with `repl-exists` when it runs, with `unknown-image`, with
   * the codes of images that cannot be restored, and as {@link exclusively}.
   */
  async start(place: ReplPlace, image?: string): Promise<Repl> {
    if (this.#entries.has(keyOf(place)))
      throw new AutolithError(
        "repl-exists",
        `REPL ${place.name} runs already. lisp.reset starts it anew; another name starts another one.`,
      );
    return this.#open(place, image).opening;
  }

  /** Ends a REPL; what it evaluated ends as lost. Rejects with `unknown-repl`. */
  async stop({ agent, name }: Pick<ReplPlace, "agent" | "name">, reason = "it was stopped"): Promise<void> {
    const entry = this.#entries.get(keyOf({ agent, name }));
    if (entry === undefined) {
      const names = this.list(agent).map((each) => each.name);
      throw new AutolithError(
        "unknown-repl",
        `No REPL ${name} runs. ${names.length === 0 ? "None does; lisp.eval starts one." : `Running: ${names.join(", ")}.`}`,
      );
    }
    await this.#end(entry, reason);
  }

  /** Those of an agent, in the order of their start. */
  list(agent: ConversationId): readonly ReplSummary[] {
    return this.#of(agent).map((entry) => this.#summary(entry));
  }

  /** An agent has ended: its REPLs end, those that evaluate something when that has ended. */
  async agentEnded(agent: ConversationId): Promise<void> {
    const own = this.#of(agent);
    for (const entry of own) entry.isOrphan = true;
    const idle = own.filter((entry) => !this.#isBusy(entry));
    await Promise.all(idle.map((entry) => this.#end(entry, "its agent has ended")));
    this.#forgetLost(agent);
  }

  /** Ends all REPLs of an agent now. */
  async endAgent(agent: ConversationId): Promise<void> {
    await Promise.all(this.#of(agent).map((entry) => this.#end(entry, "its conversation was closed")));
    this.#forgetLost(agent);
  }

  #of(agent: ConversationId): readonly Entry[] {
    return [...this.#entries.values()].filter(({ place }) => place.agent === agent);
  }

  #isBusy({ place }: Entry): boolean {
    return (this.#turnstiles.get(keyOf(place))?.count ?? 0) > 0;
  }

  #forgetLost(agent: ConversationId): void {
    for (const key of [...this.#lost.keys()]) if (key.startsWith(`${agent} `)) this.#lost.delete(key);
  }

  /** Ends everything; nothing starts any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#entries.values()].map((entry) => this.#end(entry, "the host is shutting down")),
    );
  }

  #summary(entry: Entry): ReplSummary {
    const { place, startedAt, repl } = entry;
    const busy = this.#isBusy(entry);
    return {
      name: place.name,
      state: repl === undefined ? "starting" : busy ? "busy" : "idle",
      access: place.access,
      startedAt,
      evaluations: repl?.evaluations ?? 0,
      image: entry.image,
    };
  }

  #open(place: ReplPlace, image?: string): Entry {
    this.#checkRoom(place);
    const key = keyOf(place);
    const startedAt = this.#parts.now();
    const entry: Entry = {
      place,
      startedAt,
      image,
      opening: this.#image(place, startedAt, image),
      repl: undefined,
      isOrphan: false,
    };
    this.#entries.set(key, entry);
    const forget = (): boolean => this.#entries.get(key) === entry && this.#entries.delete(key);
    entry.opening.then((repl) => {
      entry.repl = repl;
      repl.lostBefore = this.#lost.get(key);
      this.#lost.delete(key);
      void repl.image.ended.then((reason) => {
        if (forget()) this.#lost.set(key, reason);
      });
    }, forget);
    return entry;
  }

  async #image(place: ReplPlace, startedAt: number, saved: string | undefined): Promise<Repl> {
    const { access, workspace } = place;
    const path = saved === undefined ? undefined : await this.#parts.saved.pathOf(saved);
    const image = await this.#parts.images.open({
      ...(path === undefined ? {} : { image: path }),
      heapMb: replLimits.heapMb,
      machine: {
        directory: workspace,
        files: access === "full" ? { kind: "full" } : { kind: "tree", root: workspace },
      },
    });
    await defineBridge(image);
    return { place, image, startedAt, evaluations: 0, lostBefore: undefined };
  }

  #checkRoom({ agent, name }: ReplPlace): void {
    if (this.#closed)
      throw new AutolithError("shutting-down", "This host is shutting down and starts no REPL.");
    const own = this.list(agent);
    if (own.length >= replLimits.perAgent)
      throw new AutolithError(
        "repl-limit",
        `REPL ${name} was not started: ${own.map((each) => each.name).join(", ")} run, and an agent has at most ${replLimits.perAgent}. lisp.stop ends one.`,
      );
    if (this.#entries.size >= replLimits.perHost)
      throw new AutolithError(
        "repl-limit",
        `REPL ${name} was not started: the agents of this host have ${this.#entries.size} REPLs, and at most ${replLimits.perHost} may run at once. lisp.stop ends one of yours; those of other agents end with them.`,
        { retry: "retryable" },
      );
  }

  /** Forgets a REPL before its thread is gone, so that its name can be used at once. */
  async #end(entry: Entry, reason: string): Promise<void> {
    const key = keyOf(entry.place);
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    try {
      await (await entry.opening).image.terminate(reason);
    } catch {
      // It did not start: its starter was told why.
    }
  }
}

function keyOf({ agent, name }: Pick<ReplPlace, "agent" | "name">): string {
  return `${agent} ${name}`;
}

/** What was started with wider access than its agent has now is not used with it. */
function checkAccess(has: ReplPlace, wanted: ReplPlace): void {
  if (has.access === "full" ? wanted.access === "full" : has.workspace === wanted.workspace) return;
  if (has.access === "workspace" && wanted.access === "full") return;
  const started = has.access === "full" ? "access to all files" : `access to ${has.workspace}`;
  throw new AutolithError(
    "repl-access",
    `REPL ${has.name} was started with ${started}, and now ${wanted.access === "full" ? "everything" : wanted.workspace} may be used. lisp.reset starts it anew with that; its definitions go.`,
  );
}
