/** A session with a tree of thirty children, each with a command that obeys no request to end, and its cancel as a whole. */
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { cast, tool } from "../model-server/cast.ts";
import { answer } from "../model-server/script.ts";
import { openScene, say, watch } from "./composed-sessions.ts";
import { eventsUntil } from "./read-events.ts";

/** Longest wait until the processes of all commands are there; no event tells of processes of a process. */
const startLimitMs = 60_000;

const width = 15;
/** Children of the tree: half of them are children of the other half. */
export const treeSize = 2 * width;

/** Commands that run at once: as many as may. */
const commandLimit = 16;

export type CancelledTree = {
  /** From the cancel to the news that the last job has ended, in milliseconds; a second of it is the grace of the commands. */
  readonly tookMs: number;
  /** Time on a core of this process meanwhile, in milliseconds. */
  readonly computingMs: number;
  /** Commands that ran when it was cancelled, and that were left when the last was told to have ended. */
  readonly before: number;
  readonly left: readonly string[];
  /** Jobs of the session that were live afterwards. */
  readonly liveJobs: number;
};

const two = (index: number): string => String(index).padStart(2, "0");
const each = <Value>(make: (index: number) => Value): Value[] =>
  Array.from({ length: width }, (_, index) => make(index));

/** Starts the tree, cancels it when all of its commands that may run do, and tells what became of it. */
export async function cancelTree(): Promise<CancelledTree> {
  // A shell that ignores TERM, with a process that left its session; the number tells them from those of others.
  const seconds = 4_000_000 + process.pid;
  const command = `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}`;
  await using scene = await openScene(
    cast({
      PRIMARY: [
        () =>
          tool("task__run", {
            context: "Part of a test.",
            tasks: each((index) => ({ task: `BRANCH-${two(index)}.` })),
          }),
        () => answer("started"),
      ],
      ...Object.fromEntries(
        each((index) => [
          `BRANCH-${two(index)}`,
          [
            () => tool("task__run", { task: `LEAF-${two(index)}.` }),
            () => tool("shell__run", { command, "timeout-seconds": 600 }),
          ],
        ]),
      ),
      ...Object.fromEntries(
        each((index) => [
          `LEAF-${two(index)}`,
          [
            () => tool("shell__run", { command, "timeout-seconds": 600, async: true }),
            () => answer("waiting"),
          ],
        ]),
      ),
    }),
    {
      environment: {
        AUTOLITH_TASK_MAX_CONCURRENCY: "32",
        AUTOLITH_EXECUTION_MAX_CONCURRENCY: String(commandLimit),
      },
    },
  );
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  const client = await watch(session);
  await say(session, "PRIMARY begins");
  const running = new Set<string>();
  const admitted = new Set<string>();
  await eventsUntil(client, (event) => {
    if (event.kind !== "job") return false;
    admitted.add(event.name);
    if (event.state === "running") running.add(event.name);
    const commands = [...running].filter((name) => name.startsWith("exec:")).length;
    return commands === commandLimit && admitted.size === 4 * width;
  });
  // Claimed is not started: each command is a shell and two sleepers.
  for (const until = performance.now() + startLimitMs; sleepers(seconds).length < 3 * commandLimit;) {
    if (performance.now() >= until)
      throw new Error(
        `Expected ${3 * commandLimit} sleepers within ${startLimitMs} ms, not ${sleepers(seconds).length}.`,
      );
    await delay(20);
  }
  const before = sleepers(seconds).length;
  const startedAt = performance.now();
  const usedBefore = process.cpuUsage();
  const cancelled = session.cancel({ jobs: true });
  const ended = new Set<string>();
  await eventsUntil(client, (event) => {
    if (event.kind === "job" && event.state === "aborted") ended.add(event.name);
    return ended.size === admitted.size;
  });
  const tookMs = performance.now() - startedAt;
  const left = sleepers(seconds);
  const used = process.cpuUsage(usedBefore);
  await cancelled;
  return {
    tookMs,
    computingMs: (used.user + used.system) / 1_000,
    before,
    left,
    liveJobs: session.state().jobs.live,
  };
}

function sleepers(seconds: number): readonly string[] {
  return execFileSync("ps", ["-eo", "pid,stat,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`sleep ${seconds}`) && !/^\s*\d+\s+Z/.test(line));
}
