/** Composes the sessions of `autolith acp` and serves its clients until they are gone or a signal came. */
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { failureOf } from "../../orchestrator/contract/failure.ts";
import { resolveRoots } from "../../orchestrator/record/roots.ts";
import { type SessionOptions, UsageError } from "../arguments.ts";
import { composeSessions } from "../compose-session.ts";
import type { HeadStart } from "../head-start.ts";
import { endpointFiles } from "../host/endpoint-files.ts";
import { hostLaunch } from "../host/host-launch.ts";
import { LocalEndpoint } from "../host/local-endpoint.ts";
import { thisHost } from "../host/this-host.ts";
import { AcpConnection } from "./acp-connection.ts";
import { AcpHost } from "./acp-host.ts";
import type { AcpService } from "./acp-arguments.ts";
import { type ListenAddress, endpointUrl, isLoopback } from "./transports/listen-address.ts";
import { frameStream } from "./wire/frame-stream.ts";
import { lineChannel } from "./wire/line-channel.ts";

export type ServeAcpOptions = {
  readonly service: AcpService;
  readonly session: SessionOptions;
  readonly headStart: HeadStart;
  /** Writes a line for people; secrets are taken out of it. */
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
};

/** Resolves when everything is closed. Rejects when it cannot be served. */
export async function serveAcp({ service, session, headStart, say, stop }: ServeAcpOptions): Promise<void> {
  const composed = await composeSessions({
    environment: process.env,
    permissions: session.permissions,
    model: session.model,
    provider: session.provider,
    siteConfigRoot: session.siteConfigRoot,
    pristine: session.pristine,
    immutable: session.immutable,
    diagnostics: say,
    headStart,
  });
  try {
    const host = new AcpHost(composed.service, thisHost(), say);
    const files = endpointFiles(resolveRoots(process.env).state, process.getuid?.() ?? 0);
    const launch = hostLaunch(session, process.env);
    const endpoint = await LocalEndpoint.open({ host, files, role: "acp", launch });
    try {
      const stopped = stop.aborted ? Promise.resolve() : once(stop, "abort");
      if (service.kind === "stdio") await serveStdio(host, stopped);
      else await serveNetwork(service, host, stopped, say);
    } finally {
      await endpoint.close();
    }
  } finally {
    await composed.close();
  }
}

/** Until the client is gone, and with it everybody who watched its sessions, or a signal came. */
async function serveStdio(host: AcpHost, stopped: Promise<unknown>): Promise<void> {
  const { stdin, stdout } = process;
  const channel = lineChannel(stdin, stdout, () => stdin.destroy());
  const connection = new AcpConnection(host, frameStream(channel), { reach: "own", name: "acp" });
  const unwatched = connection.closed.then(() =>
    host.until(() => host.service.sessions().length === 0 || host.connections === 0),
  );
  // A turn that is stopped by a signal is answered before the connection ends.
  await Promise.race([unwatched, stopped.then(() => host.service.shutdown())]);
  await nextTurn();
  connection.close();
  await connection.closed;
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: "something else listens there",
  EACCES: "that needs more privileges",
  EADDRNOTAVAIL: "this machine does not have that address",
  ENOTFOUND: "there is no such host",
};

/** An address that cannot be listened on was not well chosen; the program is fine. */
function listenError(error: unknown, { host, port }: ListenAddress, kind: "http" | "websocket"): unknown {
  const problem = listenProblems[failureOf(error).code];
  if (problem === undefined) return error;
  return new UsageError(
    `acp cannot listen on ${host}:${port}: ${problem}. Name another [HOST:]PORT: autolith acp --${kind} 9000.`,
  );
}

async function serveNetwork(
  { kind, address, token }: Extract<AcpService, { readonly token: string | undefined }>,
  host: AcpHost,
  stopped: Promise<unknown>,
  say: (line: string) => void,
): Promise<void> {
  const { NetworkServer } = await import("./transports/network-server.ts");
  const server = await NetworkServer.open({ host, address, kind, token }).catch((error: unknown) => {
    throw listenError(error, address, kind);
  });
  const url = endpointUrl(kind === "http" ? "http" : "ws", { host: address.host, port: server.address.port });
  say(`acp: serving ${url}${kind === "http" ? " (Streamable HTTP and WebSocket)" : ""}; Ctrl-C ends it`);
  if (!isLoopback(address.host))
    say(
      `acp: warning: this endpoint is not secure: other machines can reach it, and its traffic${token === undefined ? "" : ", the token included,"} is not encrypted. ` +
        (token === undefined ? "It has no token: give one with --token. " : "") +
        "Put a reverse proxy with TLS in front of it.",
    );
  await stopped;
  await host.service.shutdown();
  await nextTurn();
  await server.close();
}
