import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ActivityRecord } from "../../../orchestrator/record/execution-records.ts";
import { ActivityLog } from "../../../orchestrator/tasks/activity-log.ts";
import { ChildProgress } from "../../../orchestrator/tasks/child-progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A log of what a child does, and what it wrote. */
function scene(): { log: ActivityLog; progress: ChildProgress; written: ActivityRecord[] } {
  const written: ActivityRecord[] = [];
  const progress = new ChildProgress(Date.now);
  const log = new ActivityLog({
    write: (record) => Promise.resolve(void written.push(record)),
    snapshot: () => progress.snapshot(),
    report: (error) => {
      throw error;
    },
    now: Date.now,
  });
  return { log, progress, written };
}

test("a child that ends within the interval is written once, with all it did", async () => {
  const { log, progress, written } = scene();
  for (const tool of ["resource.read", "shell.run"]) {
    progress.toolStarted(tool);
    log.note();
    progress.toolFinished(tool);
    log.note();
  }
  await log.close();
  expect(written).toMatchObject([{ toolCount: 2, tool: "shell.run" }]);
});

test("one that goes on is written once in each interval in which something happened", async () => {
  const { log, written } = scene();
  for (let step = 0; step < 25; step += 1) {
    log.note();
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(written.length).toBe(2);
  await log.close();
  expect(written.length).toBe(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(written.length).toBe(3);
});

test("a clock that was set back does not hold the next write up", async () => {
  const { log, written } = scene();
  vi.setSystemTime(Date.now() - 3_600_000);
  log.note();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(written.length).toBe(1);
  await log.close();
});
