/** The whole program in tmux: terminal, detached host, scripted model. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runningHosts } from "../../../cli/terminal/link/shared-host.ts";
import { type Ended, type Sandpit, launch, makeSandpit } from "../cli/launch.ts";
import { eventually } from "../eventually.ts";
import type { Script } from "../model-server/script.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { scriptedReply } from "./scripted-model.ts";
import { type Tmux, openTmux } from "./tmux.ts";

const main = resolve(dirname(fileURLToPath(import.meta.url)), "../../../cli/main.ts");

export type HostScene = {
  readonly pit: Sandpit;
  readonly model: ModelServer;
  readonly environment: Readonly<Record<string, string>>;
  /** `autolith ARGUMENTS…` in a terminal of its own. */
  terminal(
    argv?: readonly string[],
    size?: { readonly columns: number; readonly rows: number },
    directory?: string,
  ): Promise<Tmux>;
  /** `autolith ARGUMENTS…` without a terminal. */
  command(argv: readonly string[]): Promise<Ended>;
  /** What a terminal that opens the session now would find in its composer. */
  draft(): Promise<string | undefined>;
  /** Process ids of the running hosts. */
  hosts(): readonly number[];
  [Symbol.asyncDispose](): Promise<void>;
};

export type HostSceneOptions = {
  /** {@link scriptedReply} when absent. */
  readonly script?: Script;
  /** More of the environment of terminals, commands and the host. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** Prepares a home, a workspace and a model; the host starts with the first terminal and ends with the scene. */
export async function openHostScene(options: HostSceneOptions = {}): Promise<HostScene> {
  const pit = makeSandpit();
  const model = await startModelServer(options.script ?? scriptedReply);
  const environment = {
    ...pit.environment,
    OPENAI_API_KEY: "none",
    AUTOLITH_OPENAI_BASE_URL: model.baseUrl,
    ...options.environment,
  };
  const hosts = (): readonly number[] => hostProcesses(join(pit.home, ".local/state/autolith/localgroup"));
  return {
    pit,
    model,
    hosts,
    environment,
    terminal: (argv = [], size = { columns: 80, rows: 30 }, directory = pit.workspace) =>
      openTmux({
        ...size,
        command: [process.execPath, "--disable-warning=ExperimentalWarning", main, ...argv],
        directory,
        environment,
      }),
    draft: () => draftOf(environment),
    command: (argv) => launch(pit, argv, { environment, stdin: "ignore" }).ended,
    [Symbol.asyncDispose]: async () => {
      // A host that ends work takes itself off the list first; its files are needed until it is gone.
      const running = hosts();
      for (const pid of running) process.kill(pid, "SIGTERM");
      await eventually(() => running.filter(isAlive)).toEqual([]);
      await model.close();
      pit[Symbol.dispose]();
    },
  };
}

async function draftOf(environment: Readonly<Record<string, string>>): Promise<string | undefined> {
  const hosts = await runningHosts(environment, "test");
  try {
    const link = hosts[0]?.link;
    const sessionId = (await link?.request("sessions", {}))?.sessions[0]?.sessionId;
    if (link === undefined || sessionId === undefined) return undefined;
    return (await link.request("composer", { sessionId })).draft?.text;
  } finally {
    for (const { link } of hosts) link.close();
  }
}

/** From the endpoint records; those of hosts that ended are left out. */
function hostProcesses(directory: string): readonly number[] {
  const names = readdirSync(directory, { withFileTypes: true, recursive: false }).filter(({ name }) =>
    name.endsWith(".json"),
  );
  return names
    .map(
      ({ name }) =>
        (JSON.parse(readFileSync(join(directory, name), "utf8")) as { process: { pid: number } }).process.pid,
    )
    .filter(isAlive);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
