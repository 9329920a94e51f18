/** Shared session hosts of a sandpit, in processes of their own. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type HostLink, connectToHost, linksToHosts } from "../../../cli/host/connect.ts";
import type { HostLaunch } from "../../../orchestrator/contract/acp/endpoint-record.ts";
import { frameStream } from "../../../cli/acp/wire/frame-stream.ts";
import { hasProcess } from "../../../orchestrator/record/process-identity.ts";
import { type Sandpit, makeSandpit } from "../cli/launch.ts";
import { eventually } from "../eventually.ts";
import { type TestClient, type TestClientOptions, testClient } from "./test-client.ts";

const main = resolve(dirname(fileURLToPath(import.meta.url)), "../../../cli/main.ts");
const program = [process.execPath, "--disable-warning=ExperimentalWarning", main] as const;

export type HostScene = {
  readonly pit: Sandpit;
  /** Directory of records, lock and log. */
  readonly directory: string;
  /** `other`: a program of another build, which the host is started with; `launch`: what the host is to be launched with. */
  connect(other?: readonly [string, ...string[]], launch?: HostLaunch): Promise<HostLink>;
  /** A link with the protocol library's client on it. */
  client(
    options?: TestClientOptions,
    launch?: HostLaunch,
  ): Promise<{ readonly link: HostLink; readonly client: TestClient }>;
  links(): Promise<readonly HostLink[]>;
  log(): string;
  /** Ends every host of the scene in order, and what they started. */
  [Symbol.asyncDispose](): Promise<void>;
};

export function openHostScene(
  environment: Readonly<Record<string, string>> = {},
  hostOptions: readonly string[] = [],
): HostScene {
  const pit = makeSandpit();
  const all = { ...pit.environment, OPENAI_API_KEY: "sk-scene", ...environment };
  const directory = join(pit.home, ".local/state/autolith/localgroup");
  const links: HostLink[] = [];
  const connect: HostScene["connect"] = async (other, launch = { mode: "usual" }) => {
    const link = await connectToHost({
      environment: all,
      client: "test",
      program: other ?? [...program, ...hostOptions],
      launch,
    });
    links.push(link);
    return link;
  };
  const linksOf = async (): Promise<readonly HostLink[]> => {
    const found = await linksToHosts({ environment: all, client: "test" });
    links.push(...found);
    return found;
  };
  return {
    pit,
    directory,
    connect,
    client: async (options, launch) => {
      const link = await connect(undefined, launch);
      return { link, client: await testClient(frameStream(link.channel), options) };
    },
    links: linksOf,
    log: () => readFileSync(join(directory, "host.log"), "utf8"),
    [Symbol.asyncDispose]: async () => {
      await linksOf();
      for (const { socket } of links) socket.destroy();
      const pids = [...new Set(links.map(({ record }) => record.process.pid))];
      for (const pid of pids) if (hasProcess(pid)) process.kill(pid, "SIGTERM");
      for (const pid of pids) await eventually(() => hasProcess(pid)).toBe(false);
      pit[Symbol.dispose]();
    },
  };
}
