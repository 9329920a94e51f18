/**
 * Turns of one session, one at a time: what starts them (prompts, queued input, completions), what happens at their safe boundaries, how they
 * end, and what comes next.
 */
import { AutolithError, type Failure, failureOf } from "../../contract/failure.ts";
import type { Authority } from "../../contract/permissions.ts";
import type { TurnOutcome, TurnSource } from "../../contract/session/updates.ts";
import type { PromptOutcome } from "../../contract/session/service.ts";
import { completionWindowMs } from "../../tasks/completions.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { Waiting } from "../input/waiting.ts";
import type { SessionCore } from "../session-core.ts";
import { sessionRecords } from "../view/session-records.ts";
import { type TurnEnd, turnEndFields } from "../view/turn-ends.ts";
import type { Compactor } from "./compactor.ts";
import { PrimaryTurns } from "./primary-turns.ts";

/** How a turn went. */
type TurnResult = Pick<PromptOutcome, "outcome" | "failure">;

type Running = {
  readonly epoch: number;
  readonly source: TurnSource;
  readonly startedAt: number;
  readonly abort: AbortController;
  readonly finished: Promise<PromptOutcome>;
};

export type TurnEngineParts = {
  readonly core: SessionCore;
  readonly authority: Authority;
  readonly compactor: Compactor;
  readonly tools: ToolRegistry;
  /** Executes waiting slash text; its answer is shown as a notice. */
  readonly command: (text: string) => Promise<void>;
  /**
   * Evaluates a waiting form; resolves at its end. `asks`: somebody may be asked about its conditions. `taken` is told when it has its place
   * among the forms.
   */
  readonly form: (source: string, asks: boolean, taken: () => void) => Promise<void>;
  /** Told when a turn begins. */
  readonly began: () => void;
  /** Told after each turn, when nothing of it runs any more. */
  readonly ended: (outcome: TurnOutcome) => void;
  /** Told when the engine has looked for more to do: it may be idle now. */
  readonly rested: () => void;
};

export class TurnEngine {
  readonly #parts: TurnEngineParts;
  readonly #core: SessionCore;
  readonly #turns: PrimaryTurns;
  #running: Running | undefined;
  #epoch = 0;
  #paused = false;
  /** The pause was asked for by name, not only the end of a cancelled or failed turn. */
  #held = false;
  #closing = false;
  #lastOutcome: TurnOutcome | null = null;
  #lastFailure: Failure | null = null;
  /** Operations put off to the next boundary; each ends with true when the next request must be made anew. */
  #scheduled: (() => Promise<boolean>)[] = [];
  #window: NodeJS.Timeout | undefined;
  #pumping = false;
  #handover: Promise<void> | undefined;
  /** Something else than a turn has the conversation for itself. */
  #exclusive = false;

