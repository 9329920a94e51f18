import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileElement, FileStream } from "../../../lisp/streams/file-stream.ts";
import { StreamFault } from "../../../lisp/streams/native-stream.ts";
import { nodeFiles } from "../../../lisp/streams/node-host.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "autolith-file-stream-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Wish {
  input?: boolean;
  output?: boolean;
  element?: FileElement;
  renameTo?: string;
  created?: boolean;
}

function open(path: string, wish: Wish): FileStream {
  const { input = false, output = false, element = { kind: "character" }, renameTo, created = false } = wish;
  const file = nodeFiles.open(path, {
    read: input,
    write: output,
    create: output,
    exclusive: false,
    truncate: false,
  });
  return new FileStream({
    files: nodeFiles,
    file,
    path,
    renameTo,
    created,
    input,
    output,
    element,
    codec: "utf-8",
    replacement: undefined,
    pathname: undefined,
    truename: undefined,
    elementType: undefined,
    externalFormat: undefined,
  });
}

describe("file streams", () => {
  it("reads lines of a file longer than its buffer", () => {
    const path = join(folder, "lines.txt");
    const lines = Array.from({ length: 5000 }, (_, i) => `línea ${i}`);
    writeFileSync(path, lines.join("\n"));
    const stream = open(path, { input: true });
    const read: string[] = [];
    for (;;) {
      const line = stream.readLine();
      if (!line || (line.ended && line.text === "")) break;
      read.push(line.text);
      if (line.ended) break;
    }
    stream.close(false);
    expect(read).toEqual(lines);
  });

  it("reads what it wrote at a position it went back to", () => {
    const stream = open(join(folder, "both.txt"), { input: true, output: true });
    stream.writeText("hello world");
    expect(stream.position()).toBe(11);
    expect(stream.setPosition(6)).toBe(true);
    expect(String.fromCodePoint(stream.readCode(), stream.readCode())).toBe("wo");
    expect(stream.position()).toBe(8);
    stream.unreadCode(111);
    expect(stream.position()).toBe(7);
    stream.writeText("ORL");
    stream.close(false);
    expect(readFileSync(join(folder, "both.txt"), "utf8")).toBe("hello wORLd");
  });

  it("keeps integers of odd widths", () => {
    const path = join(folder, "bytes");
    const element: FileElement = { kind: "integer", bits: 33, signed: true };
    const values = [0, 1, -1, 2 ** 32 - 1, -(2 ** 32)];
    const out = open(path, { output: true, element });
    for (const value of values) out.writeElement(value);
    expect(() => out.writeElement(2 ** 32)).toThrow(StreamFault);
    out.close(false);
    const back = open(path, { input: true, element });
    expect(values.map(() => back.readElement())).toEqual(values);
    expect(back.readElement()).toBeUndefined();
    back.close(false);
  });

  it("replaces a file only when it is closed without abort", () => {
    const path = join(folder, "old.txt");
    writeFileSync(path, "old");
    const aborted = open(`${path}.new`, { output: true, renameTo: path });
    aborted.writeText("new");
    aborted.close(true);
    expect(readFileSync(path, "utf8")).toBe("old");
    const closed = open(`${path}.new`, { output: true, renameTo: path });
    closed.writeText("new");
    closed.close(false);
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("refuses use after closing", () => {
    const stream = open(join(folder, "closed.txt"), { output: true });
    stream.close(false);
    expect(() => stream.writeText("x")).toThrow(StreamFault);
  });
});
