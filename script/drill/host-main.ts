/**
 * The process that a drill kills. `run OUTPUT` runs the job `job.sexp` of its directory as `autolith run-job` does; `recover
 * CONVERSATION` opens the conversation of a killed one (an empty name: a new one), lets what never began run, and reports.
 */
import { join } from "node:path";
import { BroadcastChannel, type Worker } from "node:worker_threads";
import { composeRunHost } from "../../cli/compose.ts";
import { runJob } from "../../cli/run-job/run-job.ts";
import { watchSignals } from "../../cli/signals.ts";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import { drillChannel, type HostReport, hostOrderSchema, type RecoveryReport } from "./host-protocol.ts";

const agentThread = new URL("./faulty-thread.ts", import.meta.url);
/** Heap of an agent thread, small so that it is used up soon. */
const threadHeapMb = 96;

const shared = {
  environment: process.env,
  workingDirectory: process.cwd(),
  permissions: "full" as const,
  model: undefined,
  provider: undefined,
  siteConfigRoot: undefined,
  record: undefined,
  replay: undefined,
  agentThread: { url: agentThread, maxHeapMb: threadHeapMb },
  diagnostics: (line: string) => void process.stderr.write(`${line}\n`),
};

function obeyThreadOrders(): void {
  const threads = new Set<Worker>();
  let ordered = false;
  process.on("worker", (thread) => {
    threads.add(thread);
    thread.once("exit", () => {
      threads.delete(thread);
      if (ordered) process.send?.({ threadLost: true } satisfies HostReport);
    });
  });
  const channel = new BroadcastChannel(drillChannel);
  channel.unref();
  process.on("message", (message) => {
    const { loseThread } = hostOrderSchema.parse(message);
    ordered = true;
    if (loseThread === "terminate") for (const thread of threads) void thread.terminate();
    else channel.postMessage({ fault: loseThread });
  });
  // The channel to the drill must not keep the process alive.
  process.channel?.unref();
}

async function run(output: string): Promise<number> {
  obeyThreadOrders();
  const signals = watchSignals();
  try {
    return await runJob({
      ...shared,
      input: { kind: "file", path: join(process.cwd(), "job.sexp") },
      outputPath: join(process.cwd(), output),
      events: true,
      stdin: process.stdin,
      eventOutput: process.stdout,
      cancel: signals.cancelled,
    });
  } finally {
    signals.stop();
  }
}

async function recover(conversation: string, output: string): Promise<number> {
  const settled: { executionId: string; state: string }[] = [];
  const host = await composeRunHost({
    ...shared,
    ...(conversation === "" ? {} : { reopen: conversationIdSchema.parse(conversation) }),
    outputPath: join(process.cwd(), output),
    jobPrompt: "",
    announce: (announcement) => {
      if (announcement.kind === "settled")
        settled.push({ executionId: announcement.job.executionId, state: announcement.outcome.state });
    },
    observe: () => undefined,
  });
  const { interrupted, queued, unanswered } = host.inventory;
  try {
    await host.idle();
  } finally {
    await host.close();
  }
  const report: RecoveryReport = {
    interrupted: interrupted.map(({ executionId }) => executionId),
    queued: queued.map(({ executionId }) => executionId),
    unanswered: unanswered.map(({ conversationId, callId, outcome }) => ({
      conversationId,
      callId,
      outcome,
    })),
    settled,
  };
  process.stdout.write(JSON.stringify(report));
  return 0;
}

const [mode, first = "", second = ""] = process.argv.slice(2);
process.exitCode = mode === "run" ? await run(first) : await recover(first, second);
