/**
 * What takes long to come up and depends only on the command line, begun while the rest of the program still loads: the first agent
 * thread and Redis.
 */
import { jobBounds, jobLimits } from "../orchestrator/settings/job-limits.ts";
import { setImmediate as loopTurn } from "node:timers/promises";
import { failureOf } from "../orchestrator/contract/failure.ts";
import { resolveRoots } from "../orchestrator/record/roots.ts";
import type { PrivateServer } from "../redis/private-server/private-server.ts";
import type { RedisRuntime } from "../redis/runtime.ts";
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
  /** Rejects with the redis codes of `RedisRuntime.open`. */
  takeRedis(): Promise<RedisRuntime>;
  abandon(): Promise<void>;
};

/** Time that Redis connections get to close, in milliseconds. */
const redisCloseMs = 2_000;

/** Begins both parts. Never throws: a failure shows when the part is taken. */
export function beginHeadStart(given: HeadStartOptions): HeadStart {
  const options = { ...given, diagnostics: withoutRepeats(given.diagnostics) };
  const pool = startPool(options);
  const redis = openRedis(options);
  // Whoever takes a part hears of its failure; until then nobody else shall.
  for (const part of [pool, redis]) part.catch(() => undefined);
  let [poolTaken, redisTaken] = [false, false];
  return {
    takePool: () => {
      poolTaken = true;
      return pool;
    },
    takeRedis: () => {
      redisTaken = true;
      return redis;
    },
    abandon: async () => {
      const endings = [
        ...(poolTaken ? [] : [pool.then((begun) => begun.close())]),
        ...(redisTaken ? [] : [redis.then((opened) => opened.close(redisCloseMs))]),
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

/** The server is joined while the rest of what speaks to Redis is loaded. */
async function openRedis(options: HeadStartOptions): Promise<RedisRuntime> {
  const joining = joinServer(options);
  joining.catch(() => undefined);
  // What was begun is waited for by the system while this thread loads code.
  await loopTurn();
  const { RedisRuntime: Runtime } = await import("../redis/runtime.ts");
  const { environment, diagnostics } = options;
  return Runtime.open({
    environment,
    stateRoot: resolveRoots(environment).state,
    onError: (error) => diagnostics(`redis: ${failureOf(error).message}`),
    expected: ["children"],
    server: await joining,
  });
}

/** Undefined where AUTOLITH_REDIS_URL names a shared server. */
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
