/** The terminal's link over a connection to a host: requests with ids, answers checked by their schemas, events in order. */
import "../../schema-checks.ts";
import {
  clientEventOf,
  eventMethod,
  eventNotificationSchema,
} from "../../../orchestrator/contract/acp/events.ts";
import {
  type ExtensionMethod,
  type ParamsOf,
  type ValueOf,
  answerSchema,
  wireMethod,
} from "../../../orchestrator/contract/acp/method-table.ts";
import { AutolithError, failureOf } from "../../../orchestrator/contract/failure.ts";
import { parseForeignJson } from "../../../orchestrator/contract/json-nesting.ts";
import { programVersion } from "../../installation.ts";
import type { FrameChannel } from "../../acp/wire/frame-stream.ts";
import type { HostLink } from "./host-link.ts";

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

type Message = {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
};

/** The version of ACP that hosts of this program speak. */
const protocolVersion = 1;

/** Opens the protocol on a channel on which the client is authenticated. Rejects with `disconnected` or the host's refusal. */
export async function linkOver(channel: FrameChannel, name: string): Promise<HostLink> {
  const link = new AcpLink(channel);
  await link.initialize(name);
  return link;
}

class AcpLink implements HostLink {
  readonly closed: Promise<string>;
  readonly #channel: FrameChannel;
  readonly #waiting = new Map<number, Waiting>();
  #listener: Parameters<HostLink["onEvent"]>[0] = () => undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(channel: FrameChannel) {
    this.#channel = channel;
    this.closed = this.#read().then(
      () => this.#end(cutReason),
      (error: unknown) => this.#end(isCut(error) ? cutReason : failureOf(error).message),
    );
  }

  async initialize(name: string): Promise<void> {
    const clientInfo = { name, version: programVersion() };
    await this.#call("initialize", { protocolVersion, clientCapabilities: {}, clientInfo });
  }

  async request<Method extends ExtensionMethod>(
    method: Method,
    params: ParamsOf<Method>,
  ): Promise<ValueOf<Method>> {
    const result = await this.#call(wireMethod(method), params);
    const answer = answerSchema(method).safeParse(result);
    if (!answer.success)
      throw new AutolithError(
        "malformed",
        `The host answered ${method} in another shape than its schema: it is of another version. End it when its work is done (autolith lg status --sexp names its process) and try again.`,
      );
    if (answer.data.outcome === "ok") return answer.data.value;
    throw new AutolithError(answer.data.code, answer.data.report);
  }

  onEvent(listener: Parameters<HostLink["onEvent"]>[0]): void {
    this.#listener = listener;
  }

  close(): void {
    this.#channel.close();
  }

  #call(method: string, params: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(disconnected());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#channel.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })).catch(() => {
        if (this.#waiting.delete(id)) reject(disconnected());
      });
    });
  }

  async #read(): Promise<void> {
    for await (const frame of this.#channel.frames()) {
      if (frame.kind !== "bytes")
        throw new AutolithError("malformed", "The host sent a message beyond the bound of the protocol.");
      this.#take(parseForeignJson(Buffer.from(frame.bytes).toString("utf8")) as Message);
    }
  }

  #take(message: Message): void {
    if (message.method === eventMethod) {
      const notification = eventNotificationSchema.parse(message.params);
      this.#listener(notification.sessionId, clientEventOf(notification));
      return;
    }
    if (typeof message.method === "string") {
      if (message.id !== undefined) this.#refuse(message.id, message.method);
      return;
    }
    const waiting = typeof message.id === "number" ? this.#waiting.get(message.id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(message.id as number);
    if (message.error === undefined) waiting.resolve(message.result);
    else waiting.reject(new AutolithError("condition", String(message.error.message)));
  }

  /** Requests of the host are for other kinds of clients. */
  #refuse(id: unknown, method: string): void {
    const error = { code: -32_601, message: `The terminal does not serve ${method}.` };
    this.#channel.send(JSON.stringify({ jsonrpc: "2.0", id, error })).catch(() => undefined);
  }

  #end(reason: string): string {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(disconnected());
    this.#waiting.clear();
    return reason;
  }
}

const cutReason = "it ended the connection";

/** How the end of a process shows to whom it was connected: by the end of the stream, or by these. */
function isCut(error: unknown): boolean {
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown };
  return code === "EPIPE" || code === "ECONNRESET";
}

function disconnected(): AutolithError {
  return new AutolithError("disconnected", "The connection to the session host is gone.", {
    retry: "retryable",
  });
}
