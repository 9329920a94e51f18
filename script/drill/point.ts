/** One point of a drill: a run of the job tree, one fault in it, the recovery, the verdict. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { RunJobEventError, readRunJobEvents } from "../../orchestrator/run-job/events/index.ts";
import { readServerRecord } from "../../redis/private-server/server-process.ts";
import { jobText, readArtifact } from "../../test/support/cli/job-files.ts";
import { type Sandpit, makeSandpit } from "../../test/support/cli/launch.ts";
import { startModelServer } from "../../test/support/model-server/server.ts";
import { gatherEvidence, journalOf } from "./evidence.ts";
import { type Host, type HostEnd, endOf, recover, startHost } from "./host-process.ts";
import type { HostOrder } from "./host-protocol.ts";
import { treeScript, trees } from "./job-tree.ts";
import type { DrillPoint, Fault } from "./plan.ts";
import { remains } from "./remains.ts";
import { type SpawnerFault, strikeSpawner, throughFor } from "./spawner-faults.ts";
import { type RunEnd, violations } from "./verdict.ts";

/** What one point came to. */
export type PointResult = {
  readonly point: DrillPoint;
  /** False when the run had ended before the fault could be inflicted. */
  readonly hit: boolean;
  readonly violations: readonly string[];
  readonly effects: number;
  readonly interrupted: number;
  readonly unknown: number;
  readonly durationMs: number;
};

/** Time limit of a drilled job: far beyond what it needs, since it must never be what ends it. */
const runSeconds = 900;

/** Pause between two looks at the journal, in milliseconds. */
const lookMs = 1;

/** Runs one point in a directory of its own, which is gone afterwards unless something was violated. */
export async function runPoint(point: DrillPoint): Promise<PointResult> {
  const startedAt = performance.now();
  const pit = makeSandpit();
  await using server = await startModelServer((request) => ({ ...treeScript(request), latencyMs: 2 }));
  if (point.tree === "wide") makeRepository(pit);
  pit.write(
    "job.sexp",
    jobText({ prompt: `You are ${trees[point.tree].root}.`, role: "task", timeoutSeconds: runSeconds }),
  );
  const through = throughFor(point.fault, pit, point.number);
  const host = startHost(pit, server.baseUrl, ["run", "out/result.sexp"], { through });
  const hit = await inflict(point, pit, host, through);
  const ended = await endOf(host);
  const journal = journalOf(pit);
  if (point.againMs !== undefined && journal !== undefined)
    await killRecovery(pit, server.baseUrl, journal.conversation, point.againMs);
  const { report, problem } = await recover(pit, server.baseUrl, journal?.conversation ?? "", { through });
  const left = await settledRemains(pit);
  const evidence = await gatherEvidence(pit, journal, point.tree);
  const found = [
    ...violations(evidence, report, await runEnd(pit, ended), point.tree, point.fault),
    ...(problem === undefined ? [] : [problem]),
    ...left.map((each) => `left behind: ${each}`),
  ];
  if (found.length === 0) pit[Symbol.dispose]();
  return {
    point,
    hit,
    violations: found.length === 0 ? found : [...found, `kept in ${join(pit.home, "..")}`],
    effects: evidence.effects.length,
    interrupted: report.interrupted.length,
    unknown: report.unanswered.filter(({ outcome }) => outcome === "unknown").length,
    durationMs: performance.now() - startedAt,
  };
}

/** Worktrees are made from a repository with a commit. */
export function makeRepository(pit: Sandpit): void {
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=drill", "-c", "user.email=drill@localhost", ...args], {
      cwd: pit.workspace,
      stdio: "ignore",
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "Beginning");
}

/** Lets a host recover for a while and kills it. */
async function killRecovery(
  pit: Sandpit,
  baseUrl: string,
  conversation: string,
  afterMs: number,
): Promise<void> {
  const host = startHost(pit, baseUrl, ["recover", conversation, "out/result.sexp"]);
  await Promise.race([host.ended, delay(afterMs)]);
  host.child.kill("SIGKILL");
  await host.ended;
}

/** Waits for the moment of the point and inflicts its fault. False when the host ended before. */
async function inflict(
  point: DrillPoint,
  pit: Sandpit,
  host: Host,
  through: readonly string[],
): Promise<boolean> {
  const running = (): boolean => host.child.exitCode === null && host.child.signalCode === null;
  while (running() && recordCount(pit) < point.records) await delay(lookMs);
  await delay(point.delayMs);
  let redis: number | undefined;
  while (running() && point.fault === "redis" && redis === undefined) {
    redis = await redisProcess(pit);
    if (redis === undefined) await delay(lookMs);
  }
  if (!running()) return false;
  if (isSpawnerFault(point.fault)) {
    const { fault, holdMs } = point;
    return strikeSpawner(fault, { pid: host.child.pid ?? 0, running }, pit, { holdMs, through });
  }
  const threadLost = once(host.child, "message").then(() => true);
  strike(point.fault, redis, host.child);
  if (!point.fault.startsWith("thread-")) return true;
  return Promise.race([threadLost, host.ended.then(() => false)]);
}

function strike(fault: Exclude<Fault, SpawnerFault>, redis: number | undefined, child: ChildProcess): void {
  const order = (loseThread: HostOrder["loseThread"]): void => void child.send({ loseThread });
  switch (fault) {
    case "host":
      child.kill("SIGKILL");
      return;
    case "redis":
      if (redis !== undefined) process.kill(redis, "SIGKILL");
      return;
    case "thread-exit":
      return order("exit");
    case "thread-out-of-memory":
      return order("out-of-memory");
    case "thread-terminate":
      return order("terminate");
  }
}

function isSpawnerFault(fault: Fault): fault is SpawnerFault {
  return fault.startsWith("spawner-");
}

/** Records that the job journal holds. */
export function recordCount(pit: Sandpit): number {
  const journal = journalOf(pit);
  return journal === undefined ? 0 : readFileSync(journal.path, "latin1").split("\n").length - 1;
}

export async function redisProcess(pit: Sandpit): Promise<number | undefined> {
  const record = await readServerRecord(join(pit.home, ".local/state/autolith/redis/server.json"));
  return record?.process.pid;
}

/** What is left, once processes that are ending have had a moment to end. */
async function settledRemains(pit: Sandpit): Promise<readonly string[]> {
  for (let looks = 0; looks < 20; looks += 1) {
    if (remains(pit).length === 0) return [];
    await delay(50);
  }
  return remains(pit);
}

/** How a run ended, from its process, its events and its artifact. */
export async function runEnd(pit: Sandpit, ended: HostEnd & { readonly hung: boolean }): Promise<RunEnd> {
  const artifact = join(pit.workspace, "out/result.sexp");
  return {
    survived: ended.signal === null || ended.hung,
    status: ended.status,
    eventKinds: await eventKinds(ended.stdout),
    artifactStatus: existsSync(artifact) ? String(readArtifact(artifact)["status"]) : undefined,
    stderr: `${ended.hung ? "(it hung) " : ""}${ended.stderr}`,
  };
}

/** The kinds of the events; a last line that a kill cut is none. */
async function eventKinds(stdout: string): Promise<readonly string[]> {
  const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1);
  const kinds: string[] = [];
  try {
    for await (const { kind } of readRunJobEvents(Readable.from([Buffer.from(whole)]))) kinds.push(kind);
  } catch (error) {
    if (!(error instanceof RunJobEventError)) throw error;
    kinds.push(`unreadable: ${error.message}`);
  }
  return kinds;
}
