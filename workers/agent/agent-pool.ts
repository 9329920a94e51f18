import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import {
  agentSpecSchema,
  type AgentHostPort,
  type AgentOutcome,
  type AgentRunner,
  type AgentSpec,
} from "../../orchestrator/contract/agent-thread.ts";
import { jobBounds } from "../../orchestrator/settings/job-limits.ts";
import { AgentRun, type RunPool } from "./agent-run.ts";
import type { AgentTask, AgentThreadData } from "./agent-thread.ts";
import { RequestSlots } from "./request-slots.ts";

/** How the pool of agent threads is made. */
export interface AgentPoolOptions {
  /** Load the model SDK at once, in parallel with the rest of the start; false where answers are replayed. */
  readonly expectLiveRequests: boolean;
  /** Told when a thread without runs ended by an error; the pool starts another when it needs one. */
  readonly onIdleThreadLost: (error: unknown) => void;
  /** Threads at most (half the cores, from 1 to 4): agents mostly wait, and each thread costs tens of megabytes. */
  readonly maxThreads?: number;
  /**
   * Agents a thread has before another thread is started (32). Beyond that they share the threads there are: a run never
   * waits for a place, because agents that have one may be waiting for it (a command for its classifier).
   */
  readonly agentsPerThread?: number;
  /** Requests of all threads that may be under way to one provider at once; others wait (32). */
  readonly requestsPerProvider?: number;
  /** Told of each request that has to wait for another to end. */
  readonly onRequestWaits?: (provider: string) => void;
  /** How long a cancelled run may take before its thread is ended, in ms (2,000). */
  readonly cancelGraceMs?: number;
  /** Upper bound of one thread's old-generation heap in MB (1,024). */
  readonly maxHeapMb?: number;
  /** The thread's entry; another one only in tests. */
  readonly threadUrl?: URL;
}

/** A pool that runs agents; close it when all runs have ended. */
export interface AgentPool extends AgentRunner {
  /** Ends all threads; runs that are still active end as thread-lost, or as cancelled when they were. */
  close(): Promise<void>;
}

/** Runs that Piscina may put into one thread: more than a host ever admits. */
export const runsPerThreadLimit = 4096;

/** The variables a thread may see: those that steer its connections. Keys come with the task. */
const threadVariables = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "NODE_USE_ENV_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NODE_COMPILE_CACHE",
];

/** Starts the pool; its first thread begins to load at once. */
export function startAgentPool(options: AgentPoolOptions): AgentPool {
  const data: AgentThreadData = { expectLiveRequests: options.expectLiveRequests };
  const maxThreads = options.maxThreads ?? Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
  const agentsPerThread = options.agentsPerThread ?? 32;
  const threads = new Piscina<AgentTask, void>({
    filename: fileURLToPath(options.threadUrl ?? ownThreadUrl()),
    name: "runAgentTask",
    minThreads: 1,
    maxThreads,
    concurrentTasksPerWorker: runsPerThreadLimit,
    loadBalancer: (_task, ready) => {
      const [least] = ready.toSorted((left, right) => left.currentUsage - right.currentUsage);
      // Null starts another thread while there may be one.
      const wantsAnother = ready.length < maxThreads && (least?.currentUsage ?? 0) >= agentsPerThread;
      return least === undefined || wantsAnother ? null : least;
    },
    // The default stops the event loop of an idle thread; keep-alive connections and timers live there.
    atomics: "async",
    idleTimeout: 60_000,
    env: threadEnvironment(),
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb ?? 1024 },
  });
  // A thread lost under its runs is told by them; one lost while idle would end the process without a listener.
  threads.on("error", (error: unknown) => options.onIdleThreadLost(error));
  const pool: RunPool = {
    cancelGraceMs: options.cancelGraceMs ?? 2000,
    slots: new RequestSlots(
      options.requestsPerProvider ?? jobBounds.modelRequests.usual,
      options.onRequestWaits ?? (() => undefined),
    ),
    start: (task) => threads.run(task, { transferList: transferred(task.port) }),
    terminate: (threadId) => {
      const thread = threads.threads.find((candidate) => candidate.threadId === threadId);
      // The run is told by the rejection of its task, which follows the exit.
      void thread?.terminate();
    },
  };
  return {
    run: (spec: AgentSpec, host: AgentHostPort, signal: AbortSignal): Promise<AgentOutcome> => {
      checkSpec(spec);
      return new AgentRun(spec, host, pool).run(signal);
    },
    close: () => threads.destroy(),
  };
}

const briefSpecSchema = agentSpecSchema.omit({ items: true, tools: true });

/**
 * Checks a specification but for its history and tools: they are ours, from the record and the registry, and looking through all of a long
 * conversation at the start of each run would hold up the host.
 */
function checkSpec({ items, tools, ...brief }: AgentSpec): void {
  briefSpecSchema.parse(brief);
  if (items.length === 0 || !Array.isArray(tools))
    throw new TypeError("An agent's specification needs at least one of items, and its tools.");
}

/** Piscina hands the list to `postMessage`; its type names the other overload. */
function transferred(
  port: MessagePort,
): NonNullable<Parameters<Piscina<AgentTask, void>["run"]>[1]>["transferList"] {
  const list: unknown = [port];
  return list as Parameters<MessagePort["postMessage"]>[1];
}

function ownThreadUrl(): URL {
  // Strings are not rewritten by the compiler: sources load `.ts`, compiled modules `.js`, the bundled program `.cjs`.
  return new URL(`./agent-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
}

function threadEnvironment(): Record<string, string> {
  return Object.fromEntries(
    threadVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
