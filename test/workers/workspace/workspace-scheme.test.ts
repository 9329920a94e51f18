import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MutationLocks } from "../../../workers/workspace/mutation-lock.ts";
import { scratchDirectory } from "../spawner/collect.ts";
import { replaceLine, revisionIn, scene } from "./scene.ts";
import { toolContext } from "./tool-context.ts";

describe("reading files", () => {
  test("shows revision, counts and lines with anchors", async () => {
    const at = scene();
    at.write("a b.txt", "one\ntwo\n");
    const { content } = await at.read("workspace:a%20b.txt");
    expect(content).toMatch(
      /^workspace:a%20b\.txt\nrevision [0-9a-f]{32} · 2 lines · 8 bytes · lines 1-2\n1:[0-9a-f]{4}\|one\n2:[0-9a-f]{4}\|two$/,
    );
  });

  test("pages by lines and says where to go on", async () => {
    const at = scene();
    at.write("f", Array.from({ length: 1000 }, (_, index) => `line ${index + 1}\n`).join(""));
    expect((await at.read("workspace:f")).content).toContain("lines 1-400");
    const page = await at.read("workspace:f", { "start-line": 998, "line-count": 2 });
    expect(page.content).toContain("lines 998-999");
    expect(page.content).toContain("[more: start-line 1000]");
    expect((await at.read("workspace:f", { "start-line": 5000 })).content).toContain(
      "no line 5000: the last is 1000",
    );
  });

  test("a page never exceeds what a result may show", async () => {
    const at = scene();
    at.write("wide", `${"w".repeat(900)}\n`.repeat(400));
    const { content } = await at.read("workspace:wide");
    expect(content.length).toBeLessThan(32_000);
    expect(content).toMatch(/\[more: start-line [0-9]+\]$/);
  });

  test("a very long line is cut and its rest is reachable by bytes", async () => {
    const at = scene();
    at.write("min.js", `short\n${"漢".repeat(100_000)}\n`);
    const { content } = await at.read("workspace:min.js");
    expect(content).toContain("[line of 300000 bytes; read byte-offset 6]");
    expect(content).not.toContain("\uFFFD");
    const window = await at.read("workspace:min.js", { "byte-offset": 7, "byte-count": 10 });
    expect(window.content).toContain("bytes 9-15 of 300007\n漢漢");
  });

  test("says what is special about a file", async () => {
    const at = scene();
    at.write("crlf", "a\r\nb\r\n");
    at.write("mixed", "\ufeffa\r\nb\nc");
    at.write("latin", Buffer.from("caf\u00e9\n", "latin1"));
    at.write("binary", Buffer.from([0x7f, 0x45, 0, 1, 2]));
    at.write("empty", "");
    expect((await at.read("workspace:crlf")).content).toContain("· CRLF ·");
    expect((await at.read("workspace:mixed")).content).toMatch(
      /mixed line ends \(1 LF, 1 CRLF\) · no line end after the last line · byte order mark/,
    );
    expect((await at.read("workspace:latin")).content).toContain("not UTF-8");
    expect((await at.read("workspace:binary")).content).toContain("binary");
    expect((await at.read("workspace:binary", { "byte-offset": 0 })).content).toContain(
      "00000000  7f450001 02",
    );
    expect((await at.read("workspace:empty")).content).toContain("0 lines · 0 bytes · empty");
  });

  test("a query shows places with their neighbours and pages", async () => {
    const at = scene();
    at.write(
      "f",
      Array.from({ length: 60 }, (_, index) => (index % 10 === 5 ? "x needle y\n" : "hay\n")).join(""),
    );
    const found = await at.read("workspace:f", { query: "needle", "max-results": 2 });
    expect(found.content).toContain('6 lines hold "needle"; the first 2 are shown; go on with start-line 26');
    expect(found.content.match(/needle y/g)).toHaveLength(2);
    expect(found.content).toContain("4:");
    const rest = await at.read("workspace:f", { query: "needle", "start-line": 26 });
    expect(rest.content).toContain('4 lines hold "needle"');
  });

  test("a file of 40 MB is read in bounded memory", async () => {
    const at = scene();
    at.write("big", Buffer.alloc(40_000_000, "0123456789abcde\n"));
    const before = process.memoryUsage().arrayBuffers;
    const { content } = await at.read("workspace:big", { "start-line": 2_499_999 });
    expect(content).toContain("2500000 lines");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  test("directories are listed with kinds, sizes and links", async () => {
    const at = scene();
    mkdirSync(join(at.workspace, "sub"));
    at.write("z.txt", "12345");
    symlinkSync("z.txt", join(at.workspace, "link"));
    const { content } = await at.read("workspace:.");
    expect(content).toMatch(
      /^workspace:\.\ndirectory · revision [0-9a-f]{32} · 3 entries\nsub\/\nlink -> z\.txt\nz\.txt 5$/,
    );
    expect((await at.read("workspace:")).content).toBe(content);
    expect((await at.read(`file://${at.workspace}`, { "start-line": 3 })).content).toContain("\nz.txt 5");
  });

  test("pipes, sockets and devices are refused without waiting", async () => {
    const at = scene(toolContext({ mode: "full" }));
    execFileSync("mkfifo", [join(at.workspace, "fifo")]);
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(join(at.workspace, "sock"), resolve);
    });
    onTestFinished(() => {
      server.close();
    });
    for (const uri of ["workspace:fifo", "workspace:sock", "file:///dev/zero"]) {
      await expect(at.read(uri)).rejects.toMatchObject({ code: "not-regular" });
    }
  });

  test.each([
    ["workspace:bad%", "malformed-uri"],
    ["workspace:a%00b", "malformed-uri"],
    ["file://elsewhere/x", "malformed-uri"],
    ["http://x/", "unknown-scheme"],
    ["nothing", "unknown-scheme"],
    ["workspace:../outside", "permission-denied"],
    ["file:///etc/hostname", "permission-denied"],
  ])("%s is refused as %s", async (uri, code) => {
    await expect(scene().read(uri)).rejects.toMatchObject({ code });
  });

  test("an argument of another resource is refused, not ignored", async () => {
    const at = scene();
    at.write("f", "x");
    await expect(at.read("workspace:f", { "record-count": 3 })).rejects.toMatchObject({
      code: "unsupported-argument",
    });
  });

  test("a link out of the workspace is followed only with the authority for its target", async () => {
    const outside = join(scratchDirectory(), "secret");
    writeFileSync(outside, "secret");
    const at = scene();
    symlinkSync(outside, join(at.workspace, "link"));
    await expect(at.read("workspace:link")).rejects.toMatchObject({ code: "permission-denied" });
    const free = scene(toolContext({ mode: "full", workspace: at.workspace }));
    expect((await free.read("workspace:link")).content).toContain("|secret");
  });
});

