import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  jobInputLimits,
  readJobInput,
  readJobInputFile,
  readJobInputStream,
} from "../../../orchestrator/run-job/index.ts";
import { validJob } from "./valid-job.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "autolith-job-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function fifo(): string {
  const path = join(directory, "fifo");
  execFileSync("mkfifo", [path]);
  return path;
}

describe("a file", () => {
  it("is read whole", async () => {
    const path = join(directory, "job.sexp");
    writeFileSync(path, validJob);
    expect(String(await readJobInputFile(path))).toBe(validJob);
  });

  it("is refused with its reason when it is not there or cannot be read", async () => {
    writeFileSync(join(directory, "file"), "");
    mkdirSync(join(directory, "folder"));
    const category = async (name: string): Promise<unknown> =>
      readJobInputFile(join(directory, name)).catch((error: unknown) => error);
    expect(await category("none")).toMatchObject({ category: "input-not-found" });
    expect(await category("file/below")).toMatchObject({ category: "input-not-found" });
    expect(await category("folder")).toMatchObject({ category: "invalid-input" });
  });

  it("is not read beyond the limit", async () => {
    const bytes = await readJobInputFile("/dev/zero");
    expect(bytes.length).toBeGreaterThan(jobInputLimits.maxBytes);
    expect(bytes.length).toBeLessThan(2 * jobInputLimits.maxBytes);
    expect(readJobInput(bytes)).toMatchObject({ failure: { category: "invalid-input" } });
  });
});

describe("a FIFO", () => {
  it("is read when its writer comes later", async () => {
    const path = fifo();
    const reading = readJobInputFile(path);
    const writer = spawn("sh", ["-c", 'cat >"$0"', path], { stdio: ["pipe", "ignore", "ignore"] });
    const exited = once(writer, "exit");
    writer.stdin.end(validJob);
    expect(String(await reading)).toBe(validJob);
    expect(await exited).toEqual([0, null]);
  });

  it("that nobody writes to is given up when the signal comes", async () => {
    const abort = new AbortController();
    const reading = readJobInputFile(fifo(), abort.signal);
    abort.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
  });

  it("that nobody writes to does not keep the process from ending", async () => {
    const program = `
      import { readJobInputFile } from ${JSON.stringify(join(root, "orchestrator/run-job/index.ts"))};
      process.on("SIGTERM", () => process.exit(3));
      readJobInputFile(${JSON.stringify(fifo())});
      process.stdout.write("reading");
      setInterval(() => undefined, 60_000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([3, null]);
  });
});

describe("a stream", () => {
  it("is read in pieces, and no further than the limit", async () => {
    const stream = new PassThrough();
    stream.write(validJob.slice(0, 10));
    stream.end(validJob.slice(10));
    expect(String(await readJobInputStream(stream))).toBe(validJob);
    const bytes = await readJobInputStream(endless());
    expect(readJobInput(bytes)).toMatchObject({ failure: { category: "invalid-input" } });
  });

  it("that gives nothing is given up when the signal comes, before or during the reading", async () => {
    const abort = new AbortController();
    const reading = readJobInputStream(new PassThrough(), abort.signal);
    abort.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
    await expect(readJobInputStream(endless(), abort.signal)).rejects.toThrow("stopped");
  });
});

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, " ");
}
