/** The shared session host of the user, joined or started: what a terminal connects to. */
import { connectToHost, isOtherBuild, linksToHosts } from "../../host/connect.ts";
import { linkOver } from "./acp-link.ts";
import type { ConnectToHost, HostLink } from "./host-link.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Connects to the shared host. `hostOptions`: session options for a host that has to be started. */
export function sharedHost(environment: Environment, hostOptions: readonly string[]): ConnectToHost {
  const program: [string, ...string[]] = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
  return async () => {
    const client = "terminal";
    const { channel } = await connectToHost({ environment, client, program, hostOptions });
    return linkOver(channel, client);
  };
}

/** A host that runs, an editor's included. */
export type RunningHost = {
  readonly hostId: string;
  readonly processId: number;
  /** Its build is not that of this program. */
  readonly isOtherBuild: boolean;
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
      link: await linkOver(channel, client),
    })),
  );
}
