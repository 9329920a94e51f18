import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { cast, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene, say, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

/** Commands of the children: a shell that ignores TERM, with a process that left its session. */
const command = "trap '' TERM; setsid sleep 4321 & sleep 4321";
const width = 15;

function sleepers(): readonly string[] {
  return execFileSync("ps", ["-eo", "pid,stat,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("sleep 4321") && !/^\s*\d+\s+Z/.test(line));
}

describe("cancelling a tree of 30 children", () => {
  it("ends all of them with everything they run, and nothing of them is left when the last is told to have ended", async () => {
    const leaves = Array.from({ length: width }, (_, index) => ({ task: `LEAF ${index}.` }));
    await using scene = await openScene(
      cast({
        PRIMARY: [
          () =>
            tool("task__run", {
              context: "Part of a test.",
              tasks: Array.from({ length: width }, (_, index) => ({
                task: `BRANCH-${String(index).padStart(2, "0")}.`,
              })),
            }),
          () => answer("started"),
        ],
        ...Object.fromEntries(
          leaves.map((_, index) => [
            `BRANCH-${String(index).padStart(2, "0")}`,
            [
              () => tool("task__run", { task: `LEAF-${String(index).padStart(2, "0")}.` }),
              () => tool("shell__run", { command, "timeout-seconds": 600 }),
            ],
          ]),
        ),
        ...Object.fromEntries(
          leaves.map((_, index) => [
            `LEAF-${String(index).padStart(2, "0")}`,
            [
              () => tool("shell__run", { command, "timeout-seconds": 600, async: true }),
              () => answer("waiting"),
            ],
          ]),
        ),
      }),
      {
        environment: { AUTOLITH_TASK_MAX_CONCURRENCY: "32", AUTOLITH_EXECUTION_MAX_CONCURRENCY: "16" },
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
      return commands === 16 && admitted.size === 4 * width;
    });
    expect(sleepers().length).toBeGreaterThan(0);

    const startedAt = performance.now();
    const usedBefore = process.cpuUsage();
    const cancelled = session.cancel({ jobs: true });
    const ended = new Set<string>();
    await eventsUntil(client, (event) => {
      if (event.kind === "job" && event.state === "aborted") ended.add(event.name);
      return ended.size === admitted.size;
    });
    const tookMs = performance.now() - startedAt;
    expect(sleepers()).toEqual([]);
    await cancelled;
    expect(session.state().jobs.live).toBe(0);
    const used = process.cpuUsage(usedBefore);
    // The commands do not obey TERM, so a second of it is their grace. Wall time is for the reader: the machine is shared.
    process.stdout.write(
      `a tree of ${2 * width} children was gone ${Math.round(tookMs)} ms after its cancel (${Math.round((used.user + used.system) / 1_000)} ms of computing)\n`,
    );
  }, 180_000);
});
