import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh directory for one test, removed when the test has finished. */
export async function freshDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "al-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
