/**
 * Over Streamable HTTP a session's updates and the answer to `session/load` go out on streams of their own, so the answer could overtake the
 * replay. It waits here until the client has been given every message of the session's stream that came before it, and has answered a request
 * behind them, `_autolith/replayed`: whatever it answers, it has read so far.
 */
import { randomUUID } from "node:crypto";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { withinDeadline } from "../../../orchestrator/queue/deadline.ts";

/** Longest wait for a client that does not take its session's stream, in milliseconds. */
const overtakenMs = 10_000;
/** Longest wait for the answer of a client that has taken it, in milliseconds. */
const answeredMs = 2_000;

const replayedMethod = "_autolith/replayed";

type Counts = { sent: number; given: number; streams: number };

/** Bookkeeping of one connection. */
export class ReplayOrder {
  readonly #sessions = new Map<string, Counts>();
  /** Requests of sessions by id: their answers go out on the session's stream, but for those of `session/load`. */
  readonly #requests = new Map<unknown, { readonly session: string; readonly isLoad: boolean }>();
  /** Our own requests to the client that wait for any answer. */
  readonly #own = new Map<unknown, () => void>();
  readonly #waiters = new Set<() => void>();

  /** The agent's side of the connection in this order. */
  ordered(stream: Stream): Stream {
    const incoming = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        if (this.#isOwnAnswer(message)) return;
        this.#asked(message);
        controller.enqueue(message);
      },
    });
    const writer = stream.writable.getWriter();
    const aside = new Set<Promise<void>>();
    return {
      readable: stream.readable.pipeThrough(incoming),
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          const session = this.#loadedBy(message);
          if (session === undefined) return writer.write(message);
          // Put aside: what else the connection has to say goes on meanwhile.
          const late = this.#read(session, writer).then(() => writer.write(message));
          const settled = late.then(
            () => void aside.delete(settled),
            () => void aside.delete(settled),
          );
          aside.add(settled);
          return undefined;
        },
        close: async () => {
          await Promise.all(aside);
          await writer.close();
        },
        abort: (reason) => writer.abort(reason),
      }),
    };
  }

  /** The client opened the session's stream. */
  opened(session: string): { readonly given: () => void; readonly closed: () => void } {
    const counts = this.#counts(session);
    counts.streams += 1;
    return {
      given: () => {
        counts.given += 1;
        this.#tell();
      },
      closed: () => {
        counts.streams -= 1;
        this.#tell();
      },
    };
  }

  #asked(message: AnyMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    const session = sessionOf(message.params);
    if (session !== undefined)
      this.#requests.set(message.id, { session, isLoad: message.method === "session/load" });
  }

  /** True for the answer to a request of ours, which the agent knows nothing of. */
  #isOwnAnswer(message: AnyMessage): boolean {
    if ("method" in message) return false;
    const answered = this.#own.get(message.id);
    this.#own.delete(message.id);
    answered?.();
    return answered !== undefined;
  }

  /** Counts a message of the agent; for an answer to `session/load` the session whose updates it must not overtake. */
  #loadedBy(message: AnyMessage): string | undefined {
    if ("method" in message) {
      const session = sessionOf(message.params);
      if (session !== undefined) this.#counts(session).sent += 1;
      return undefined;
    }
    const request = this.#requests.get(message.id);
    this.#requests.delete(message.id);
    if (request === undefined) return undefined;
    const counts = this.#counts(request.session);
    if (request.isLoad) return request.session;
    counts.sent += 1;
    return undefined;
  }

  /** Resolves when the client has read what was sent so far. */
  async #read(session: string, writer: WritableStreamDefaultWriter<AnyMessage>): Promise<void> {
    const counts = this.#counts(session);
    await this.#given(counts);
    if (counts.streams === 0) return;
    const id = `replayed-${randomUUID()}`;
    const answered = new Promise<void>((resolve) => this.#own.set(id, resolve));
    counts.sent += 1;
    await writer.write({ jsonrpc: "2.0", id, method: replayedMethod, params: { sessionId: session } });
    await withinDeadline(answered, answeredMs);
    this.#own.delete(id);
  }

  /** Resolves when all that was sent so far is given. A client without the stream is told of the session first, and opens it then. */
  async #given(counts: Counts): Promise<void> {
    const { sent } = counts;
    const until = performance.now() + overtakenMs;
    const timer = setTimeout(() => this.#tell(), overtakenMs);
    while (counts.streams > 0 && counts.given < sent && performance.now() < until)
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    clearTimeout(timer);
  }

  #tell(): void {
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }

  #counts(session: string): Counts {
    const known = this.#sessions.get(session) ?? { sent: 0, given: 0, streams: 0 };
    this.#sessions.set(session, known);
    return known;
  }
}

function sessionOf(params: unknown): string | undefined {
  const { sessionId } = (params ?? {}) as { sessionId?: unknown };
  return typeof sessionId === "string" ? sessionId : undefined;
}
