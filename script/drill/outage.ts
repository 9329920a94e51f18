/** A long outage: the shared Redis of a run is away for many seconds and comes back. Nothing fails, nothing is repeated. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findServerExecutable } from "../../redis/private-server/executable.ts";
import { jobText } from "../../test/support/cli/job-files.ts";
import { type Sandpit, makeSandpit } from "../../test/support/cli/launch.ts";
import { startModelServer } from "../../test/support/model-server/server.ts";
import { gatherEvidence, journalOf } from "./evidence.ts";
import { endOf, startHost } from "./host-process.ts";
import { treeScript } from "./job-tree.ts";
import { recordCount, runEnd } from "./point.ts";
import { remains } from "./remains.ts";
import { violations } from "./verdict.ts";

/** Records of the journal after which Redis goes away: about a third of the run. */
const outageAfterRecords = 40;

/** What an outage of `seconds` violated; empty when everything held. */
export async function runOutage(seconds: number): Promise<readonly string[]> {
  const pit = makeSandpit();
  const directory = join(pit.home, "..", "r");
  mkdirSync(directory);
  let redis = await startRedis(directory);
  try {
    await using server = await startModelServer((request) => ({ ...treeScript(request), latencyMs: 2 }));
    pit.write("job.sexp", jobText({ prompt: "You are ROOT.", timeoutSeconds: 80 + seconds }));
    const host = startHost(pit, server.baseUrl, ["run", "out/result.sexp"], {
      environment: { AUTOLITH_REDIS_URL: `unix://${join(directory, "s")}` },
    });
    while (host.child.exitCode === null && recordCount(pit) < outageAfterRecords) await delay(5);
    await end(redis);
    await delay(seconds * 1_000);
    redis = await startRedis(directory);
    const ended = await endOf(host);
    const nothing = { interrupted: [], queued: [], unanswered: [], settled: [] };
    const evidence = await gatherEvidence(pit, journalOf(pit));
    return [
      ...violations(evidence, nothing, await runEnd(pit, ended)),
      ...remainsOf(pit),
      ...(ended.stderr.includes("redis: degraded") && ended.stderr.includes("redis: connected again")
        ? []
        : [`the outage was not told: ${ended.stderr.slice(-600)}`]),
    ];
  } finally {
    await end(redis);
    pit[Symbol.dispose]();
  }
}

function remainsOf(pit: Sandpit): readonly string[] {
  // The shared server and its socket are not the host's.
  return remains(pit).filter((each) => !each.includes("redis-server"));
}

async function startRedis(directory: string): Promise<ChildProcess> {
  const socket = join(directory, "s");
  const program = await findServerExecutable(process.env["PATH"]);
  const args = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--dir",
    directory,
    "--save",
    "",
    "--appendonly",
    "yes",
  ];
  const child = spawn(program, args, { stdio: "ignore" });
  while (child.exitCode === null && !existsSync(socket)) await delay(10);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
