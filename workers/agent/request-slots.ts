import PQueue from "p-queue";
import type { AgentSpec } from "../../orchestrator/contract/agent-thread.ts";
import type { ModelEndpoint } from "../../orchestrator/contract/model.ts";

/** Ends the request that a slot was taken for; more than one call does no harm. */
export type FreeSlot = () => void;

/**
 * The requests under way to each provider, from all threads of a host. One beyond the bound waits until another ends; what a
 * running command waits for (its judgement) goes first, then who asked first.
 */
export class RequestSlots {
  readonly #perProvider: number;
  readonly #onFull: (provider: string) => void;
  readonly #queues = new Map<string, PQueue>();

  /** `onFull` is told of each request that has to wait. */
  constructor(perProvider: number, onFull: (provider: string) => void) {
    this.#perProvider = perProvider;
    this.#onFull = onFull;
  }

  /** Whether a live run would get a slot at once; then nobody waits for one either. */
  hasRoom({ source }: AgentSpec): boolean {
    if (source.kind === "replay") return false;
    return this.#queueOf(source.endpoint).pending < this.#perProvider;
  }

  /** Resolves when the run may send one request; rejects with the signal's reason. A replayed run needs no slot. */
  async take({ source, purpose }: AgentSpec, signal: AbortSignal): Promise<FreeSlot> {
    if (source.kind === "replay") return () => undefined;
    signal.throwIfAborted();
    const { provider, baseUrl } = source.endpoint;
    const queue = this.#queueOf(source.endpoint);
    const isFull = queue.pending >= this.#perProvider;
    if (isFull) this.#onFull(baseUrl ?? provider);
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<FreeSlot>();
    const priority = purpose === "classifier" ? 1 : 0;
    const request = (): Promise<void> => {
      begun.resolve(ended.resolve);
      return ended.promise;
    };
    // A request that begins at once is ended by its run, cancelled or not; only one that waits must hear of a cancel here.
    queue
      .add(request, isFull ? { signal, priority } : { priority })
      .catch((error: unknown) => begun.reject(error));
    return begun.promise;
  }

  #queueOf({ provider, baseUrl }: ModelEndpoint): PQueue {
    const key = `${provider} ${baseUrl ?? ""}`;
    const found = this.#queues.get(key) ?? new PQueue({ concurrency: this.#perProvider });
    this.#queues.set(key, found);
    return found;
  }
}
