/** The management REPL's endpoint (manual): authenticated clients evaluate forms in the image that runs. Off unless the environment turns it on. */
import { type Server, type Socket, createServer } from "node:net";
import { type DataForm, PlistReader, keyword, listElements } from "../../lisp/data-forms/index.ts";
import { failureOf } from "../../orchestrator/contract/failure.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import type { ManagementConfiguration } from "./management-configuration.ts";
import { type ManagedImage, ManagementEvaluator } from "./management-evaluator.ts";
import { ManagementFrameError, encodeFrame, readFrames } from "./management-frames.ts";
import { type RemoveAddress, listenAt } from "./management-listener.ts";
import { challengeForm, freshNonce, isProven, proofIn } from "./management-proof.ts";

export type ManagementServerOptions = {
  readonly configuration: ManagementConfiguration;
  readonly image: () => Promise<ManagedImage>;
  /** Told when a client has proved itself; what it answers is called when that client is gone. */
  readonly connected: () => () => void;
  /** For the log. Never told a source, a value or a token. */
  readonly report: (line: string) => void;
};

/** Most text that is left in an answer which had to be made to fit a small frame. */
const overheadBytes = 96;

export class ManagementServer {
  readonly #options: ManagementServerOptions;
  readonly #server: Server;
  readonly #evaluator: ManagementEvaluator;
  readonly #sockets = new Set<Socket>();
  #remove: RemoveAddress = () => Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(options: ManagementServerOptions) {
    this.#options = options;
    this.#evaluator = new ManagementEvaluator(options);
    this.#server = createServer((socket) => void this.#accept(socket));
  }

  /** Listens. Rejects with `management-address`. */
  static async open(options: ManagementServerOptions): Promise<ManagementServer> {
    const server = new ManagementServer(options);
    server.#remove = await listenAt(server.#server, options.configuration.address);
    return server;
  }

  /**
   * Stops listening, ends the clients and what they evaluate; the socket is removed. Can be called again. Rejects with `management-repl-error`
   * when a form does not end within two seconds; everything else is closed then, too.
   */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#remove();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    try {
      await this.#evaluator.close();
    } finally {
      for (const socket of this.#sockets) socket.destroy();
      await closed;
    }
  }

  async #accept(socket: Socket): Promise<void> {
    const { maxClients } = this.#options.configuration;
    socket.on("error", () => undefined);
    if (this.#sockets.size >= maxClients) {
      this.#options.report(
        `management REPL: a client was refused: ${maxClients} are connected, which is the limit`,
      );
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    try {
      await this.#serve(socket);
      socket.destroySoon();
    } catch (error) {
      this.#options.report(`management REPL: ${failureOf(error).message}`);
      socket.destroySoon();
    }
  }

  async #serve(socket: Socket): Promise<void> {
    const { maxFrameBytes, authenticationMs } = this.#options.configuration;
    const forms = readFrames(socket.iterator({ destroyOnReturn: false }), maxFrameBytes);
    const nonce = freshNonce();
    await this.#send(socket, challengeForm(nonce));
    let isAllowed = false;
    const authenticated = this.#authenticate(forms, nonce).then((proven) => {
      isAllowed = proven;
    });
    await withinDeadline(authenticated, authenticationMs);
    if (!isAllowed) return;
    const gone = this.#options.connected();
    socket.once("close", gone);
    if (socket.destroyed) gone();
    await this.#send(socket, [keyword("authenticated"), keyword("version"), 1]);
    try {
      for (let next = await forms.next(); next.done !== true; next = await forms.next())
        await this.#answer(socket, next.value);
    } catch (error) {
      if (!(error instanceof ManagementFrameError)) throw error;
      await this.#send(socket, [keyword("protocol-error"), keyword("report"), error.message]);
    }
  }

  /** True for a proof that holds. Whatever else comes is refused without saying why. */
  async #authenticate(forms: AsyncGenerator<DataForm>, nonce: string): Promise<boolean> {
    try {
      const { value, done } = await forms.next();
      const proof = done === true ? undefined : proofIn(value);
      return proof !== undefined && (await isProven(proof, nonce, this.#options.configuration.tokenFile));
    } catch (error) {
      this.#options.report(`management REPL: a client was not let in: ${failureOf(error).message}`);
      return false;
    }
  }

  async #answer(socket: Socket, form: DataForm): Promise<void> {
    await this.#send(socket, await this.#evaluator.evaluate(sourceIn(form)));
  }

  async #send(socket: Socket, form: DataForm): Promise<void> {
    const frame = fittingFrame(form, this.#options.configuration.maxFrameBytes);
    if (socket.destroyed || socket.write(frame)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off("drain", done);
        socket.off("close", done);
        resolve();
      };
      socket.once("drain", done).once("close", done);
    });
  }
}

/** The source of `(:evaluate :source "…")`. Throws {@link ManagementFrameError} for any other request. */
function sourceIn(form: DataForm): string {
  const elements = listElements(form) ?? [];
  try {
    if (elements[0] !== keyword("evaluate")) throw new TypeError("it does not begin with :evaluate");
    return new PlistReader(elements, 1, { what: "a request", keys: ["source"] }).string("source", {});
  } catch (error) {
    throw new ManagementFrameError(`a request is (:evaluate :source "FORM"): ${failureOf(error).message}`);
  }
}

/** The frame of an answer; texts are cut, and said to be cut, until it fits. */
function fittingFrame(form: DataForm, maxFrameBytes: number): Buffer {
  let fitting = form;
  for (let limit = maxFrameBytes; limit > 0; limit = Math.floor(limit / 2)) {
    try {
      return encodeFrame(fitting, maxFrameBytes);
    } catch (error) {
      if (!(error instanceof ManagementFrameError) || limit <= overheadBytes) throw error;
      fitting = shortened(form, Math.floor(limit / 2));
    }
  }
  return encodeFrame(fitting, maxFrameBytes);
}

/** The answer with every text cut to `limit` and its truncation flags raised. */
function shortened(form: DataForm, limit: number): DataForm {
  const elements = listElements(form) ?? [];
  return elements.map((element, index): DataForm => {
    const key = elements[index - 1];
    if (key === keyword("values"))
      return (listElements(element) ?? []).map((text) =>
        typeof text === "string" ? text.slice(0, limit) : text,
      );
    if (key === keyword("output-truncated-p") || key === keyword("values-truncated-p")) return true;
    return typeof element === "string" ? element.slice(0, limit) : element;
  });
}
