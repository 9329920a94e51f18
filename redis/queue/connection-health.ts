import type { Redis } from "ioredis";
import type { QueueHealth } from "../../orchestrator/contract/queue.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";

/** Time between two checks that the server still answers, and how long an answer may take. */
export interface HealthCheckTimes {
  readonly everyMs: number;
  readonly answerMs: number;
}

const defaultTimes: HealthCheckTimes = { everyMs: 2000, answerMs: 2000 };

/**
 * Watches connections: `degraded` while one of them is down or the server does not answer, `connected` when all are up
 * again. A server that hangs keeps its connections open, so it is asked as well.
 */
export class ConnectionHealth {
  readonly #clients: readonly Redis[];
  readonly #listeners = new Set<(health: QueueHealth) => void>();
  readonly #times: HealthCheckTimes;
  readonly #unsubscribe: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #answering = true;
  #health: QueueHealth = "connected";

  /** `clients` are connected when they are handed over. */
  constructor(clients: readonly Redis[], times: HealthCheckTimes = defaultTimes) {
    this.#clients = clients;
    this.#times = times;
    const update = (): void => this.#update();
    for (const client of clients) {
      for (const event of ["ready", "close", "end"] as const) {
        client.on(event, update);
        this.#unsubscribe.push(() => client.off(event, update));
      }
    }
    this.#schedule();
  }

  get health(): QueueHealth {
    return this.#health;
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (health: QueueHealth) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends watching; the last value stays. */
  stop(): void {
    clearTimeout(this.#timer);
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#listeners.clear();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#check().then(
        () => this.#schedule(),
        () => this.#schedule(),
      );
    }, this.#times.everyMs);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const [first] = this.#clients;
    if (first === undefined || first.status !== "ready") return;
    const asked = first.ping().then(
      () => true,
      () => false,
    );
    this.#answering = (await withinDeadline(asked, this.#times.answerMs)) === "ended" && (await asked);
    this.#update();
  }

  #update(): void {
    const up = this.#clients.every(({ status }) => status === "ready");
    if (up && this.#health === "degraded" && !this.#answering) return;
    const health: QueueHealth = up && this.#answering ? "connected" : "degraded";
    if (health === this.#health) return;
    this.#health = health;
    for (const listener of this.#listeners) listener(health);
  }
}
