import { MessageChannel, receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import {
  threadMessageSchema,
  type AgentEvent,
  type AgentHostPort,
  type AgentOutcome,
  type AgentSpec,
  type HostMessage,
  type ThreadMessage,
} from "../../orchestrator/contract/agent-thread.ts";
import type { AgentTask } from "./agent-thread.ts";
import type { FreeSlot, RequestSlots } from "./request-slots.ts";

/** What a run needs of the pool. */
export interface RunPool {
  /** Starts the task in a thread; rejects only when the thread was lost. */
  start(task: AgentTask): Promise<unknown>;
  /** Ends a thread that does not obey, and everything in it. */
  terminate(threadId: number): void;
  /** How long a cancelled run may take to end by itself, in ms. */
  readonly cancelGraceMs: number;
  /** The requests under way of all runs. */
  readonly slots: RequestSlots;
}

/** The host's end of one run. */
export class AgentRun {
  readonly #spec: AgentSpec;
  readonly #host: AgentHostPort;
  readonly #pool: RunPool;
  readonly #port: MessagePort;
  readonly #threadPort: MessagePort;
  /** Calls of the host that have not settled. */
  readonly #serving = new Set<Promise<void>>();
  readonly #ended = Promise.withResolvers<void>();
  #requests = 0;
  #threadId: number | undefined;
  #outcome: AgentOutcome | undefined;
  #cancelReason: string | undefined;
  #freeSlot: FreeSlot = () => undefined;
  /** Aborted when the run is cancelled or over: it needs no slot then. */
  readonly #noRequests = new AbortController();
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(spec: AgentSpec, host: AgentHostPort, pool: RunPool) {
    this.#spec = spec;
    this.#host = host;
    this.#pool = pool;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#threadPort = port2;
    port1.on("message", (message: unknown) => this.#take(message));
  }

  /** Runs to the end, whatever it is; resolves when neither the thread nor the host does anything for it any more. */
  async run(signal: AbortSignal): Promise<AgentOutcome> {
    const onAbort = (): void => this.#cancel(reasonOf(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const { tools, ...spec } = this.#spec;
      await this.#pool.start({ spec, tools: toolsText(tools), port: this.#threadPort });
      await this.#ended.promise;
    } catch (error) {
      this.#drain();
      this.#outcome ??= this.#lostOutcome(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      clearTimeout(this.#graceTimer);
      this.#noRequests.abort();
      this.#freeSlot();
    }
    await Promise.all(this.#serving);
    this.#port.close();
    return this.#outcome ?? this.#lostOutcome(undefined);
  }

  #cancel(reason: string): void {
    this.#cancelReason = reason;
    this.#noRequests.abort();
    this.#send({ kind: "cancel", reason });
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => {
      if (this.#threadId !== undefined) this.#pool.terminate(this.#threadId);
    }, this.#pool.cancelGraceMs);
  }

  #send(message: HostMessage): void {
    this.#port.postMessage(message);
  }

  /** Takes what a lost thread had sent before its end. */
  #drain(): void {
    for (
      let entry = receiveMessageOnPort(this.#port);
      entry !== undefined;
      entry = receiveMessageOnPort(this.#port)
    ) {
      this.#take(entry.message);
    }
  }

  #take(raw: unknown): void {
    if (Array.isArray(raw)) for (const each of raw) this.#takeOne(each);
    else this.#violated(`An agent thread sent ${typeof raw} where a list of messages was expected.`);
  }

  #takeOne(raw: unknown): void {
    const parsed = threadMessageSchema.safeParse(raw);
    if (!parsed.success) {
      this.#violated(`An agent thread sent a message that is not of the protocol: ${parsed.error.message}`);
      return;
    }
    const message: ThreadMessage = parsed.data;
    switch (message.kind) {
      case "event":
        this.#takeEvent(message.event);
        return;
      case "boundary":
        this.#serve(message.id, async () => {
          const reply = await this.#host.boundary(message.boundary);
          const admitted = reply.next === "continue" && (await this.#takeFreeSlot());
          return { kind: "boundary-reply", id: message.id, reply, admitted };
        });
        return;
      case "replay":
        this.#serve(message.id, async () => ({
          kind: "replay-reply",
          id: message.id,
          reply: await this.#host.replay(message.replay),
        }));
        return;
      case "admission":
        this.#serve(message.id, async () => {
          await this.#takeSlot();
          return { kind: "admitted", id: message.id };
        });
        return;
      case "outcome":
        this.#outcome ??= message.outcome;
        this.#ended.resolve();
    }
  }

  async #takeSlot(): Promise<void> {
    this.#freeSlot();
    this.#freeSlot = await this.#pool.slots.take(this.#spec, this.#noRequests.signal);
    // The run ended meanwhile: nobody else gives it back.
    if (this.#noRequests.signal.aborted) this.#freeSlot();
  }

  /** Takes a slot for the request that follows when that needs no waiting: it saves the thread asking for it. */
  async #takeFreeSlot(): Promise<boolean> {
    if (this.#noRequests.signal.aborted || !this.#pool.slots.hasRoom(this.#spec)) return false;
    await this.#takeSlot();
    return true;
  }

  #takeEvent(event: AgentEvent): void {
    if (event.event === "run-started") this.#threadId = event.threadId;
    if (event.event === "request-started") this.#requests += 1;
    if (event.event === "attempt-failed" || event.event === "request-completed") this.#freeSlot();
    try {
      this.#host.event(event);
    } catch (error) {
      this.#violated(`The host could not take the event ${event.event}: ${describe(error)}`);
    }
  }

  #serve(id: number, answer: () => Promise<HostMessage>): void {
    // A run that has failed already acts no more; its thread is being stopped.
    if (this.#outcome !== undefined) return;
    const served = this.#answered(id, answer).finally(() => this.#serving.delete(served));
    this.#serving.add(served);
  }

  async #answered(id: number, answer: () => Promise<HostMessage>): Promise<void> {
    try {
      this.#send(await answer());
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#send({ kind: "refused", id, message: message.slice(0, 2000) });
    }
  }

  /** Host and thread do not understand each other: the run ends here, and the thread is told to stop it. */
  #violated(problem: string): void {
    this.#outcome ??= {
      status: "failed",
      requests: this.#requests,
      failure: { code: "internal-error", message: problem.slice(0, 2000) },
    };
    this.#cancel("protocol-violation");
  }

  #lostOutcome(error: unknown): AgentOutcome {
    if (this.#cancelReason !== undefined) {
      return { status: "cancelled", requests: this.#requests, reason: this.#cancelReason };
    }
    return {
      status: "failed",
      requests: this.#requests,
      failure: { code: "thread-lost", message: `The agent's thread ended under it: ${describe(error)}` },
    };
  }
}

const toolTexts = new WeakMap<AgentSpec["tools"], string>();

function toolsText(tools: AgentSpec["tools"]): string {
  const text = toolTexts.get(tools) ?? JSON.stringify(tools);
  toolTexts.set(tools, text);
  return text;
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return typeof reason === "string" && reason !== "" ? reason.slice(0, 200) : "cancelled";
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 1900) : "no reason is known";
}
