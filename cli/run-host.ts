/** One composed host with one root child: starting it, waiting for it within limits, closing everything. */
import type { AgentResult, CancelReason } from "../orchestrator/contract/job-catalog.ts";
import type { HeadlessHost } from "../orchestrator/host/headless-host.ts";
import { type Job, isActive } from "../orchestrator/jobs/job-table.ts";
import type { Outcome } from "../orchestrator/jobs/lifecycle.ts";
import type { JobInventory } from "../orchestrator/recovery/job-inventory.ts";
import type { ModelDirectory } from "../orchestrator/models/model-directory.ts";

export type RootRequest = {
  readonly role: string;
  readonly assignment: string;
  /** The output contract as a data form. */
  readonly outputContract: string;
  /** Wall-clock limit from the admission, in milliseconds. */
  readonly timeoutMs: number;
};

export class RunHost {
  readonly #host: HeadlessHost;
  readonly #modelId: string;
  readonly #workspace: string;
  readonly #models: ModelDirectory;
  readonly #close: () => Promise<void>;
  #root: Job | undefined;
  #deadlineAt = Number.POSITIVE_INFINITY;

  constructor(parts: {
    readonly host: HeadlessHost;
    readonly modelId: string;
    readonly workspace: string;
    readonly models: ModelDirectory;
    readonly close: () => Promise<void>;
  }) {
    this.#host = parts.host;
    this.#modelId = parts.modelId;
    this.#workspace = parts.workspace;
    this.#models = parts.models;
    this.#close = parts.close;
  }

  get rootExecutionId(): string | undefined {
    return this.#root?.executionId;
  }

  /** What a dead host left of the conversation; empty for a new one. */
  get inventory(): JobInventory {
    return this.#host.inventory;
  }

  /** Resolves when every job of the conversation that somebody works on has ended, and those that were started meanwhile. */
  async idle(): Promise<void> {
    for (;;) {
      const active = this.#host.jobs().filter(isActive);
      if (active.length === 0) return;
      await Promise.all(active.map((job) => this.#host.settled(job)));
    }
  }

  isRegisteredTool(name: string): boolean {
    return this.#host.isRegisteredTool(name);
  }

  /** The durable result file of an execution of this run, absolute. */
  resultPath(executionId: string): string {
    return this.#host.resultPath(executionId);
  }

  /** Admits the root child. Rejects with typed errors: unknown role, role definition, queue unavailable. */
  async startRoot(request: RootRequest): Promise<Job> {
    const role = await this.#host.findRole(request.role);
    this.#deadlineAt = Date.now() + request.timeoutMs;
    this.#root = await this.#host.startRoot({
      role,
      assignment: request.assignment,
      outputContract: request.outputContract,
      model: this.#models.choose(role.models, this.#modelId),
      workspace: this.#workspace,
      timeoutMs: request.timeoutMs,
    });
    performance.mark("autolith:root-admitted");
    return this.#root;
  }

  /**
   * The root's outcome. Aborting `cancel`, or the wall-clock limit, stops its tree; it then has `graceMs` to settle before an aborted
   * outcome is answered for it.
   */
  async settledRoot(cancel: AbortSignal, graceMs: number): Promise<Outcome<AgentResult>> {
    const root = this.#root;
    if (root === undefined) throw new Error("settledRoot needs a root that startRoot has admitted");
    const stop = new AbortController();
    const settled = this.#host.settled(root).then(({ outcome }) => outcome as Outcome<AgentResult>);
    const given = givenUp({
      root,
      host: this.#host,
      cancel,
      deadlineAt: this.#deadlineAt,
      graceMs,
      stop: stop.signal,
    });
    try {
      return await Promise.race([settled, given]);
    } finally {
      stop.abort();
    }
  }

  /** Ends everything that the host started; bounded in time. */
  close(): Promise<void> {
    return this.#close();
  }
}

type GiveUpParts = {
  readonly root: Job;
  readonly host: HeadlessHost;
  readonly cancel: AbortSignal;
  readonly deadlineAt: number;
  readonly graceMs: number;
  /** Ends the watch. */
  readonly stop: AbortSignal;
};

/** Timers hold at most this many milliseconds; a later deadline cannot come within the life of a run. */
const longestTimerMs = 2_147_483_647;

/** Cancels the root at the first of cancel and deadline, and answers for it when it does not settle in time. */
async function givenUp(parts: GiveUpParts): Promise<Outcome<AgentResult>> {
  const reason = await firstReason(parts);
  await parts.host.cancel(parts.root, reason);
  await elapsed(parts.graceMs, parts.stop);
  return { state: "aborted", reason };
}

function firstReason({
  cancel,
  deadlineAt,
  stop,
}: GiveUpParts): Promise<Extract<CancelReason, "signal" | "timeout">> {
  return new Promise((resolve) => {
    const finish = (reason: "signal" | "timeout"): void => {
      clearTimeout(timer);
      resolve(reason);
    };
    const timer = setTimeout(
      () => finish("timeout"),
      Math.min(longestTimerMs, Math.max(0, deadlineAt - Date.now())),
    );
    stop.addEventListener("abort", () => clearTimeout(timer), { once: true });
    if (cancel.aborted) finish("signal");
    else cancel.addEventListener("abort", () => finish("signal"), { once: true });
  });
}

function elapsed(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
