/** How peers damaged files (the case log's ids in the names), tried on the tools as an agent has them. */
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchDirectory } from "../spawner/collect.ts";
import { type Scene, replaceLine, revisionIn, scene } from "./scene.ts";
import { toolContext } from "./tool-context.ts";

const uri = "workspace:f";

async function edit(at: Scene, ...operations: object[]) {
  return await at.edit(uri, revisionIn(await at.read(uri)), ...operations);
}

describe("C083: line ends far from the edit", () => {
  const mixed = "unix one\nwindows\r\nold\rmac\rword here\n\r\nlast\r\nno end";
  it.each([
    [1, "unix two", mixed.replace("one", "two")],
    [2, "WINDOWS", mixed.replace("windows", "WINDOWS")],
    [3, "old\rmac\rWORD here", mixed.replace("word", "WORD")],
    [5, "LAST", mixed.replace("last", "LAST")],
    [6, "NO end", mixed.replace("no end", "NO end")],
  ])("stay byte for byte when line %i is changed", async (line, text, expected) => {
    for (const mark of ["", "\u00ef\u00bb\u00bf"]) {
      const at = scene();
      at.write("f", Buffer.from(mark + mixed, "latin1"));
      expect((await edit(at, replaceLine(line, text))).status).toBe("ok");
      expect(at.bytes("f")).toBe(mark + expected);
    }
  });

  it("stay when lines are inserted and deleted between them", async () => {
    const at = scene();
    at.write("f", mixed);
    const operations = [
      { operation: "insert-after", line: 2, content: "new" },
      { operation: "delete-lines", "start-line": 5, "end-line": 5 },
    ];
    expect((await edit(at, ...operations)).status).toBe("ok");
    expect(at.bytes("f")).toMatch(/^unix one\nwindows\r\nnew\r?\nold\rmac\rword here\n\r\nno end$/);
  });
});

describe("C085: bytes that are not UTF-8", () => {
  const japanese = Buffer.from([0x95, 0x5c, 0x8e, 0xa6, 0x0a]);
  it.each([
    ["Latin-1", Buffer.from("caf\u00e9 \u00fcber\n", "latin1")],
    ["Shift-JIS, with a backslash for its second byte", japanese],
    ["one bad byte", Buffer.from([0x61, 0xff, 0x62, 0x0a])],
    ["a UTF-8 character that is cut off", Buffer.from([0xe2, 0x82, 0x0a])],
    ["a surrogate written as UTF-8", Buffer.from([0xed, 0xa0, 0x80, 0x0a])],
    ["control characters", Buffer.from([0x01, 0x1b, 0x7f, 0x0a])],
  ])("%s: an edit far away leaves them, or is refused with the reason", async (_name, special) => {
    const at = scene();
    const [before, after] = [Buffer.from("one\ntwo\n"), Buffer.from("\nnine\n")];
    const whole = Buffer.concat([before, special, after, special]);
    at.write("f", whole);
    const outcome = await edit(at, replaceLine(1, "ONE"));
    expect([outcome.status, at.bytes("f")]).toEqual(["ok", whole.toString("latin1").replace("one", "ONE")]);
    expect(at.bytes("f")).not.toContain("\u00ef\u00bf\u00bd");
  });

  it.each([
    ["UTF-16, little end first", Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le")],
    ["UTF-16, big end first", Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le").swap16()],
    ["a binary file", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x00, 0x0a, 0x31, 0x0a])],
  ])("%s is refused with the reason and stays as it is", async (_name, bytes) => {
    const at = scene();
    at.write("f", bytes);
    const revision = revisionIn(await at.read(uri));
    await expect(at.edit(uri, revision, replaceLine(1, "ONE"))).rejects.toMatchObject({
      code: "unsupported-encoding",
      message: expect.stringContaining("it is binary or UTF-16 and is not edited by lines") as string,
    });
    expect(at.bytes("f")).toBe(bytes.toString("latin1"));
  });
});

