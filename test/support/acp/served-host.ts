/** An ACP host over a given session service in this process, reachable by every transport. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Stream } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { AcpConnection } from "../../../cli/acp/acp-connection.ts";
import { AcpHost } from "../../../cli/acp/acp-host.ts";
import { NetworkServer } from "../../../cli/acp/transports/network-server.ts";
import { endpointUrl } from "../../../cli/acp/transports/listen-address.ts";
import { frameStream } from "../../../cli/acp/wire/frame-stream.ts";
import { lineChannel } from "../../../cli/acp/wire/line-channel.ts";
import { linksToHosts } from "../../../cli/host/connect.ts";
import { endpointFiles } from "../../../cli/host/endpoint-files.ts";
import { LocalEndpoint } from "../../../cli/host/local-endpoint.ts";
import { thisHost } from "../../../cli/host/this-host.ts";
import type { SessionService } from "../../../orchestrator/contract/session.ts";
import { h2Fetch } from "./h2-fetch.ts";
import { type TestClient, type TestClientOptions, testClient } from "./test-client.ts";

export const transports = ["stdio", "local", "http/1.1", "h2c", "websocket"] as const;
export type Transport = (typeof transports)[number];

export type ServedHost = {
  readonly host: AcpHost;
  readonly reports: readonly string[];
  /** The client's end of a new connection. */
  stream(transport: Transport): Promise<Stream>;
  client(transport: Transport, options?: TestClientOptions): Promise<TestClient>;
  /** Both ends of a connection by pipes: what the client writes, what it reads, and the server's connection. */
  pipes(): { readonly write: PassThrough; readonly read: PassThrough; readonly connection: AcpConnection };
  /** Listens on a port of its own. */
  network(kind: "http" | "websocket", token?: string, goneMs?: number): Promise<NetworkServer>;
  /** Where the local endpoint listens; it is opened when it is first asked for. */
  endpoint(): Promise<{ readonly socket: string; readonly token: string }>;
  [Symbol.asyncDispose](): Promise<void>;
};

export function serveHost(service: SessionService): ServedHost {
  const reports: string[] = [];
  const host = new AcpHost(service, thisHost(), (line) => reports.push(line));
  const root = mkdtempSync(join(tmpdir(), "al-"));
  const closing: (() => Promise<void> | void)[] = [];
  let local: Promise<LocalEndpoint> | undefined;
  const environment = { XDG_STATE_HOME: root, HOME: root };
  const openLocal = (): Promise<LocalEndpoint> => {
    local ??= LocalEndpoint.open({
      host,
      role: "shared",
      launch: { mode: "usual" },
      files: endpointFiles(join(root, "autolith"), process.getuid?.() ?? 0),
    }).then((endpoint) => {
      closing.push(() => endpoint.close());
      return endpoint;
    });
    return local;
  };
  const network: ServedHost["network"] = async (kind, token, goneMs) => {
    const server = await NetworkServer.open({
      host,
      kind,
      token,
      address: { host: "127.0.0.1", port: 0 },
      ...(goneMs === undefined ? {} : { goneMs }),
    });
    closing.push(() => server.close());
    return server;
  };
  const pipes: ServedHost["pipes"] = () => {
    const [write, read] = [new PassThrough(), new PassThrough()];
    const channel = lineChannel(write, read, () => {
      write.destroy();
      read.end();
    });
    const connection = new AcpConnection(host, frameStream(channel), { reach: "own", name: "acp" });
    closing.push(() => connection.close());
    return { write, read, connection };
  };
  const link = async (): Promise<Awaited<ReturnType<typeof linksToHosts>>[number]> => {
    await openLocal();
    const [found] = await linksToHosts({ environment, client: "test" });
    if (found === undefined) throw new Error("the local endpoint was not found");
    closing.push(() => void found.socket.destroy());
    return found;
  };
  const stream = async (transport: Transport): Promise<Stream> => {
    switch (transport) {
      case "stdio": {
        const { write, read } = pipes();
        return frameStream(lineChannel(read, write, () => void write.end()));
      }
      case "local":
        return frameStream((await link()).channel);
      case "http/1.1":
        return createHttpStream(endpointUrl("http", (await network("http")).address));
      case "h2c": {
        const { address } = await network("http");
        const h2 = h2Fetch(`http://${address.host}:${address.port}`);
        closing.push(() => h2.close());
        return createHttpStream(endpointUrl("http", address), { fetch: h2.fetch, cookies: "omit" });
      }
      case "websocket":
        return createWebSocketStream(endpointUrl("ws", (await network("websocket")).address));
    }
  };
  return {
    host,
    reports,
    stream,
    client: async (transport, options) => testClient(await stream(transport), options),
    pipes,
    network,
    endpoint: async () => {
      const { record, socket } = await link();
      socket.destroy();
      return { socket: record.socket, token: record.token };
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closing.toReversed()) await close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
