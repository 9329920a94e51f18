import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { isRunning, processIdentity } from "../../../orchestrator/record/process-identity.ts";

it("a process is running until it has ended, also while nobody has collected it", async () => {
  // The shell starts a child, replaces itself by a program that never waits, and so leaves a zombie behind.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    parent.kill("SIGKILL");
  });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const child = processIdentity(Number(String(line)));
  expect(isRunning(child)).toBe(true);
  process.kill(child.pid, "SIGKILL");
  await eventually(() => isRunning(child)).toBe(false);
  expect(() => process.kill(child.pid, 0), "the number is still taken").not.toThrow();
  const own = processIdentity(parent.pid);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  expect(isRunning(own)).toBe(false);
});

it("another boot, another start time and impossible numbers are no running process", () => {
  const own = processIdentity();
  expect(isRunning(own)).toBe(true);
  expect(isRunning({ ...own, startTicks: 0, bootId: "unknown" })).toBe(true);
  expect(isRunning({ ...own, startTicks: 12345 })).toBe(false);
  expect(isRunning({ ...own, bootId: "another" })).toBe(false);
  for (const pid of [0, -1, 2 ** 31 - 1, Number.NaN]) expect(isRunning({ ...own, pid })).toBe(false);
});
