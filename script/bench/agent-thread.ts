/** Measures agent threads against a scripted server in a process of its own; for `npm run bench`. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ModelWire } from "../../orchestrator/contract/model.ts";
import { answer, calls } from "../../test/support/model-server/script.ts";
import { startModelServerProcess } from "../../test/support/model-server/server-process.ts";
import type { AgentMeasurement, AgentProgram } from "./agent-program.ts";

/** What was measured of one fresh process with one agent. */
export interface AgentThreadFigures {
  /** From the spawn of the process to the arrival of its first request at the server. */
  readonly spawnToFirstRequestMs: number;
  /** From the start of the pool to that arrival. */
  readonly poolToFirstRequestMs: number;
  /** From one request to the next, answer and empty tool result included; median. */
  readonly turnMs: number;
  /** Proportional set size of the process after the run, in MiB, and before the pool was started. */
  readonly pssMiB: number;
  readonly pssBeforePoolMiB: number;
}

/** Runs one agent for `turns` turns in a fresh process. */
export async function measureAgentThread(wire: ModelWire, turns: number): Promise<AgentThreadFigures> {
  const read = { name: "resource__read", arguments: { uri: "workspace:a.txt" } };
  const script = [...Array.from({ length: turns - 1 }, () => calls([read])), answer("Done.")];
  await using server = await startModelServerProcess(script, { repeat: false });
  const spawnedAt = performance.timeOrigin + performance.now();
  const child = fork(fileURLToPath(new URL("./agent-program.ts", import.meta.url)), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const program: AgentProgram = { baseUrl: server.baseUrl, wire };
  child.send(program);
  const [measured] = (await once(child, "message")) as [AgentMeasurement];
  await once(child, "exit");
  const arrivals = await server.arrivals();
  const [first = Number.NaN] = arrivals;
  const gaps = arrivals.slice(1).map((arrival, index) => arrival - (arrivals[index] ?? Number.NaN));
  return {
    spawnToFirstRequestMs: first - spawnedAt,
    poolToFirstRequestMs: first - measured.poolStartedAt,
    turnMs: median(gaps),
    pssMiB: measured.pssMiB,
    pssBeforePoolMiB: measured.pssBeforePoolMiB,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

if (import.meta.main) {
  for (const wire of ["responses", "chat"] as const) {
    process.stdout.write(`${wire} ${JSON.stringify(await measureAgentThread(wire, 100))}\n`);
  }
}
