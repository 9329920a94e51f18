import { closeSync, openSync, writeSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import {
  type CommitHandle,
  GroupCommit,
  type GroupCommitOptions,
} from "../../../orchestrator/record/group-commit.ts";
import type { RecordError } from "../../../orchestrator/record/failure.ts";
import { freshDirectory } from "./directories.ts";

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A real file whose writes and syncs can be made to fail as a disk does. */
class FaultyFile {
  writes = 0;
  syncs = 0;
  /** Each is thrown once, in order, by the next writes (after half the bytes went out) or syncs. */
  readonly writeFaults: Error[] = [];
  readonly syncFaults: Error[] = [];
  readonly truncateFaults: Error[] = [];
  readonly path: string;
  readonly handle: CommitHandle;

  constructor(path: string, real: CommitHandle) {
    this.path = path;
    this.handle = {
      read: real.read.bind(real),
      close: real.close.bind(real),
      write: async (bytes, offset, length, position) => {
        this.writes += 1;
        const fault = this.writeFaults.shift();
        if (fault === undefined) return real.write(bytes, offset, length, position);
        await real.write(bytes, offset, Math.ceil(length / 2), position);
        throw fault;
      },
      datasync: async () => {
        this.syncs += 1;
        const fault = this.syncFaults.shift();
        if (fault !== undefined) throw fault;
        await real.datasync();
      },
      truncate: async (length) => {
        const fault = this.truncateFaults.shift();
        if (fault !== undefined) throw fault;
        await real.truncate(length);
      },
    };
  }
}

async function group(options: GroupCommitOptions = {}): Promise<{ file: FaultyFile; commits: GroupCommit }> {
  const path = join(await freshDirectory(), "file");
  const file = new FaultyFile(path, await open(path, "w+"));
  const commits = new GroupCommit(file.handle, path, { end: 0, committed: 1 }, options);
  onTestFinished(() => commits.close());
  return { file, commits };
}

const line =
  (text: string) =>
  (ordinal: number): Uint8Array =>
    Buffer.from(`${ordinal} ${text}\n`);

const contentOf = (file: FaultyFile): Promise<string> => readFile(file.path, "utf8");

describe("group commit", () => {
  it("writes a burst in one write and syncs it once", async () => {
    const { file, commits } = await group();
    await Promise.all(Array.from({ length: 200 }, (_, index) => commits.append(line(`r${index}`), true)));
    expect(file.writes).toBe(1);
    expect(file.syncs).toBe(1);
  });

  it("syncs what nobody asked to have synced after the set time", async () => {
    const { file, commits } = await group({ syncAfterMs: 1 });
    await commits.append(line("a"), false);
    expect(file.syncs).toBe(0);
    await eventually(() => file.syncs).toBe(1);
  });

  it.each(["ENOSPC", "EIO", "EROFS"])(
    "%s: the batch is refused and cut off, then work goes on",
    async (errno) => {
      const { file, commits } = await group();
      await commits.append(line("first"), true);
      file.writeFaults.push(systemError(errno));
      const results = await Promise.allSettled([
        commits.append(line("lost"), true),
        commits.append(line("lost too"), false),
      ]);
      const code = { ENOSPC: "no-space", EIO: "input-output", EROFS: "read-only" }[errno];
      for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: { code } });
      expect(await contentOf(file)).toBe("1 first\n");
      expect(await commits.append(line("second"), true)).toBe(2);
      expect(await contentOf(file)).toBe("1 first\n2 second\n");
    },
  );

  it("cuts rubbish off later when it could not be cut at once", async () => {
    const { file, commits } = await group();
    await commits.append(line("first"), false);
    file.writeFaults.push(systemError("ENOSPC"));
    file.truncateFaults.push(systemError("EIO"));
    await expect(commits.append(line("a long line that is lost"), false)).rejects.toMatchObject({
      code: "no-space",
    });
    expect(await commits.append(line("2nd"), false)).toBe(2);
    expect(await contentOf(file)).toBe("1 first\n2 2nd\n");
  });

  it("a failed sync refuses those who asked for it and is made good by the next one", async () => {
    const { file, commits } = await group();
    file.syncFaults.push(systemError("EIO"));
    await expect(commits.append(line("a"), true)).rejects.toMatchObject({ code: "input-output" });
    const before = file.writes;
    expect(await commits.append(line("b"), true)).toBe(2);
    expect(file.writes - before, "the doubtful bytes are written again").toBe(2);
    expect(await contentOf(file)).toBe("1 a\n2 b\n");
  });

  it("reports a failed sync that nobody waits for", async () => {
    const failures: RecordError[] = [];
    const { file, commits } = await group({
      syncAfterMs: 1,
      onSyncFailure: (failure) => failures.push(failure),
    });
    file.syncFaults.push(systemError("EIO"));
    await commits.append(line("a"), false);
    await eventually(() => failures.map(({ code }) => code)).toEqual(["input-output"]);
  });

  it("numbers what takes several ordinals and keeps none of it when it fails", async () => {
    const { file, commits } = await group();
    const pair = (ordinal: number): Uint8Array => Buffer.from(`${ordinal} a\n${ordinal + 1} b\n`);
    expect(await commits.append(pair, false, 2)).toBe(1);
    file.writeFaults.push(systemError("ENOSPC"));
    await expect(commits.append(pair, false, 2)).rejects.toMatchObject({ code: "no-space" });
    expect(await Promise.all([commits.append(line("c"), false), commits.append(pair, true, 2)])).toEqual([
      3, 4,
    ]);
    expect(await contentOf(file)).toBe("1 a\n2 b\n3 c\n4 a\n5 b\n");
    expect(commits.committed).toBe(6);
  });

  it("refuses appends over the backlog with its number", async () => {
    const { commits } = await group({ backlogLimit: 2 });
    const waiting = [commits.append(line("a"), false), commits.append(line("b"), false)];
    await expect(commits.append(line("c"), false)).rejects.toThrow(/^2 records already wait/);
    expect(await Promise.all(waiting)).toEqual([1, 2]);
  });

  it("flush resolves when everything is on the disk", async () => {
    const { file, commits } = await group();
    const append = commits.append(line("a"), false);
    await commits.flush();
    expect(file.syncs).toBe(1);
    expect(await append).toBe(1);
    await commits.flush();
    expect(file.syncs).toBe(1);
  });
});

