/** Stopping what runs in a session: its turn, its forms, a compaction, its jobs; and holding what would come next. */
import type { SessionForms } from "../prompt/forms.ts";
import { isActive } from "../jobs/job-table.ts";
import type { SessionCore } from "./session-core.ts";
import type { SessionUpkeep } from "./session-upkeep.ts";
import type { TurnEngine } from "./turns/turn-engine.ts";

/** Time that a pause waits for cancelled forms to end, in milliseconds. */
export const pauseWaitMs = 1_000;

export type StopOptions = { readonly jobs?: boolean; readonly continueSteering?: boolean };

export class SessionStops {
  readonly #core: SessionCore;
  readonly #engine: TurnEngine;
  readonly #forms: Pick<SessionForms, "cancel" | "settled">;
  readonly #upkeep: Pick<SessionUpkeep, "cancelCompaction">;

  constructor(
    core: SessionCore,
    engine: TurnEngine,
    forms: Pick<SessionForms, "cancel" | "settled">,
    upkeep: Pick<SessionUpkeep, "cancelCompaction">,
  ) {
    this.#core = core;
    this.#engine = engine;
    this.#forms = forms;
    this.#upkeep = upkeep;
  }

  /** One thing after the other: the turn, else the forms beside it, else a compaction; everything with `jobs`. False when nothing ran. */
  async cancel({ jobs = false, continueSteering = false }: StopOptions): Promise<boolean> {
    const turn = await this.#engine.cancel(continueSteering);
    // What runs beside the turn is met by the next cancel, or by one that ends everything.
    const form = (!turn || jobs) && this.#forms.cancel("user");
    const compaction = ((!turn && !form) || jobs) && this.#upkeep.cancelCompaction();
    if (jobs) {
      const live = this.#core.host.jobs().filter(isActive);
      await Promise.all(live.map((job) => this.#core.host.supervisor.cancel(job, "user")));
    }
    return turn || form || compaction;
  }

  /**
   * All of the primary's work at once, and nothing begins by itself until input comes. Detached jobs go on. True when something was to be stopped; forms
   * that do not end within {@link pauseWaitMs} are in the state still. */
  async pause(): Promise<boolean> {
    this.#engine.hold();
    const turn = await this.#engine.cancel(false);
    const form = this.#forms.cancel("user");
    const compaction = this.#upkeep.cancelCompaction();
    // Whoever asked is told what runs on: a form's cleanup may take until its image is ended.
    if (form) await this.#forms.settled(pauseWaitMs);
    const { paused } = this.#engine;
    this.#core.emit({ kind: "pending-input", inputs: [...this.#core.pending.listing()], paused });
    this.#core.emit({ kind: "state" });
    return turn || form || compaction;
  }
}
