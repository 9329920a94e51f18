import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLogWindow, searchLog } from "../../../workers/shell/shell-log-reader.ts";
import { formatShellLog, parseShellLog } from "../../../workers/shell/shell-log-reference.ts";
import { scratchDirectory } from "../spawner/collect.ts";

function logOf(content: string | Buffer): string {
  const path = join(scratchDirectory(), "output");
  writeFileSync(path, content);
  return path;
}

describe("readLogWindow", () => {
  test("consecutive windows give every character exactly once", async () => {
    const text = "aé漢😀\n".repeat(500);
    const path = logOf(text);
    let joined = "";
    for (let offset: number | undefined = 0, count = 7; offset !== undefined; count = (count % 90) + 5) {
      const window = await readLogWindow(path, offset, count);
      joined += window.text;
      offset = window.nextOffset;
    }
    expect(joined).toBe(text);
  });

  test("shows at most 4096 bytes and says where to go on", async () => {
    const path = logOf("x".repeat(5000));
    expect(await readLogWindow(path, 0, 1_000_000)).toMatchObject({
      byteCount: 4096,
      nextOffset: 4096,
      totalBytes: 5000,
    });
    expect(await readLogWindow(path, 4096, 4096)).toMatchObject({ byteCount: 904, nextOffset: undefined });
    expect(await readLogWindow(path, 9000, 10)).toMatchObject({
      byteCount: 0,
      nextOffset: undefined,
      text: "",
    });
  });

  test("bytes that are no UTF-8 are replaced, not lost", async () => {
    const path = logOf(Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    expect((await readLogWindow(path, 0, 4096)).text).toBe("a\uFFFD\uFFFDb");
  });
});

describe("searchLog", () => {
  test("finds literal text with its line and offset, up to the limit", async () => {
    const path = logOf("one a.b\ntwo axb\nthree a.b end\n");
    const found = await searchLog(path, "a.b", 0, 20);
    expect(found.excerpts).toEqual([
      { byteOffset: 4, text: "one a.b" },
      { byteOffset: 22, text: "three a.b end" },
    ]);
    expect(found.nextOffset).toBeUndefined();
    const limited = await searchLog(path, "a.b", 0, 1);
    expect(limited.excerpts).toHaveLength(1);
    expect((await searchLog(path, "a.b", limited.nextOffset ?? 0, 1)).excerpts[0]?.byteOffset).toBe(22);
  });

  test("scans one mebibyte and finds a match across the border in the next scan", async () => {
    const path = logOf(`${"-".repeat(1024 * 1024 - 2)}needle${"-".repeat(100)}`);
    const first = await searchLog(path, "needle", 0, 20);
    expect(first.excerpts).toEqual([]);
    const second = await searchLog(path, "needle", first.nextOffset ?? 0, 20);
    expect(second.excerpts[0]?.byteOffset).toBe(1024 * 1024 - 2);
    expect(second.nextOffset).toBeUndefined();
  });

  test("an excerpt of a very long line is cut on both sides", async () => {
    const path = logOf(`${"a".repeat(5000)}needle${"b".repeat(5000)}\n`);
    expect((await searchLog(path, "needle", 0, 1)).excerpts[0]?.text).toBe(
      `…${"a".repeat(200)}needle${"b".repeat(200)}…`,
    );
  });
});

describe("references", () => {
  test("read back what was formatted", () => {
    const reference = {
      conversationId: "b6uouHJ",
      executionId: "e-1",
      artifactId: "00ff",
      stream: "error",
    } as const;
    expect(parseShellLog(formatShellLog(reference))).toEqual(reference);
  });

  test.each([
    "shell-log:a/b/c",
    "shell-log:a/b/c/other",
    "shell-log:a/../c/output",
    "shell-log:a/b/.c/output",
    "file:///x",
  ])("%s is none", (uri) => {
    expect(parseShellLog(uri)).toBeUndefined();
  });
});