describe("writing without a thread", () => {
  /** Writes to the file by its path, and counts. */
  function immediate(fault?: Error): { times: number; now: NonNullable<GroupCommitOptions["writeNow"]> } {
    const seen = {
      times: 0,
      path: "",
      now: (bytes: Uint8Array, offset: number, length: number, position: number): number => {
        seen.times += 1;
        if (fault !== undefined && seen.times === 1) throw fault;
        const descriptor = openSync(seen.path, "r+");
        try {
          return writeSync(descriptor, bytes, offset, length, position);
        } finally {
          closeSync(descriptor);
        }
      },
    };
    return seen;
  }

  async function groupOf(
    seen: ReturnType<typeof immediate>,
  ): Promise<{ file: FaultyFile; commits: GroupCommit }> {
    const made = await group({ writeNow: (...operands) => seen.now(...operands) });
    Object.assign(seen, { path: made.file.path });
    return made;
  }

  it("is for small batches, which a burst still shares", async () => {
    const seen = immediate();
    const { file, commits } = await groupOf(seen);
    await Promise.all(Array.from({ length: 20 }, (_, index) => commits.append(line(`r${index}`), false)));
    expect([seen.times, file.writes]).toEqual([1, 0]);
    await commits.append(line("x".repeat(20_000)), false);
    expect([seen.times, file.writes]).toEqual([1, 1]);
    await commits.append(line("last"), false);
    expect((await contentOf(file)).trimEnd().split("\n").at(-1)).toBe("22 last");
  });

  it("is left to a thread while the file is being synced", async () => {
    const seen = immediate();
    const { file, commits } = await groupOf(seen);
    await commits.append(line("first"), false);
    const syncing = commits.flush();
    await Promise.resolve();
    const behind = commits.append(line("behind"), false);
    await Promise.all([syncing, behind]);
    expect(await contentOf(file)).toBe("1 first\n2 behind\n");
    expect(seen.times + file.writes).toBe(2);
    expect(file.writes).toBe(1);
  });

  it("that fails is told, and leaves nothing behind", async () => {
    const seen = immediate(Object.assign(new Error("full"), { code: "ENOSPC" }));
    const { file, commits } = await groupOf(seen);
    await expect(commits.append(line("lost"), false)).rejects.toMatchObject({ code: "no-space" });
    await commits.append(line("kept"), false);
    expect(await contentOf(file)).toBe("1 kept\n");
  });
});
