/** Stopping what runs in a session: its turn, its forms, a compaction, its jobs; and holding what would come next. */
import type { SessionForms } from "../prompt/forms.ts";
import { isActive } from "../jobs/job-table.ts";
import type { SessionCore } from "./session-core.ts";
import type { SessionUpkeep } from "./session-upkeep.ts";
import type { TurnEngine } from "./turns/turn-engine.ts";

export type StopOptions = { readonly jobs?: boolean; readonly continueSteering?: boolean };

export class SessionStops {
  readonly #core: SessionCore;
  readonly #engine: TurnEngine;
  readonly #forms: Pick<SessionForms, "cancel">;
  readonly #upkeep: Pick<SessionUpkeep, "cancelCompaction">;

  constructor(
    core: SessionCore,
    engine: TurnEngine,
    forms: Pick<SessionForms, "cancel">,
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

  /** All of the primary's work at once, and nothing begins by itself until input comes. Detached jobs go on. True when something was stopped. */
  async pause(): Promise<boolean> {
    this.#engine.hold();
    const turn = await this.#engine.cancel(false);
    const form = this.#forms.cancel("user");
    const compaction = this.#upkeep.cancelCompaction();
    const { paused } = this.#engine;
    this.#core.emit({ kind: "pending-input", inputs: [...this.#core.pending.listing()], paused });
    this.#core.emit({ kind: "state" });
    return turn || form || compaction;
  }
}
