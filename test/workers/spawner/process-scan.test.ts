import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { ProcessScan, SharedScans } from "../../../workers/spawner/process-scan.ts";

test("who looks in the same moment shares a scan; a change asks for a later one", () => {
  const scans = new SharedScans();
  const first = scans.since(0);
  // It may be too old by now on a busy machine; then it answers nobody, which is what the second look finds.
  const answers = first.answers(0);
  expect(first.answers(performance.now() + 1)).toBe(false);
  const second = scans.since(0);
  if (!answers) expect(second).not.toBe(first);
  const later = scans.since(performance.now());
  expect(later).not.toBe(first);
  expect(later.startedAt).toBeGreaterThanOrEqual(second.startedAt);
});

test("a scan is not used beyond its age", async () => {
  const scan = new ProcessScan();
  for (let now = performance.now(); performance.now() - now <= 6;) await new Promise(setImmediate);
  expect(scan.answers(0)).toBe(false);
});

test("a scan finds a process by what it was started with", async () => {
  const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], MARK: "a=b" }, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const scan = new ProcessScan();
  const marked = scan.table.filter((entry) => scan.startedWith(entry, "MARK", (value) => value === "a=b"));
  expect(marked.map(({ pid }) => pid)).toContain(child.pid);
  expect(scan.descendantsOf(process.pid).map(({ pid }) => pid)).toContain(child.pid);
});
