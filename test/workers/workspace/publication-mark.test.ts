import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { hash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processIdentity } from "../../../orchestrator/record/process-identity.ts";
import { MutationLocks } from "../../../workers/workspace/mutation-lock.ts";
import { scratchDirectory } from "../spawner/collect.ts";

const workspace = "/some/workspace";
const dead = JSON.stringify({
  ...processIdentity(),
  pid: 999_999_999,
  startTicks: 1,
  token: "7b2c3d4e-5f60-4172-8394-a5b6c7d8e9f0",
});

/** A lock directory as a host leaves it that was killed while it wrote `temporary`. */
function killedWhileWriting(temporary: string): { readonly directory: string; readonly mark: string } {
  const directory = scratchDirectory();
  const lock = join(directory, `${hash("sha256", workspace, "hex").slice(0, 32)}.lock`);
  writeFileSync(lock, dead);
  symlinkSync(temporary, `${lock}.writing`);
  return { directory, mark: `${lock}.writing` };
}

const never = new AbortController().signal;

describe("the temporary file of a killed edit", () => {
  it("is removed by the next edit of the workspace", async () => {
    const temporary = join(scratchDirectory(), ".a.txt.0123456789ab.autolith");
    writeFileSync(temporary, "half");
    const { directory } = killedWhileWriting(temporary);
    const seen = await new MutationLocks({ directory }).hold(workspace, never, () =>
      Promise.resolve(existsSync(temporary)),
    );
    expect(seen).toBe(false);
  });

  it("is removed by a start", async () => {
    const temporary = join(scratchDirectory(), ".a.txt.0123456789ab.autolith");
    writeFileSync(temporary, "half");
    const { directory, mark } = killedWhileWriting(temporary);
    expect(await new MutationLocks({ directory }).releaseStale(() => undefined)).toBe(1);
    expect([existsSync(temporary), existsSync(mark)]).toEqual([false, false]);
  });

  it("a mark never removes a file of another kind", async () => {
    const precious = join(scratchDirectory(), "precious.txt");
    writeFileSync(precious, "whole");
    const { directory } = killedWhileWriting(precious);
    await new MutationLocks({ directory }).releaseStale(() => undefined);
    expect(existsSync(precious)).toBe(true);
  });

  it("a mark whose file is in place already is removed", async () => {
    const { directory, mark } = killedWhileWriting(join(scratchDirectory(), ".a.txt.0123456789ab.autolith"));
    await new MutationLocks({ directory }).hold(workspace, never, async (held) => {
      await held.set("/tmp/.b.txt.0123456789ab.autolith");
      await held.clear();
    });
    expect(existsSync(mark)).toBe(false);
  });
});
