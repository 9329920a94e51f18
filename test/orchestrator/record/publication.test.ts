import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  publicationProblem,
  publishFile,
  removeAbandonedTemporaries,
} from "../../../orchestrator/record/publication.ts";
import { freshDirectory } from "./directories.ts";

describe("publishing a file", () => {
  it("creates parents, replaces the old content and leaves nothing else", async () => {
    const directory = await freshDirectory();
    const path = join(directory, "a", "b", "result.sexp");
    await publishFile(path, "one");
    await publishFile(path, Buffer.from("two"), { mode: 0o640 });
    expect(await readFile(path, "utf8")).toBe("two");
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await stat(join(directory, "a"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(directory, "a", "b"))).toEqual(["result.sexp"]);
  });

  it("refuses to replace what is published once, also when many try together", async () => {
    const directory = await freshDirectory();
    const path = join(directory, "result.sexp");
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => publishFile(path, `content ${index}`, { once: true })),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const winner = tries.findIndex(({ status }) => status === "fulfilled");
    for (const result of tries) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "already-exists" });
    }
    expect(await readFile(path, "utf8")).toBe(`content ${winner}`);
    expect(await readdir(directory)).toEqual(["result.sexp"]);
  });

  it("leaves no temporary file when it fails", async () => {
    const directory = await freshDirectory();
    const path = join(directory, "taken");
    await mkdir(join(path, "child"), { recursive: true });
    await expect(publishFile(path, "x")).rejects.toMatchObject({ name: "RecordError" });
    expect(await readdir(directory)).toEqual(["taken"]);
  });

  it("removes what killed processes left and nothing else", async () => {
    const directory = await freshDirectory();
    await Promise.all([
      writeFile(join(directory, ".result.sexp.111.0123456789ab.publishing"), ""),
      writeFile(join(directory, ".result.sexp.222.0123456789ab.publishing"), ""),
      writeFile(join(directory, "result.sexp"), ""),
    ]);
    expect(await removeAbandonedTemporaries(directory, (processId) => processId === 222)).toBe(1);
    expect((await readdir(directory)).toSorted()).toEqual([
      ".result.sexp.222.0123456789ab.publishing",
      "result.sexp",
    ]);
  });
});

describe("a place to publish at", () => {
  it("is tried with a file that goes again; its directories are made", async () => {
    const directory = await freshDirectory();
    expect(await publicationProblem(join(directory, "a", "result.sexp"))).toBeUndefined();
    expect(await readdir(join(directory, "a"))).toEqual([]);
    await writeFile(join(directory, "a", "result.sexp"), "earlier");
    expect(await publicationProblem(join(directory, "a", "result.sexp"))).toBeUndefined();
    expect(await readFile(join(directory, "a", "result.sexp"), "utf8")).toBe("earlier");
  });

  it.each([
    ["a directory", "/proc", "it is a directory"],
    ["a device", "/dev/null", "it is a device"],
    ["below a device", "/dev/null/x/y", "is a file, not a directory"],
    ["where the system makes no directories", "/proc/x/y/z", "ENOENT"],
  ])(
    "is refused when it is %s",
    async (_name, path, problem) => {
      expect(await publicationProblem(path)).toContain(problem);
      await expect(publishFile(join(path, "x"), "content")).rejects.toMatchObject({ name: "RecordError" });
    },
    10_000,
  );
});