describe("editing files", () => {
  test("changes the line and nothing else, and answers with the new revision and anchors", async () => {
    const at = scene();
    at.write("f", "a\r\nb\r\n\r\n");
    const edited = await at.edit(
      "workspace:f",
      revisionIn(await at.read("workspace:f")),
      replaceLine(2, "B"),
    );
    expect(at.bytes("f")).toBe("a\r\nB\r\n\r\n");
    expect(edited.content).toMatch(
      /edited: revision [0-9a-f]{32} · 3 lines · 8 bytes\n1:\w{4}\|a\n2:\w{4}\|B\n3:\w{4}\|$/,
    );
    expect(revisionIn(edited)).toBe(revisionIn(await at.read("workspace:f")));
  });

  test("a stale edit is refused and shows what is there, also with the same size and time", async () => {
    const at = scene();
    const path = at.write("f", "one\ntwo\n");
    const revision = revisionIn(await at.read("workspace:f"));
    const { atime, mtime } = statSync(path);
    writeFileSync(path, "one\nTWO\n");
    utimesSync(path, atime, mtime);
    const refused = await at.edit("workspace:f", revision, replaceLine(1, "x"));
    expect(refused).toMatchObject({ status: "error", code: "stale-revision" });
    expect(refused.content).toContain("|TWO");
    expect(at.bytes("f")).toBe("one\nTWO\n");
    const again = await at.edit("workspace:f", revisionIn(refused), replaceLine(1, "x"));
    expect(again.status).toBe("ok");
    expect(at.bytes("f")).toBe("x\nTWO\n");
  });

  test("a new file is made with its directories, but never over one that is there", async () => {
    const at = scene();
    const missing = await at.read("workspace:sub/dir/new.txt");
    expect(missing).toMatchObject({ status: "error", code: "not-found", details: { revision: "absent" } });
    const made = await at.edit("workspace:sub/dir/new.txt", "absent", {
      operation: "replace-empty",
      content: "hi",
    });
    expect(made.status).toBe("ok");
    expect(at.bytes("sub/dir/new.txt")).toBe("hi");
    const second = await at.edit("workspace:sub/dir/new.txt", "absent", {
      operation: "replace-empty",
      content: "no",
    });
    expect(second).toMatchObject({ status: "error", code: "stale-revision" });
    await expect(at.edit("workspace:none", "0".repeat(32), replaceLine(1, "x"))).rejects.toMatchObject({
      code: "stale-revision",
    });
  });

  test("keeps the mode, edits the target of a link, and leaves a hard-linked file elsewhere alone", async () => {
    const at = scene();
    const path = at.write("run.sh", "a\n");
    chmodSync(path, 0o750);
    symlinkSync("run.sh", join(at.workspace, "link"));
    linkSync(path, join(at.workspace, "other"));
    const edited = await at.edit(
      "workspace:link",
      revisionIn(await at.read("workspace:link")),
      replaceLine(1, "b"),
    );
    expect(edited.content).toContain("workspace:run.sh");
    expect(readFileSync(join(at.workspace, "link"), "utf8")).toBe("b\n");
    expect(statSync(path).mode & 0o777).toBe(0o750);
    expect(realpathSync(join(at.workspace, "link"))).toBe(path);
    expect(at.bytes("other")).toBe("a\n");
  });

  test("leaves no temporary file, also when it is refused", async () => {
    const at = scene();
    at.write("f", "a\n");
    const revision = revisionIn(await at.read("workspace:f"));
    await at.edit("workspace:f", revision, replaceLine(1, "b"));
    await expect(
      at.edit("workspace:f", revisionIn(await at.read("workspace:f")), replaceLine(9, "b")),
    ).rejects.toThrow(Error);
    expect(readdirSync(at.workspace)).toEqual(["f"]);
  });

  test("parallel edits are never lost: one wins, the others are refused as stale", async () => {
    const at = scene();
    at.write("f", "0\n");
    const revision = revisionIn(await at.read("workspace:f"));
    const outcomes = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, index) =>
          await at.edit("workspace:f", revision, {
            operation: "insert-after",
            line: 1,
            content: `edit ${index}`,
          }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "ok")).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === "stale-revision")).toHaveLength(11);
    expect(at.bytes("f")).toMatch(/^0\nedit [0-9]+\n$/);
  });

  test("writers that read again after each refusal all get their line in", async () => {
    const at = scene();
    at.write("f", "start\n");
    const insert = async (text: string): Promise<void> => {
      for (;;) {
        const revision = revisionIn(await at.read("workspace:f"));
        const outcome = await at.edit("workspace:f", revision, {
          operation: "insert-after",
          line: 1,
          content: text,
        });
        if (outcome.status === "ok") return;
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await insert(`w${index}`);
      }),
    );
    expect(at.bytes("f").trim().split("\n").sort()).toEqual([
      "start",
      "w0",
      "w1",
      "w2",
      "w3",
      "w4",
      "w5",
      "w6",
      "w7",
    ]);
  });

  test("writing outside the workspace, through links or into git's and our own files is refused", async () => {
    const at = scene();
    const outside = scratchDirectory();
    symlinkSync(outside, join(at.workspace, "out"));
    symlinkSync(join(outside, "none"), join(at.workspace, "dangling"));
    mkdirSync(join(at.workspace, ".git"));
    for (const uri of [
      "workspace:out/x",
      `file://${outside}/x`,
      "workspace:../x",
      "workspace:.git/hooks/pre-commit",
      "workspace:sub/.GIT/config",
      "workspace:.autolith/agents/x.sexp",
    ]) {
      await expect(
        at.edit(uri, "absent", { operation: "replace-empty", content: "x" }),
      ).rejects.toMatchObject({ code: "permission-denied" });
    }
    await expect(
      at.edit("workspace:dangling", "absent", { operation: "replace-empty", content: "x" }),
    ).rejects.toMatchObject({ code: "not-found" });
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(at.workspace, ".git/hooks"))).toBe(false);
  });

  test("an unknown operation is refused by the schema", async () => {
    await expect(
      scene().edit("workspace:f", "absent", { operation: "rewrite", content: "x" }),
    ).rejects.toThrow(/operation/);
  });

  test("another process that holds the workspace is waited for and then named", async () => {
    const context = toolContext();
    const directory = join(scratchDirectory(), "locks");
    const locks = new MutationLocks({ directory, waitMs: 50 });
    const held = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const holder = locks.hold(context.workspace, context.signal, async () => {
      taken.resolve();
      await held.promise;
    });
    await taken.promise;
    // A second set of locks stands for another host: the file is what they share.
    const other = new MutationLocks({ directory, waitMs: 50 });
    await expect(
      other.hold(context.workspace, context.signal, async () => await Promise.resolve()),
    ).rejects.toMatchObject({ code: "resource-busy" });
    held.resolve();
    await holder;
    expect(
      await other.hold(context.workspace, context.signal, async () => await Promise.resolve("mine")),
    ).toBe("mine");
  });

  test("a lock that cannot be let go takes nothing from what was done, and stops nobody here", async () => {
    const context = toolContext();
    const directory = join(scratchDirectory(), "locks");
    const locks = new MutationLocks({ directory, waitMs: 50 });
    const broken = locks.hold(context.workspace, context.signal, async () => {
      // A directory in its place can be neither read nor removed as a lock is.
      const [name = ""] = readdirSync(directory);
      rmSync(join(directory, name));
      mkdirSync(join(directory, name));
      return await Promise.resolve("done");
    });
    expect(await broken).toBe("done");
    const [name = ""] = readdirSync(directory);
    expect(
      await locks.hold(context.workspace, context.signal, async () => {
        rmdirSync(join(directory, name));
        return await Promise.resolve("again");
      }),
    ).toBe("again");
    expect(readdirSync(directory)).toEqual([]);
    expect(
      await locks.hold(context.workspace, context.signal, async () => await Promise.resolve("free")),
    ).toBe("free");
  });
});
