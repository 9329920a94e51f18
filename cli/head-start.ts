/**
 * What takes long to come up and depends only on the command line, begun while the rest of the program still loads: the first agent
 * thread and the private Redis.
 */
import { jobBounds, jobLimits } from "../orchestrator/settings/job-limits.ts";
import { resolveRoots } from "../orchestrator/record/roots.ts";
import type { PrivateServer } from "../redis/private-server/private-server.ts";
import type { AgentPool } from "../workers/agent/agent-pool.ts";
import type { Environment } from "./machine.ts";
import { withoutRepeats } from "./repeated-lines.ts";

export type HeadStartOptions = {
  readonly environment: Environment;
  /** Answers come from a cassette: threads need not load the model SDK. */
  readonly replay: boolean;
  /** Agent threads of another entry or size; only in crash drills. */
  readonly agentThread?: { readonly url: URL; readonly maxHeapMb: number } | undefined;
  readonly diagnostics: (line: string) => void;
};

/** Parts that have been begun. Each is taken by the composition, which then closes it; `abandon` ends what was not taken. */
export type HeadStart = {
  takePool(): Promise<AgentPool>;
  /** Undefined where AUTOLITH_REDIS_URL names a shared server. */
  takeServer(): Promise<PrivateServer | undefined>;
  abandon(): Promise<void>;
};

/** Begins both parts. Never throws: a failure shows when the part is taken. */
export function beginHeadStart(options: HeadStartOptions): HeadStart {
  const pool = startPool(options);
  const server = joinServer(options);
  // Whoever takes a part hears of its failure; until then nobody else shall.
  for (const part of [pool, server]) part.catch(() => undefined);
  let [poolTaken, serverTaken] = [false, false];
  return {
    takePool: () => {
      poolTaken = true;
      return pool;
    },
    takeServer: () => {
      serverTaken = true;
      return server;
    },
    abandon: async () => {
      const endings = [
        ...(poolTaken ? [] : [pool.then((begun) => begun.close())]),
        ...(serverTaken ? [] : [server.then((joined) => joined?.leave())]),
      ];
      await Promise.allSettled(endings);
    },
  };
}

async function startPool(options: HeadStartOptions): Promise<AgentPool> {
  const { startAgentPool } = await import("../workers/agent/agent-pool.ts");
  const { modelRequests } = jobLimits(options.environment);
  const tellWaiting = withoutRepeats(options.diagnostics);
  return startAgentPool({
    expectLiveRequests: !options.replay,
    requestsPerProvider: modelRequests,
    onRequestWaits: (provider) => tellWaiting(waitingLine(provider, modelRequests)),
    onIdleThreadLost: (error) => options.diagnostics(`An idle agent thread ended: ${String(error)}`),
    ...(options.agentThread === undefined
      ? {}
      : { threadUrl: options.agentThread.url, maxHeapMb: options.agentThread.maxHeapMb }),
  });
}

function waitingLine(provider: string, bound: number): string {
  return (
    `models: ${bound} requests to ${provider} are under way, so others wait until one ends ` +
    `(${jobBounds.modelRequests.variable} sets how many may be).`
  );
}

async function joinServer({
  environment,
  diagnostics,
}: HeadStartOptions): Promise<PrivateServer | undefined> {
  if ((environment["AUTOLITH_REDIS_URL"] ?? "") !== "") return undefined;
  const [{ PrivateServer: Server }, { privateServerLocation }] = await Promise.all([
    import("../redis/private-server/private-server.ts"),
    import("../redis/private-server/location.ts"),
  ]);
  return Server.join({
    location: privateServerLocation(resolveRoots(environment).state, process.getuid?.() ?? 0),
    searchPath: environment["PATH"],
    report: (error) => diagnostics(`redis: ${error.message}`),
  });
}