  constructor(parts: TurnEngineParts) {
    this.#parts = parts;
    this.#core = parts.core;
    const { core, authority, compactor, tools } = parts;
    this.#turns = new PrimaryTurns({
      core,
      authority,
      compactor,
      tools,
      applyScheduled: () => this.#applyScheduled(),
    });
  }

  get running(): Omit<Running, "abort" | "finished"> | undefined {
    return this.#running;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get held(): boolean {
    return this.#held;
  }

  get lastOutcome(): TurnOutcome | null {
    return this.#lastOutcome;
  }

  get lastFailure(): Failure | null {
    return this.#lastFailure;
  }

  /** Nothing runs and nothing will start by itself. */
  get idle(): boolean {
    return this.#running === undefined && this.#window === undefined && !this.#pumping && !this.#exclusive;
  }

  /** Input waits that is about to be worked off: what comes now comes behind it. */
  get isWorkingOff(): boolean {
    return !this.#paused && this.#core.pending.queued.length > 0;
  }

  /** Pending while a form is on its way from the queue to its evaluation: another one comes behind it. */
  get handover(): Promise<void> | undefined {
    return this.#handover;
  }

  /** Does work that no turn may overlap. Rejects with `busy` while a turn, or other such work, runs. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#requireFree();
    this.#exclusive = true;
    try {
      return await work();
    } finally {
      this.#exclusive = false;
      this.pump();
      this.#parts.rested();
    }
  }

  /** Waits for explicit input, as after a cancel. */
  pause(): void {
    this.#paused = true;
  }

  /** As {@link pause}, and says so also where nothing waits yet. */
  hold(): void {
    this.#paused = true;
    this.#held = true;
  }

  /** Explicit input came: what waits may start. */
  lift(): void {
    this.#paused = false;
    this.#held = false;
  }

  /** Puts an operation off to the next safe boundary, or does it now when no turn runs. */
  schedule(operation: () => Promise<boolean>): void {
    this.#scheduled.push(operation);
  }

  /** The prompt cache helps nobody any more: after a compaction, with another model. */
  resetCache(): void {
    this.#turns.resetCache();
  }

  /** The context in tokens by its characters, for what nobody has counted. */
  estimatedContext(): number | null {
    return this.#turns.estimatedContext();
  }

  /** Prepares what the first turn needs, a little at a time. */
  prepare(): Promise<void> {
    return this.#turns.prepareTools();
  }

  /**
   * Begins a turn with these inputs; they are in the record when this resolves, and no longer wait. Throws `busy` at once when a turn runs. A
   * prompt lifts a pause, unless it is refused.
   */
  async start(source: TurnSource, inputs: readonly Waiting[]): Promise<Running> {
    this.#requireFree();
    if (this.#closing) throw new AutolithError("session-closed", "This session is being closed.");
    if (source === "prompt") this.lift();
    const running = this.#begin(source);
    try {
      await this.#core.forms.deliver(this.#core.transcript);
      for (const input of inputs)
        await this.#core.transcript.userMessage(input.text, { inputId: input.inputId, images: input.images });
      await this.#core.pending.delivered(inputs);
    } catch (error) {
      await running.settle({ outcome: "condition", failure: failureOf(error) });
      throw error;
    }
    this.#core.emit({ kind: "state" });
    void this.#turns
      .run(running.signal)
      .catch((error: unknown): TurnResult =>
        running.signal.aborted
          ? { outcome: "cancelled" }
          : { outcome: "condition", failure: failureOf(error) },
      )
      .then(running.settle);
    return running.turn;
  }

  /**
   * Stops the running turn; false when there is none. Resolves when nothing of it runs any more. What waits is paused; with
   * `continueSteering` the steering gets its turn all the same, and only what is queued behind it waits for explicit input.
   */
  async cancel(continueSteering: boolean): Promise<boolean> {
    clearTimeout(this.#window);
    this.#window = undefined;
    const running = this.#running;
    if (running === undefined) {
      this.#paused ||= this.#core.pending.count > 0;
      return false;
    }
    // Before the end of the turn, so that input which comes while it ends lifts the pause.
    this.#paused = true;
    running.abort.abort("user");
    await running.finished;
    if (continueSteering) this.#pumpBy(async () => void (await this.#startSteering()));
    return true;
  }

  /** No more turns; ends the one that runs. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#window);
    this.#running?.abort.abort("shutdown");
    await this.#running?.finished;
  }

  /** Completions are ready: a turn starts with those of the next second, unless something holds it. */
  completionsArrived(): void {
    if (this.#running !== undefined || this.#window !== undefined || this.#paused || this.#closing) return;
    this.#window = setTimeout(() => {
      this.#window = undefined;
      this.pump();
    }, completionWindowMs);
  }

  /** Starts what waits, when nothing runs and nothing holds it: late steering, queued input in order, completions. */
  pump(): void {
    if (!this.#paused) this.#pumpBy(() => this.#startNext());
  }

  #pumpBy(startNext: () => Promise<void>): void {
    const busy = this.#running !== undefined || this.#pumping || this.#exclusive;
    if (busy || this.#closing) return;
    this.#pumping = true;
    startNext()
      .catch((error: unknown) => {
        this.#paused = true;
        this.#lastFailure = failureOf(error);
        this.#core.notice("error", this.#lastFailure.code, this.#lastFailure.message);
      })
      .finally(() => {
        this.#pumping = false;
        this.#parts.rested();
      });
  }

  #requireFree(): void {
    if (this.#running === undefined && !this.#exclusive) return;
    throw new AutolithError(
      "busy",
      this.#exclusive
        ? "The conversation is being compacted. Queue the input."
        : "A turn is running. Steer it, or queue the input.",
      { retry: "retryable" },
    );
  }

  async #startNext(): Promise<void> {
    const { pending, completions } = this.#core;
    for (;;) {
      await this.#applyScheduled();
      if (await this.#startSteering()) return;
      const [next] = pending.queued;
      if (next === undefined) break;
      if (next.kind === "message") {
        await this.start("queue", [next]);
        return;
      }
      // Executed once: it is gone from the queue before it runs, because a command cannot be undone.
      await this.#workOff(next);
      if (this.#running !== undefined || this.#paused) return;
    }
    if (completions.wantsTurn) await this.start("completion", []);
  }

  async #workOff(next: Waiting): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (next.kind !== "command") this.#handover = promise;
    try {
      await this.#core.pending.delivered([next]);
      if (next.kind === "command") await this.#parts.command(next.text);
      else await this.#parts.form(next.text, next.kind === "lisp", resolve);
    } finally {
      resolve();
      this.#handover = undefined;
    }
  }

  /** Gives all waiting steering a turn; false when there is none. */
  async #startSteering(): Promise<boolean> {
    const { steering } = this.#core.pending;
    if (steering.length > 0) await this.start("queue", steering);
    return steering.length > 0;
  }

  #begin(source: TurnSource): {
    readonly turn: Running;
    readonly signal: AbortSignal;
    /** Never rejects. */
    readonly settle: (end: TurnResult) => Promise<void>;
  } {
    this.#epoch += 1;
    const epoch = this.#epoch;
    const abort = new AbortController();
    let resolve: (outcome: PromptOutcome) => void = () => undefined;
    const finished = new Promise<PromptOutcome>((settle) => {
      resolve = settle;
    });
    const startedAt = this.#core.environment.now();
    const turn: Running = { epoch, source, startedAt, abort, finished };
    this.#running = turn;
    this.#parts.began();
    this.#core.usage.beginTurn();
    this.#core.emit({ kind: "turn", state: "running", epoch, source, outcome: null });
    return {
      turn,
      signal: abort.signal,
      settle: async (end) => {
        await this.#recordEnd(turn, end);
        const outcome: PromptOutcome = { ...end, epoch, usage: this.#core.usage.turn };
        this.#end(turn, end);
        resolve(outcome);
        this.#parts.ended(end.outcome);
        if (end.outcome !== "condition") this.pump();
      },
    };
  }

  /** The end is in the record before it is announced. Where it cannot be, clients are told all the same. */
  async #recordEnd({ epoch, source, startedAt }: Running, { outcome, failure }: TurnResult): Promise<void> {
    const core = this.#core;
    const at = core.environment.now();
    const end: TurnEnd = {
      outcome,
      source,
      durationMs: Math.max(0, at - startedAt),
      usage: core.usage.turn,
      ...(failure === undefined ? {} : { failure: { code: failure.code, message: failure.message } }),
    };
    try {
      await core.note(sessionRecords.turnEnd, turnEndFields(end));
    } catch (error) {
      core.environment.report(failureOf(error));
      core.update({ type: "turn-end", turnId: `t:unrecorded-${epoch}`, ...end, at });
    }
  }

  #end({ epoch, source }: Running, { outcome, failure }: TurnResult): void {
    this.#running = undefined;
    this.#turns.ended();
    this.#core.live.end();
    this.#lastOutcome = outcome;
    this.#lastFailure = failure ?? null;
    if (outcome === "condition") this.#paused = true;
    this.#core.emit({
      kind: "activity",
      phase: "idle",
      characters: 0,
      request: this.#core.lastRequest,
      attempt: 0,
    });
    this.#core.emit({
      kind: "turn",
      state: "idle",
      epoch,
      source,
      outcome,
      ...(failure === undefined ? {} : { failure }),
    });
    this.#core.emit({ kind: "state" });
  }

  async #applyScheduled(): Promise<boolean> {
    let anew = false;
    for (
      let operation = this.#scheduled.shift();
      operation !== undefined;
      operation = this.#scheduled.shift()
    )
      anew = (await operation()) || anew;
    return anew;
  }
}
