/**
 * Bounds what one client can have going on: requests that wait for their answer. A client that asks and does not read its answers is not read
 * any further; one that reads and asks for more than the bound at once is refused the rest.
 */
import { type AnyMessage, RequestError, type Stream } from "@agentclientprotocol/sdk";
import { withToldFaults } from "../translation/parameter-faults.ts";
import { faultAnswer } from "./message.ts";
import { outstandingRequestLimit } from "./message-limits.ts";

/** Time that answers get to be written after the client has said its last, in milliseconds. */
const lastAnswersMs = 1_000;

/** Time that a request beyond the limit waits for one before it to be answered, in milliseconds; then it is refused. */
const patienceMs = 1_000;

type Reader = ReadableStreamDefaultReader<AnyMessage>;

/** The same stream within the bound; answers to requests that nobody made are left out. */
export function gateRequests(stream: Stream, limit = outstandingRequestLimit): Stream {
  const gate = new RequestGate(stream.writable.getWriter(), limit);
  const reader = stream.readable.getReader();
  return {
    readable: new ReadableStream<AnyMessage>(
      { pull: (controller) => gate.pull(reader, controller), cancel: (reason) => reader.cancel(reason) },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      write: (message) => gate.write(message),
      close: () => gate.close(),
      abort: (reason) => gate.abort(reason),
    }),
  };
}

class RequestGate {
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>;
  readonly #limit: number;
  readonly #asked = new Set<unknown>();
  /** Requests that wait for their answer, by id. */
  readonly #requests = new Map<unknown, { readonly method: string; readonly params: unknown }>();
  #outstanding = 0;
  #writing = 0;
  #changed: (() => void)[] = [];

  constructor(writer: WritableStreamDefaultWriter<AnyMessage>, limit: number) {
    this.#writer = writer;
    this.#limit = limit;
  }

  async pull(reader: Reader, controller: ReadableStreamDefaultController<AnyMessage>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        await this.#lastAnswers();
        controller.close();
        return;
      }
      if (await this.#admit(value)) {
        controller.enqueue(value);
        return;
      }
    }
  }

  async write(message: AnyMessage): Promise<void> {
    const isRequest = "method" in message && "id" in message;
    const isAnswer = !("method" in message);
    if (isRequest) this.#asked.add(message.id);
    this.#writing += 1;
    try {
      await this.#writer.write(isAnswer ? this.#told(message) : message);
    } finally {
      this.#writing -= 1;
      if (isAnswer) this.#outstanding -= 1;
      this.#tell();
    }
  }

  /** Parameters that the protocol library refused are told in our words. */
  #told(answer: AnyMessage): AnyMessage {
    const id = "id" in answer ? answer.id : null;
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    return request === undefined ? answer : withToldFaults(answer, request);
  }

  close(): Promise<void> {
    this.#release();
    return this.#writer.close();
  }

  abort(reason: unknown): Promise<void> {
    this.#release();
    return this.#writer.abort(reason);
  }

  /** Whether the message is to be handled. */
  async #admit(message: AnyMessage): Promise<boolean> {
    if (!("method" in message)) return this.#asked.delete(message.id);
    if (!("id" in message)) return true;
    await this.#room();
    if (this.#outstanding >= this.#limit) {
      const error = RequestError.invalidRequest(
        { code: "too-many-requests", limit: this.#limit },
        `${this.#limit} requests wait for their answer already; wait for one of them`,
      );
      await this.#writer.write(faultAnswer(error, message.id));
      return false;
    }
    this.#outstanding += 1;
    this.#requests.set(message.id, { method: message.method, params: message.params });
    return true;
  }

  /**
   * While the client takes nothing, nothing more is taken from it; and what only waits for its turn gets a moment. Longer it cannot be: what is
   * asked may itself wait for an answer of this client that stands behind.
   */
  async #room(): Promise<void> {
    if (this.#outstanding < this.#limit) return;
    const until = performance.now() + patienceMs;
    const timer = setInterval(() => this.#tell(), patienceMs);
    while (this.#outstanding >= this.#limit && (this.#writing > 0 || performance.now() < until))
      await this.#change();
    clearInterval(timer);
  }

  /** The client sends nothing more, but may still read. */
  async #lastAnswers(): Promise<void> {
    const deadline = AbortSignal.timeout(lastAnswersMs);
    deadline.addEventListener("abort", () => this.#release());
    while (this.#outstanding > 0 && !deadline.aborted) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #tell(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }

  /** Nothing is waited for any more. */
  #release(): void {
    this.#outstanding = 0;
    this.#tell();
  }
}
