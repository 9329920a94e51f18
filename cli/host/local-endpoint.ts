/** The private local endpoint of a host: a Unix socket that only its owner reaches, with a token, carrying the wire of `autolith acp`. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, lstat, rm } from "node:fs/promises";
import { type Server, type Socket, createServer } from "node:net";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EndpointRecord, HostLaunch } from "../../orchestrator/contract/acp/endpoint-record.ts";
import { AutolithError, failureOf } from "../../orchestrator/contract/failure.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import { processIdentity } from "../../orchestrator/record/process-identity.ts";
import { ensurePrivateDirectory } from "../../orchestrator/record/roots.ts";
import type { AcpHost } from "../acp/acp-host.ts";
import { buildId } from "../installation.ts";
import { lineChannel } from "../acp/wire/line-channel.ts";
import { type EndpointFiles, removeEndpoint, writeEndpointRecord } from "./endpoint-files.ts";
import { authenticateClient } from "./endpoint-handshake.ts";

/** Time that clients get to take what was written to them at the end, in milliseconds. */
const lastWritesMs = 1_000;

/** Most clients of one endpoint. */
export const localClientLimit = 64;

export type LocalEndpointOptions = {
  readonly host: AcpHost;
  readonly files: EndpointFiles;
  readonly role: EndpointRecord["role"];
  readonly launch: HostLaunch;
};

export class LocalEndpoint {
  readonly #options: LocalEndpointOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #token = randomBytes(32).toString("base64url");
  #published: Promise<void> = Promise.resolve();
  #publishedSessions: string | undefined;
  #closing = false;

  private constructor(options: LocalEndpointOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#serve(socket).catch((error: unknown) => {
        options.host.report(`local endpoint: ${failureOf(error).message}`);
        socket.destroy();
      });
    });
  }

  /** Listens and publishes the record. Rejects with the file system's failures. */
  static async open(options: LocalEndpointOptions): Promise<LocalEndpoint> {
    const endpoint = new LocalEndpoint(options);
    const { files, host } = options;
    const socket = files.socket(host.info.hostId);
    await ensurePrivateDirectory(files.directory);
    await ensurePrivateDirectory(dirname(socket));
    await requireOwnDirectory(dirname(socket));
    await rm(socket, { force: true });
    endpoint.#server.listen(socket);
    await once(endpoint.#server, "listening");
    await chmod(socket, 0o600);
    await endpoint.#publish();
    host.watch(() => void endpoint.#publish());
    return endpoint;
  }

  /** Takes the record away: nobody new finds this host. Clients that are connected go on. */
  async retire(): Promise<void> {
    this.#closing = true;
    const { files, host } = this.#options;
    await this.#published;
    await removeEndpoint(files, { hostId: host.info.hostId, socket: files.socket(host.info.hostId) });
  }

  /** Takes the record away and ends every connection, once what was written to it is taken, or after a moment. */
  async close(): Promise<void> {
    await this.retire();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    // Views hand over their last events in the turns that follow.
    await nextTurn();
    for (const socket of this.#sockets) socket.destroySoon();
    if ((await withinDeadline(closed, lastWritesMs)) === "ended") return;
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(socket: Socket): Promise<void> {
    const { host } = this.#options;
    socket.on("error", () => undefined);
    if (this.#sockets.size >= localClientLimit) {
      host.report(
        `local endpoint: a client was refused: ${localClientLimit} are connected, which is the limit`,
      );
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const channel = lineChannel(socket, socket, () => socket.destroySoon());
    const client = await authenticateClient(channel, this.#token, host.info.hostId);
    if (client === undefined) {
      socket.destroySoon();
      return;
    }
    // The protocol library is loaded for the first client.
    const [{ AcpConnection }, { frameStream }] = await Promise.all([
      import("../acp/acp-connection.ts"),
      import("../acp/wire/frame-stream.ts"),
    ]);
    const connection = new AcpConnection(host, frameStream(client.channel), {
      reach: "host",
      name: client.name,
    });
    socket.once("close", () => connection.close());
    await connection.closed;
    socket.destroySoon();
  }

  /** Writes the record when its sessions changed; one write at a time. */
  #publish(): Promise<void> {
    this.#published = this.#published.then(() => this.#write());
    return this.#published;
  }

  async #write(): Promise<void> {
    const { host, files, role, launch } = this.#options;
    const conversations = host.service.sessions().map(({ id }) => id);
    const sessions = conversations.join(" ");
    if (this.#closing || sessions === this.#publishedSessions) return;
    this.#publishedSessions = sessions;
    const { hostId, version, startedAt } = host.info;
    await writeEndpointRecord(files, {
      version: 1,
      hostId,
      role,
      process: processIdentity(),
      socket: files.socket(hostId),
      token: this.#token,
      programVersion: version,
      build: buildId(),
      launch,
      startedAt,
      conversations,
    });
  }
}

/** Somebody else's directory would let them stand in for us. Throws `endpoint-directory`. */
async function requireOwnDirectory(path: string): Promise<void> {
  const { uid, mode } = await lstat(path);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  if (isOwn && (mode & 0o022) === 0) return;
  throw new AutolithError(
    "endpoint-directory",
    `${path} must belong to you, and nobody else may write in it; remove it, or take the rights away, and try again.`,
  );
}