describe("C087: the blank lines at the end", () => {
  it.each(["a\nb\n\n", "a\nb\n\n\n\n", "a\r\nb\r\n\r\n", "a\n\n", "a\nb", "a\n \n\t\n"])(
    "%j keeps them over three edits of its first line",
    async (text) => {
      const at = scene();
      at.write("f", text);
      for (const word of ["x", "yy", "zzz"]) {
        expect((await edit(at, replaceLine(1, word))).status).toBe("ok");
        expect(at.bytes("f")).toBe(text.replace("a", word));
      }
    },
  );
});

describe("C089: a write from a stale read", () => {
  const whole = (lines: number) => ({
    operation: "replace-lines",
    "start-line": 1,
    "end-line": lines,
    content: "mine",
  });
  it.each([
    ["an edit of another line", replaceLine(1, "mine")],
    ["an edit of the same line", replaceLine(2, "mine")],
    ["a write of the whole file", whole(2)],
  ])("%s is refused and shows what is there, whatever size and time say", async (_name, operation) => {
    for (const content of ["one\nTWO\n", "one\ntwo\nthree\n", "", "one\r\ntwo\r\n"]) {
      const at = scene();
      const path = at.write("f", "one\ntwo\n");
      const revision = revisionIn(await at.read(uri));
      const { atime, mtime } = statSync(path);
      writeFileSync(path, content);
      utimesSync(path, atime, mtime);
      const refused = await at.edit(uri, revision, operation);
      expect(refused).toMatchObject({ status: "error", code: "stale-revision" });
      for (const line of content.split(/\r?\n/).filter((text) => text !== ""))
        expect(refused.content).toContain(`|${line}`);
      expect(at.bytes("f")).toBe(content);
      expect(revisionIn(refused)).toBe(revisionIn(await at.read(uri)));
    }
  });

  it("of a file that went away, or became a directory, changes nothing", async () => {
    const at = scene();
    const path = at.write("f", "one\n");
    const revision = revisionIn(await at.read(uri));
    rmSync(path);
    await expect(at.edit(uri, revision, replaceLine(1, "mine"))).rejects.toMatchObject({
      code: "stale-revision",
    });
    mkdirSync(path);
    await expect(at.edit(uri, revision, replaceLine(1, "mine"))).rejects.toMatchObject({
      code: "not-regular",
    });
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it("of a new file is refused when somebody made it first", async () => {
    const at = scene();
    const absent = revisionIn(await at.read(uri));
    at.write("f", "theirs\n");
    const refused = await at.edit(uri, absent, { operation: "replace-empty", content: "mine\n" });
    expect(refused).toMatchObject({ status: "error", code: "stale-revision" });
    expect([refused.content.includes("|theirs"), at.bytes("f")]).toEqual([true, "theirs\n"]);
  });

  it.each(["one host", "two hosts"])(
    "two agents in one tree, %s: one wins, the other is shown",
    async (hosts) => {
      const locks = join(scratchDirectory(), "locks");
      const context = toolContext();
      const first = scene(context, locks);
      const second = hosts === "one host" ? first : scene(context, locks);
      first.write("f", "one\ntwo\n");
      const revision = revisionIn(await first.read(uri));
      const outcomes = await Promise.all([
        first.edit(uri, revision, replaceLine(1, "FIRST")),
        second.edit(uri, revision, replaceLine(2, "SECOND")),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["error", "ok"]);
      const [winner, loser] = outcomes[0].status === "ok" ? ["FIRST", outcomes[1]] : ["SECOND", outcomes[0]];
      expect(loser).toMatchObject({
        code: "stale-revision",
        content: expect.stringContaining(`|${winner}`) as string,
      });
      expect(first.bytes("f")).toBe(winner === "FIRST" ? "FIRST\ntwo\n" : "one\nSECOND\n");
    },
  );
});
