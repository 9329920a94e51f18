/** Composes the shared session host and serves it on its local endpoint until it is idle or told to stop. */
import { once } from "node:events";
import type { HostLaunch } from "../../orchestrator/contract/acp/endpoint-record.ts";
import { AcpHost } from "../acp/acp-host.ts";
import type { SessionOptions } from "../arguments.ts";
import { composeSessions } from "../compose-session.ts";
import type { HeadStart } from "../head-start.ts";
import type { Environment } from "../machine.ts";
import { type EndpointFiles, liveEndpoints } from "./endpoint-files.ts";
import { LocalEndpoint } from "./local-endpoint.ts";
import { thisHost } from "./this-host.ts";

export type ServeHostOptions = {
  readonly environment: Environment;
  readonly session: SessionOptions;
  /** What those options and the environment make of it. */
  readonly launch: HostLaunch;
  readonly headStart: HeadStart;
  readonly files: EndpointFiles;
  readonly log: (line: string) => void;
  /** Time with nothing to do after which it ends. */
  readonly idleMs: number;
  /** Called once clients can connect. */
  readonly ready: (hostId: string) => void;
  /** Ends the host in order. */
  readonly stop: AbortSignal;
};

/** Resolves when the host has ended and everything it held is closed. Rejects when it could not start. */
export async function serveHost(options: ServeHostOptions): Promise<void> {
  const { environment, session, launch, files, log, stop } = options;
  const composed = await composeSessions({
    environment,
    permissions: session.permissions,
    model: session.model,
    provider: session.provider,
    siteConfigRoot: session.siteConfigRoot,
    pristine: session.pristine,
    immutable: session.immutable,
    idleMs: options.idleMs,
    diagnostics: log,
    headStart: options.headStart,
  });
  try {
    const host = new AcpHost(composed.service, thisHost(), log);
    // What killed hosts left is removed by looking.
    await liveEndpoints(files);
    const endpoint = await LocalEndpoint.open({ host, files, role: "shared", launch });
    log(`host ${host.info.hostId}: ready, process ${process.pid}`);
    options.ready(host.info.hostId);
    const reason = await Promise.race([
      composed.service.idle.then(() => "idle"),
      stop.aborted ? "stopped" : once(stop, "abort").then(() => "stopped"),
    ]);
    log(`host ${host.info.hostId}: ends: ${reason}`);
    await endpoint.retire();
    // Clients hear of the end of their sessions before that of the connection.
    await composed.service.shutdown();
    await endpoint.close();
  } finally {
    await composed.close();
  }
}
