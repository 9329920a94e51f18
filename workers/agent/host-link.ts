import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import type {
  AgentEvent,
  AgentOutcome,
  Boundary,
  BoundaryReply,
  HostMessage,
  ReplayReply,
  ReplayRequest,
  ThreadMessage,
  ThreadMessages,
} from "../../orchestrator/contract/agent-thread.ts";
import { HostRefusedError } from "./turn-loop.ts";

interface PendingReply {
  readonly resolve: (message: HostMessage) => void;
  readonly reject: (error: Error) => void;
}

/** The thread's end of the port to its host. */
export class HostLink {
  readonly #port: MessagePort;
  readonly #pending = new Map<number, PendingReply>();
  readonly #abort = new AbortController();
  #nextId = 1;
  #news: ThreadMessage[] = [];
  /** The news that wait will be sent within this turn of the event loop. */
  #newsAreDue = false;
  #cancelReason: string | undefined;
  /** The host has admitted the next request with its last answer. */
  #admitted = false;

  constructor(port: MessagePort) {
    this.#port = port;
    // A cancel that came while the run waited for a place in the pool must be seen before anything is sent.
    for (let entry = receiveMessageOnPort(port); entry !== undefined; entry = receiveMessageOnPort(port)) {
      this.#take(entry.message as HostMessage);
    }
    port.on("message", (message: HostMessage) => this.#take(message));
    port.once("close", () => this.#cancel("host-closed"));
  }

  /** Aborted by a cancel from the host, or when the host closed the port. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the run was cancelled; undefined while it was not. */
  get cancelReason(): string | undefined {
    return this.#cancelReason;
  }

  /** Asks the host to serve a boundary. */
  async boundary(boundary: Boundary): Promise<BoundaryReply> {
    const message = await this.#request((id) => ({ kind: "boundary", id, boundary }));
    if (message.kind !== "boundary-reply") throw unexpected(message, "boundary-reply");
    this.#admitted = message.admitted;
    return message.reply;
  }

  /** Asks the host's cassette for an answer. */
  async replay(replay: ReplayRequest): Promise<ReplayReply> {
    const message = await this.#request((id) => ({ kind: "replay", id, replay }));
    if (message.kind !== "replay-reply") throw unexpected(message, "replay-reply");
    return message.reply;
  }

  /** Waits until a request may be sent. */
  async admission(): Promise<void> {
    const isAdmitted = this.#admitted && this.#cancelReason === undefined;
    this.#admitted = false;
    if (isAdmitted) return;
    const message = await this.#request((id) => ({ kind: "admission", id }));
    if (message.kind !== "admitted") throw unexpected(message, "admitted");
  }

  /** Sends one-way news: with the request that follows at once, or by itself a moment later. */
  event(event: AgentEvent): void {
    this.#news.push({ kind: "event", event });
    // By it a thread is ended that does nothing any more, so it does not wait.
    if (event.event === "run-started") this.#send();
    else this.#sendNewsSoon();
  }

  /** Sends the last message and closes the port. */
  end(outcome: AgentOutcome): void {
    this.#send({ kind: "outcome", outcome });
    this.#port.removeAllListeners();
    this.#port.close();
  }

  #sendNewsSoon(): void {
    if (this.#newsAreDue) return;
    this.#newsAreDue = true;
    // A request may take them along before; taking the immediate back then would cost more than letting it come.
    setImmediate(() => {
      this.#newsAreDue = false;
      this.#send();
    });
  }

  /** Sends the news that wait, then the message. */
  #send(message?: ThreadMessage): void {
    const messages: ThreadMessages = message === undefined ? this.#news : [...this.#news, message];
    this.#news = [];
    if (messages.length > 0) this.#port.postMessage(messages);
  }

  #request(build: (id: number) => ThreadMessage): Promise<HostMessage> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      if (this.#cancelReason !== undefined) {
        reject(new HostRefusedError(`The run was cancelled (${this.#cancelReason}).`));
        return;
      }
      this.#pending.set(id, { resolve, reject });
      this.#send(build(id));
    });
  }

  #take(message: HostMessage): void {
    if (message.kind === "cancel") {
      this.#cancel(message.reason);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === "refused") pending?.reject(new HostRefusedError(message.message));
    else pending?.resolve(message);
  }

  #cancel(reason: string): void {
    if (this.#cancelReason !== undefined) return;
    this.#cancelReason = reason;
    this.#abort.abort(reason);
    for (const pending of this.#pending.values()) {
      pending.reject(new HostRefusedError(`The run was cancelled (${reason}).`));
    }
    this.#pending.clear();
  }
}

function unexpected(message: HostMessage, expected: string): HostRefusedError {
  return new HostRefusedError(`Expected a ${expected} from the host, but a ${message.kind} came.`);
}
