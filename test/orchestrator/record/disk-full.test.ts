import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createConversation } from "../../../orchestrator/record/conversation.ts";
import { freshDirectory } from "./directories.ts";

it("a full disk: typed errors, earlier records intact, work goes on once there is room", async () => {
  const disk = await freshDirectory();
  const script = fileURLToPath(new URL("./small-disk.ts", import.meta.url));
  const { stdout } = await promisify(execFile)("bwrap", [
    ...["--dev-bind", "/", "/", "--size", String(256 * 1024), "--tmpfs", disk],
    ...[process.execPath, script, disk],
  ]);
  const outcome = JSON.parse(stdout) as {
    written: number;
    failures: string[];
    afterFailure: { content: string; names: string[] };
    next: number;
    lines: number[];
    content: string;
  };
  expect(outcome.written).toBeGreaterThan(10);
  expect(outcome.failures).toEqual(["no-space", "no-space"]);
  expect(outcome.afterFailure.content).toBe("old");
  expect(outcome.afterFailure.names.toSorted()).toEqual(["journal", "result"]);
  expect(outcome.next).toBe(outcome.written + 1);
  expect(outcome.lines).toEqual(Array.from({ length: outcome.next }, (_, index) => index + 1));
  expect(outcome.content).toBe("new");
});

it("a disk that cannot be written: every kind of write says so, and what is there can be read", async () => {
  const disk = await freshDirectory();
  const options = { directory: disk, now: () => 1_800_000_000_000 };
  const conversation = await createConversation(options, {
    directory: "/",
    model: "m",
    reasoningEffort: "low",
  });
  await conversation.append({ kind: "message", content: "kept" });
  await conversation.close();
  const script = fileURLToPath(new URL("./read-only-disk.ts", import.meta.url));
  const { stdout } = await promisify(execFile)("bwrap", [
    ...["--dev-bind", "/", "/", "--ro-bind", disk, disk],
    ...[process.execPath, script, disk, conversation.id],
  ]);
  const { codes, read } = JSON.parse(stdout) as { codes: Record<string, string>; read: number };
  expect(Object.keys(codes)).toHaveLength(7);
  expect(new Set(Object.values(codes))).toEqual(new Set(["read-only"]));
  expect(read).toBe(1);
});
