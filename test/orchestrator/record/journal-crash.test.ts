import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openJobJournal } from "../../../orchestrator/record/job-journal.ts";
import { freshDirectory } from "./directories.ts";

const script = fileURLToPath(new URL("./append-until-killed.ts", import.meta.url));

/** Runs the appending process until it has acknowledged `count` records, kills it, and tells the greatest acknowledged. */
async function appendUntilKilled(path: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  // Read to the end: what was acknowledged just before the kill counts as well.
  for await (const part of child.stdout) {
    output += String(part);
    if (output.split("\n").length > count) child.kill("SIGKILL");
  }
  if (child.signalCode === null && child.exitCode === null) await once(child, "exit");
  const numbers = output.split("\n").slice(0, -1).map(Number);
  return Math.max(...numbers);
}

it("kill -9 at any time loses no acknowledged record and leaves the journal sound", async () => {
  const path = join(await freshDirectory(), "jobs.sexp");
  for (const count of [1, 30, 333]) {
    const acknowledged = await appendUntilKilled(path, count);
    const { journal, records, anomalies } = await openJobJournal(path);
    await journal.close();
    const calls = records.map((record) => (record.kind === "intent" ? Number(record.callId) : 0));
    expect(calls).toEqual(calls.map((_, index) => index + 1));
    expect(calls.length).toBeGreaterThanOrEqual(acknowledged);
    expect(anomalies.filter(({ kind }) => kind !== "cut-tail" && kind !== "completed-tail")).toEqual([]);
  }
});
