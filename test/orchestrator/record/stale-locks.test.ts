import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processIdentity } from "../../../orchestrator/record/process-identity.ts";
import { releaseStaleLocks } from "../../../orchestrator/record/stale-locks.ts";
import { acquireWriterLock } from "../../../orchestrator/record/writer-lock.ts";
import { freshDirectory } from "./directories.ts";

const token = "7b2c3d4e-5f60-4172-8394-a5b6c7d8e9f0";
const dead = JSON.stringify({ ...processIdentity(), pid: 999_999_999, startTicks: 1, token });

async function release(
  directory: string,
): Promise<{ removed: number; cleaned: string[]; reported: unknown[] }> {
  const [cleaned, reported]: [string[], unknown[]] = [[], []];
  const removed = await releaseStaleLocks(
    directory,
    (path) => {
      cleaned.push(path);
      return Promise.resolve();
    },
    (error) => reported.push(error),
  );
  return { removed, cleaned, reported };
}

describe("locks of dead processes", () => {
  it("are taken, their remains cleaned, and removed", async () => {
    const directory = await freshDirectory();
    await writeFile(join(directory, "a.lock"), dead);
    const { removed, cleaned } = await release(directory);
    expect([removed, cleaned]).toEqual([1, [join(directory, "a")]]);
    expect(existsSync(join(directory, "a.lock"))).toBe(false);
  });

  it("locks of live processes stay", async () => {
    const directory = await freshDirectory();
    const lock = await acquireWriterLock(join(directory, "a.lock"));
    expect((await release(directory)).removed).toBe(0);
    expect(existsSync(join(directory, "a.lock"))).toBe(true);
    await lock.release();
  });

  it("what a killed successor left beside a lock goes as well, the live lock stays", async () => {
    const directory = await freshDirectory();
    const lock = await acquireWriterLock(join(directory, "a.lock"));
    for (const kind of ["claim", "next"]) await writeFile(join(directory, `a.lock.${token}.${kind}`), dead);
    await writeFile(join(directory, `b.lock.${token}.claim`), dead);
    // The lock has another holder by now than the one that they speak of.
    expect((await release(directory)).removed).toBe(3);
    expect(existsSync(join(directory, "a.lock"))).toBe(true);
    expect(existsSync(join(directory, `b.lock.${token}.claim`))).toBe(false);
    await lock.release();
    expect((await release(directory)).removed).toBe(0);
  });

  it("a file that is no lock is reported and left", async () => {
    const directory = await freshDirectory();
    await writeFile(join(directory, "a.lock"), "something else");
    await writeFile(join(directory, "b.lock"), dead);
    const { removed, reported } = await release(directory);
    expect([removed, reported.length]).toEqual([1, 1]);
    expect(reported[0]).toMatchObject({ code: "malformed" });
    expect(existsSync(join(directory, "a.lock"))).toBe(true);
  });

  it("a directory that does not exist holds none", async () => {
    expect((await release(join(await freshDirectory(), "none"))).removed).toBe(0);
  });
});
