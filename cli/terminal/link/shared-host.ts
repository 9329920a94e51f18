/** The shared session host of the user, joined or started: what a terminal connects to. */
import type { HostLaunch } from "../../../orchestrator/contract/acp/endpoint-record.ts";
import { connectToHost, isOtherBuild, linksToHosts } from "../../host/connect.ts";
import { linkOver } from "./acp-link.ts";
import type { ConnectToHost, HostLink } from "./host-link.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Connects to the shared host of this launch. */
export function sharedHost(environment: Environment, launch: HostLaunch): ConnectToHost {
  const program: [string, ...string[]] = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
  return async () => {
    const client = "terminal";
    const { channel } = await connectToHost({ environment, client, program, launch });
    return linkOver(channel, client);
  };
}

/** A host that runs, an editor's included. */
export type RunningHost = {
  readonly hostId: string;
  readonly processId: number;
  /** Its build is not that of this program. */
  readonly isOtherBuild: boolean;
  /** Undefined for one that does not say. */
  readonly launch: HostLaunch | undefined;
  readonly link: HostLink;
};

/** Links to every running host; starts none. */
export async function runningHosts(
  environment: Environment,
  client: string,
): Promise<readonly RunningHost[]> {
  const links = await linksToHosts({ environment, client });
  return Promise.all(
    links.map(async ({ record, channel }) => ({
      hostId: record.hostId,
      processId: record.process.pid,
      isOtherBuild: isOtherBuild(record),
      launch: record.launch,
      link: await linkOver(channel, client),
    })),
  );
}
