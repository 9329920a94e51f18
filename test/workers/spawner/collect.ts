import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { OutputSink } from "../../../workers/spawner/output-pipe.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";

/** A sink that keeps everything, and can wait for a text to appear. */
export class CollectingSink implements OutputSink {
  #text = "";
  readonly #waiting: { readonly needle: string; readonly resolve: () => void }[] = [];

  write(chunk: Buffer): void {
    this.#text += chunk.toString("utf8");
    for (const entry of this.#waiting) if (this.#text.includes(entry.needle)) entry.resolve();
  }

  get text(): string {
    return this.#text;
  }

  async appearanceOf(needle: string): Promise<void> {
    if (this.#text.includes(needle)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ needle, resolve });
    });
  }
}

/** A directory that is removed when the test has finished. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "t3-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A spawner that is closed when the test has finished. */
export function scratchSpawner(liveLimit?: number): Spawner {
  const ledgerDirectory = scratchDirectory();
  const spawner = new Spawner(liveLimit === undefined ? { ledgerDirectory } : { ledgerDirectory, liveLimit });
  onTestFinished(async () => {
    await spawner.close(0);
  });
  return spawner;
}
