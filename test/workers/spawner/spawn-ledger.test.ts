import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { bootId, readProcess, type PinnedProcess } from "../../../orchestrator/record/process-identity.ts";
import { isAlive } from "../../../workers/spawner/process-table.ts";
import { reapSurvivors, SpawnLedger } from "../../../workers/spawner/spawn-ledger.ts";
import { scratchDirectory } from "./collect.ts";

const fixture = fileURLToPath(new URL("host-fixture.ts", import.meta.url));

/** Runs a host in a process of its own until its command has printed `lines` lines, then kills it with SIGKILL. */
async function killedHost(ledger: string, script: string, lines: number): Promise<readonly string[]> {
  const host = spawn(process.execPath, [fixture, ledger, script], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  await new Promise<void>((resolve) => {
    host.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split("\n").length > lines) resolve();
    });
  });
  const gone = new Promise((resolve) => host.once("exit", resolve));
  host.kill("SIGKILL");
  await gone;
  return text.trim().split("\n");
}

function identify(pid: number): PinnedProcess {
  return { pid, startTicks: readProcess(pid)?.startTicks ?? 0 };
}

describe("reapSurvivors", () => {
  test("ends everything a killed host left, also what left the session and ignores TERM", async () => {
    const ledger = scratchDirectory();
    const pids = await killedHost(
      ledger,
      "echo $$; setsid bash -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & sleep 300",
      2,
    );
    const identities = pids.map(Number).map(identify);
    expect(identities.map(isAlive)).toEqual([true, true]);
    const report = await reapSurvivors(ledger, 200);
    expect(identities.map(isAlive)).toEqual([false, false]);
    expect(report).toMatchObject({ deadHosts: 1, left: 0 });
    expect(report.ended).toBeGreaterThanOrEqual(2);
    expect(readdirSync(ledger)).toEqual([]);
  });

  test("does not touch a live host", async () => {
    const ledger = scratchDirectory();
    SpawnLedger.open(ledger).record({ pid: 2 ** 22, startTicks: 1 });
    expect(await reapSurvivors(ledger)).toEqual({ deadHosts: 0, ended: 0, left: 0 });
    expect(readdirSync(ledger)).toHaveLength(1);
  });

  test("kills nobody whose number is recorded with another start instant", async () => {
    const ledger = scratchDirectory();
    const bystander = spawn("/bin/sleep", ["60"], { stdio: "ignore", detached: true });
    const identity = identify(bystander.pid ?? 0);
    const directory = join(ledger, "0".repeat(24));
    mkdirSync(directory);
    writeFileSync(
      join(directory, "host.json"),
      JSON.stringify({ bootId: bootId(), pid: identity.pid, startTicks: identity.startTicks + 1 }),
    );
    writeFileSync(join(directory, `${identity.pid}-${identity.startTicks + 1000}`), "");
    expect(await reapSurvivors(ledger, 0)).toMatchObject({ deadHosts: 1, ended: 0 });
    expect(isAlive(identity)).toBe(true);
    bystander.kill("SIGKILL");
  });

  test("forgets hosts of an earlier boot and torn records without killing", async () => {
    const ledger = scratchDirectory();
    const mine = SpawnLedger.open(ledger);
    const file = join(mine.directory, "host.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(bootId(), "an-earlier-boot"));
    mkdirSync(join(ledger, "a".repeat(24)));
    writeFileSync(join(ledger, "a".repeat(24), "host.json"), '{"bootId":');
    expect(await reapSurvivors(ledger, 0)).toEqual({ deadHosts: 2, ended: 0, left: 0 });
    expect(readdirSync(ledger)).toEqual([]);
  });

  test("a ledger that was never made holds nothing", async () => {
    expect(await reapSurvivors(join(scratchDirectory(), "none"))).toEqual({
      deadHosts: 0,
      ended: 0,
      left: 0,
    });
  });
});
